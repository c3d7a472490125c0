// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::base {

/// Makes `text`, which comes from outside, safe to print on one line. Line ends and other control
/// characters become "\x0a" and the like; bytes that are not UTF-8 become U+FFFD. So no text ends
/// its line or moves a terminal's cursor. The result is UTF-8 and may be longer than `text`.
[[nodiscard]] std::string one_line(std::string_view text);

/// The same for JSON text without white space between its values; the result is JSON of the same
/// value. JSON allows DEL and U+0080 to U+009F in strings; here they become "\u009b" and the like.
[[nodiscard]] std::string one_line_json(std::string_view json);

}  // namespace evictd::base
