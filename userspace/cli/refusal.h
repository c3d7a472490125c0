// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::cli {

/// evictd's refusal of a request, {"error": TEXT}, as "evictd: TEXT"; empty if `answer`, one line,
/// is no refusal. Cost: reads only the beginning of an answer.
[[nodiscard]] std::string refusal_in(std::string_view answer);

}  // namespace evictd::cli
