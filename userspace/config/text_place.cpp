// SPDX-License-Identifier: Apache-2.0
#include "config/text_place.h"

#include <fmt/format.h>

#include <algorithm>

namespace evictd::config {

std::string text_place(std::string_view filename, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start =
      before.rfind('\n') + 1;  // Without a line end: npos + 1, which is 0.
  return fmt::format("{}:{}:{}", filename, line, before.size() - line_start + 1);
}

}  // namespace evictd::config
