// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::cli {

/// A pod's name for people: "namespace/name", or its uid if it has no name.
[[nodiscard]] std::string pod_text(std::string_view ns, std::string_view name,
                                   std::string_view uid);

}  // namespace evictd::cli
