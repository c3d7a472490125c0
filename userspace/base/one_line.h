// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::base {

/// A text from outside as a line may show it: line ends and other control characters become "\x0a"
/// and the like, and bytes that are no UTF-8 become U+FFFD, so that no text ends its line or moves
/// a terminal's cursor, and the line is UTF-8. It may be longer than the text.
[[nodiscard]] std::string one_line(std::string_view text);

/// The same for a text of JSON without white space between its values, which stays JSON of the same
/// value: JSON lets a string have DEL and U+0080 to U+009F as they are, here they become "\u009b".
[[nodiscard]] std::string one_line_json(std::string_view json);

}  // namespace evictd::base
