// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "config/brake_settings.h"

namespace evictd::config {

/// Whether neverEvict matches a pod in namespace `ns` with these labels.
[[nodiscard]] bool names_pod(const NeverEvict& rules, std::string_view ns,
                             const std::map<std::string, std::string, std::less<>>& labels);

}  // namespace evictd::config
