// SPDX-License-Identifier: Apache-2.0
#include "cli/top/row_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace evictd::cli::top {

namespace {

constexpr std::size_t kEighths = 8;

/// The character for a cell of which this many eighths are used, from the left.
std::string_view cell_text(std::size_t eighths, Charset charset) {
  constexpr std::array<std::string_view, kEighths + 1> kBlocks{
      "\xc2\xb7",     "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d", "\xe2\x96\x8c",
      "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89", "\xe2\x96\x88"};
  if (charset == Charset::kAscii) {
    return eighths == 0 ? "." : "#";
  }
  return kBlocks[eighths];
}

std::string_view mark_text(Charset charset) {
  return charset == Charset::kUtf8 ? "\xe2\x94\x83" : "|";
}

/// Clamps to 0 to 1, also for a meaningless quantity.
double share(double part, double whole) {
  return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0;
}

}  // namespace

RowBuilder& RowBuilder::add(std::string_view text, Style style) {
  std::string shown = cut(text, room_, charset_);
  room_ -= cells_of(shown);
  if (!shown.empty()) {
    row_.spans.push_back({std::move(shown), style});
  }
  return *this;
}

RowBuilder& RowBuilder::add_left(std::string_view text, std::size_t width, Style style) {
  return add(left(text, std::min(width, room_), charset_), style);
}

RowBuilder& RowBuilder::add_right(std::string_view text, std::size_t width, Style style) {
  return add(right(text, std::min(width, room_), charset_), style);
}

RowBuilder& RowBuilder::end_with(std::string_view text, Style style) {
  const bool fits = cells_of(printable(text, charset_)) <= room_;
  return add_right(fits ? text : std::string_view(), room_, style);
}

void add_bar(RowBuilder& row, const BarAmounts& amounts, std::size_t width, BarStyles styles,
             Charset charset) {
  if (width == 0) {
    return;
  }
  const auto all = static_cast<double>(width * kEighths);
  auto used = static_cast<std::size_t>(std::lround(share(amounts.used, amounts.full) * all));
  used = used == 0 && amounts.used > 0 ? 1 : used;
  const bool is_marked = amounts.mark > 0;
  const std::size_t mark = std::min(
      width - 1,
      static_cast<std::size_t>(share(amounts.mark, amounts.full) * static_cast<double>(width)));
  for (std::size_t cell = 0; cell < width; ++cell) {
    const std::size_t before = cell * kEighths;
    const std::size_t eighths = used <= before ? 0 : std::min(kEighths, used - before);
    if (is_marked && cell == mark) {
      row.add(mark_text(charset), Style::kBold);
    } else if (eighths == 0) {
      row.add(cell_text(0, charset), Style::kDim);
    } else {
      row.add(cell_text(eighths, charset),
              is_marked && cell < mark ? styles.before_mark : styles.past_mark);
    }
  }
}

}  // namespace evictd::cli::top
