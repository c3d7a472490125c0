// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace evictd::core {

/// What a text begins with.
struct Utf8Part {
  /// Bytes of one character; or, where there is none, of the longest beginning of one, which one
  /// U+FFFD stands for, but at least 1. 0 for an empty text.
  std::size_t length = 0;
  bool is_character = false;
};

/// The first part of `text`. Overlong forms, surrogates and code points above U+10FFFF are no
/// characters. Cost: reads at most 4 bytes.
[[nodiscard]] Utf8Part first_utf8_part(std::string_view text);

}  // namespace evictd::core
