// SPDX-License-Identifier: Apache-2.0
#include "config/utf8.h"

#include "core/control_character.h"
#include "core/utf8.h"

namespace evictd::config {

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const core::Utf8Part part = core::first_utf8_part(text.substr(at));
    if (!part.is_character) {
      return at;
    }
    at += part.length;
  }
  return std::nullopt;
}

std::optional<std::size_t> find_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_space = text[i] == '\t' || text[i] == '\n' || text[i] == '\r';
    if (!is_space && core::control_character_length(text.substr(i)) != 0) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace evictd::config
