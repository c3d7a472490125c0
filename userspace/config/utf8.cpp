// SPDX-License-Identifier: Apache-2.0
#include "config/utf8.h"

#include <cstdint>

#include "core/control_character.h"

namespace evictd::config {
namespace {

/// What a lead byte promises: how many bytes follow, and the range of the first of them, which
/// excludes overlong forms, surrogates and what lies above U+10FFFF. Source: RFC 3629, section 4.
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

bool is_complete(std::string_view rest, const Sequence& sequence) {
  if (rest.size() <= sequence.following) {
    return false;
  }
  for (std::size_t i = 1; i <= sequence.following; ++i) {
    const auto byte = static_cast<std::uint8_t>(rest[i]);
    const std::uint8_t low = i == 1 ? sequence.low : 0x80;
    const std::uint8_t high = i == 1 ? sequence.high : 0xbf;
    if (byte < low || byte > high) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::optional<Sequence> sequence = sequence_of(static_cast<std::uint8_t>(text[at]));
    if (!sequence || !is_complete(text.substr(at), *sequence)) {
      return at;
    }
    at += sequence->following + 1;
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
