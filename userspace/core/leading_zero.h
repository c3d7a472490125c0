// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::core {

/// Whether the number at the start of `text`, after an optional sign, has a leading zero ("010",
/// "-08", "007Mi"). Parsers disagree: YAML 1.1, C and Go's ParseInt with base 0 read octal, YAML
/// 1.2 reads decimal.
[[nodiscard]] constexpr bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

/// The error message for an option's number with a leading zero; empty if it has none.
[[nodiscard]] inline std::string leading_zero_problem(const std::string& text) {
  return has_leading_zero(text)
             ? '"' + text + "\": a leading zero, which makes it octal to some readers; allowed: " +
                   "decimal digits without one"
             : "";
}

}  // namespace evictd::core
