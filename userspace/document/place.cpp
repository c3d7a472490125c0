// SPDX-License-Identifier: Apache-2.0
#include "document/place.h"

#include <algorithm>

namespace evictd::document {

Place place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start =
      before.rfind('\n') + 1;  // Without a line end: npos + 1, which is 0.
  return {.line = static_cast<int>(line),
          .column = static_cast<int>(before.size() - line_start + 1)};
}

}  // namespace evictd::document
