// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace evictd::core {

/// Length in bytes of the control character at the start of `rest`; 0 if there is none. 1 for
/// characters below space and for DEL; 2 for U+0080 to U+009F, which a terminal may obey like an
/// escape. Text is UTF-8; a byte that is invalid on its own is no control character.
[[nodiscard]] constexpr std::size_t control_character_length(std::string_view rest) {
  if (rest.empty()) {
    return 0;
  }
  const auto first = static_cast<unsigned char>(rest[0]);
  if (first < ' ' || first == 0x7f) {
    return 1;
  }
  if (first != 0xc2 || rest.size() < 2) {
    return 0;
  }
  const auto second = static_cast<unsigned char>(rest[1]);
  return second >= 0x80 && second <= 0x9f ? 2 : 0;
}

/// The code point of the control character at the start of `rest`.
[[nodiscard]] constexpr unsigned control_character_code(std::string_view rest) {
  return static_cast<unsigned char>(rest[control_character_length(rest) - 1]);
}

[[nodiscard]] constexpr bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (control_character_length(text.substr(i)) != 0) {
      return true;
    }
  }
  return false;
}

/// Offset of the first control character of `text`, except tab and line ends; nullopt if there is
/// none.
[[nodiscard]] constexpr std::optional<std::size_t> find_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_space = text[i] == '\t' || text[i] == '\n' || text[i] == '\r';
    if (!is_space && control_character_length(text.substr(i)) != 0) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace evictd::core
