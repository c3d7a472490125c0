// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.h"

#include <cstdint>
#include <optional>

namespace evictd::core {
namespace {

/// What a lead byte requires: the number of following bytes, and the range of the first of them.
/// The range excludes overlong forms, surrogates and code points above U+10FFFF. Source: RFC 3629,
/// section 4.
struct Sequence {
  std::size_t following = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xbf;
};

std::optional<Sequence> sequence_of(std::uint8_t lead) {
  if (lead < 0x80) {
    return Sequence{};
  }
  if (lead >= 0xc2 && lead <= 0xdf) {
    return Sequence{.following = 1};
  }
  if (lead >= 0xe0 && lead <= 0xef) {
    return Sequence{.following = 2,
                    .low = static_cast<std::uint8_t>(lead == 0xe0 ? 0xa0 : 0x80),
                    .high = static_cast<std::uint8_t>(lead == 0xed ? 0x9f : 0xbf)};
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    return Sequence{.following = 3,
                    .low = static_cast<std::uint8_t>(lead == 0xf0 ? 0x90 : 0x80),
                    .high = static_cast<std::uint8_t>(lead == 0xf4 ? 0x8f : 0xbf)};
  }
  return std::nullopt;
}

}  // namespace

Utf8Part first_utf8_part(std::string_view text) {
  if (text.empty()) {
    return {};
  }
  const std::optional<Sequence> sequence = sequence_of(static_cast<std::uint8_t>(text[0]));
  if (!sequence) {
    return {.length = 1, .is_character = false};
  }
  for (std::size_t i = 1; i <= sequence->following; ++i) {
    const std::uint8_t low = i == 1 ? sequence->low : 0x80;
    const std::uint8_t high = i == 1 ? sequence->high : 0xbf;
    const auto byte = static_cast<std::uint8_t>(i < text.size() ? text[i] : '\0');
    if (byte < low || byte > high) {
      return {.length = i, .is_character = false};
    }
  }
  return {.length = sequence->following + 1, .is_character = true};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Utf8Part part = first_utf8_part(text.substr(at));
    if (!part.is_character) {
      return at;
    }
    at += part.length;
  }
  return std::nullopt;
}

}  // namespace evictd::core
