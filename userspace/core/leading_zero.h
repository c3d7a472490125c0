// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::core {

/// Whether the number that `text` begins with, behind a sign, has a zero before its digits ("010",
/// "-08", "007Mi"). Readers disagree on it: to YAML 1.1, to C and to Go's ParseInt with base 0 it
/// is octal, to YAML 1.2 decimal.
[[nodiscard]] constexpr bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

/// What is wrong with the number of an option because of such a zero; empty if nothing is.
[[nodiscard]] inline std::string leading_zero_problem(const std::string& text) {
  return has_leading_zero(text)
             ? '"' + text + "\": a leading zero, which makes it octal to some readers; allowed: " +
                   "decimal digits without one"
             : "";
}

}  // namespace evictd::core
