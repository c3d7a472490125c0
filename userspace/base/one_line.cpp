// SPDX-License-Identifier: Apache-2.0
#include "base/one_line.h"

#include <fmt/format.h>

#include "core/control_character.h"

namespace evictd::base {
namespace {

/// Calls `take` with each control character, and with each byte that is none of one.
template <typename Take>
void for_each_part(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t control = core::control_character_length(text);
    const std::size_t length = control == 0 ? 1 : control;
    take(text.substr(0, length), control != 0);
    text.remove_prefix(length);
  }
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for_each_part(text, [&](std::string_view part, bool is_control) {
    if (!is_control) {
      line += part;
      return;
    }
    for (const char byte : part) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  });
  return line;
}

std::string one_line_json(std::string_view json) {
  std::string line;
  line.reserve(json.size());
  for_each_part(json, [&](std::string_view part, bool is_control) {
    if (is_control) {
      line += fmt::format("\\u{:04x}", core::control_character_code(part));
    } else {
      line += part;
    }
  });
  return line;
}

}  // namespace evictd::base
