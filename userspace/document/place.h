// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace evictd::document {

/// A place in a text. Lines and columns count from 1; columns count bytes.
struct Place {
  int line = 1;
  int column = 1;
};

/// The place of the byte at `offset`, which may be the size of the text.
[[nodiscard]] Place place_of(std::string_view text, std::size_t offset);

}  // namespace evictd::document
