// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace evictd::core {

/// The start of a text.
struct Utf8Part {
  /// Bytes of one character. If there is no character: bytes of the longest valid beginning of one,
  /// which one U+FFFD replaces, at least 1. 0 for an empty text.
  std::size_t length = 0;
  bool is_character = false;
};

/// The first part of `text`. Overlong forms, surrogates and code points above U+10FFFF are not
/// characters. Cost: reads at most 4 bytes.
[[nodiscard]] Utf8Part first_utf8_part(std::string_view text);

/// Offset of the first byte of `text` that does not continue valid UTF-8; nullopt if all of it is
/// valid. What is no character above is not valid.
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

}  // namespace evictd::core
