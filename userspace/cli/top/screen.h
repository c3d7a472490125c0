// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace evictd::cli::top {

/// The meaning of a text; the terminal chooses the colours.
enum class Style {
  kPlain,
  kBold,
  kDim,
  kTitle,    ///< The bar across the top.
  kHeading,  ///< The names of columns.
  kGood,
  kWarning,
  kBad,
  kBadBar,  ///< Trouble with evictd itself, across the screen.
};

struct Span {
  std::string text;
  Style style = Style::kPlain;
};

/// One line of the screen. Its texts are printable and together no wider than the screen.
struct Row {
  std::vector<Span> spans{};
  /// The line of the pod that keys act on.
  bool selected = false;
};

using Screen = std::vector<Row>;

/// Size of a terminal in cells.
struct Size {
  std::size_t width = 0;
  std::size_t height = 0;
};

}  // namespace evictd::cli::top
