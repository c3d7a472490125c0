// SPDX-License-Identifier: Apache-2.0
#include "base/one_line.h"

#include <fmt/format.h>

#include "core/control_character.h"
#include "core/utf8.h"

namespace evictd::base {
namespace {

/// Replaces bytes that are not UTF-8: U+FFFD.
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// Copies the characters of `text`, with control characters replaced by `escaped`.
template <typename Escaped>
std::string in_one_line(std::string_view text, const Escaped& escaped) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const core::Utf8Part part = core::first_utf8_part(text);
    const std::string_view character = text.substr(0, part.length);
    if (!part.is_character) {
      line += kReplacement;
    } else if (core::control_character_length(character) != 0) {
      line += escaped(character);
    } else {
      line += character;
    }
    text.remove_prefix(part.length);
  }
  return line;
}

}  // namespace

std::string one_line(std::string_view text) {
  return in_one_line(text, [](std::string_view control) {
    std::string bytes;
    for (const char byte : control) {
      bytes += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    return bytes;
  });
}

std::string one_line_json(std::string_view json) {
  return in_one_line(json, [](std::string_view control) {
    return fmt::format("\\u{:04x}", core::control_character_code(control));
  });
}

}  // namespace evictd::base
