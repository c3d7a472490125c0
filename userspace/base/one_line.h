// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::base {

/// A text from outside as a line may show it: line ends and other control characters become "\x0a"
/// and the like, so that no text ends its line or moves a terminal's cursor.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace evictd::base
