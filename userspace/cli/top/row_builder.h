// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "cli/top/cells.h"
#include "cli/top/screen.h"

namespace evictd::cli::top {

/// Appends texts to a row that is never wider than the screen.
class RowBuilder {
 public:
  RowBuilder(std::size_t width, Charset charset) : room_(width), charset_(charset) {}

  /// Cuts off what does not fit.
  RowBuilder& add(std::string_view text, Style style = Style::kPlain);
  /// In exactly `width` cells, unless fewer are left.
  RowBuilder& add_left(std::string_view text, std::size_t width, Style style = Style::kPlain);
  RowBuilder& add_right(std::string_view text, std::size_t width, Style style = Style::kPlain);
  /// Fills the row with spaces, and puts `text` at its end if it fits.
  RowBuilder& end_with(std::string_view text, Style style);

  [[nodiscard]] Row row() const { return row_; }

 private:
  std::size_t room_;
  Charset charset_;
  Row row_{};
};

/// Quantities of one bar: the used part, the position of the mark, and the full length.
struct BarAmounts {
  double used = 0;
  double mark = 0;
  double full = 0;
};

struct BarStyles {
  Style before_mark = Style::kGood;
  Style past_mark = Style::kBad;
};

/// A bar in exactly `width` cells, in eighths of a cell if the charset has them. The mark is
/// visible unless it is at 0, where all that is used is past it.
void add_bar(RowBuilder& row, const BarAmounts& amounts, std::size_t width, BarStyles styles,
             Charset charset);

}  // namespace evictd::cli::top
