// SPDX-License-Identifier: Apache-2.0
#include "cli/top/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/amount_text.h"
#include "cli/top/layout_parts.h"
#include "cli/top/row_builder.h"

namespace evictd::cli::top {

namespace {

/// A row between two parts.
constexpr std::size_t kGap = 1;
/// Column headings, or the heading of a part.
constexpr std::size_t kHeading = 1;
/// The last line.
constexpr std::size_t kKeys = 1;

/// Of the rows between head and keys, a quarter each for thresholds and events, the rest for pods.
std::size_t quarter_of(std::size_t rows) {
  return std::max<std::size_t>(2, rows / 4);
}

Screen too_small(Size size, Charset charset) {
  Screen screen;
  const std::string needed =
      fmt::format("evictctl top needs {} x {}", kSmallest.width, kSmallest.height);
  const std::string found = fmt::format("this is {} x {}; q ends it", size.width, size.height);
  fill_to(size.height / 3, screen);
  for (const std::string& text : {needed, found}) {
    if (screen.size() < size.height) {
      screen.push_back(RowBuilder(size.width, charset).add(text, Style::kWarning).row());
    }
  }
  fill_to(size.height, screen);
  return screen;
}

/// Thresholds, pods and events, from top to bottom. Events use the rows that pods leave free.
void add_list(const Scene& scene, Size size, View& view, Screen& screen) {
  const std::size_t share = quarter_of(size.height - screen.size());
  add_signals(scene, size.width, share, screen);
  const std::size_t taken = screen.size() + kHeading + kGap + kHeading + share;
  add_pods(scene, {size.width, size.height - taken}, view, screen);
  screen.emplace_back();
  add_events(scene, {size.width, size.height - screen.size()}, screen);
}

}  // namespace

void fill_to(std::size_t height, Screen& screen) {
  screen.resize(std::max(height, screen.size()));
}

std::string bytes_or_dash(const std::optional<std::int64_t>& bytes) {
  return bytes ? bytes_text(static_cast<double>(*bytes)) : "-";
}

std::string count_or_dash(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "-";
}

Screen lay_out(const Scene& scene, Size size, View& view) {
  if (size.width < kSmallest.width || size.height < kSmallest.height) {
    return too_small(size, scene.charset);
  }
  Screen screen;
  add_head(scene, size.width, view, screen);
  const Size rest{size.width, size.height - kKeys};
  switch (view.page) {
    case Page::kList:
      add_list(scene, rest, view, screen);
      break;
    case Page::kDetail:
      add_detail(scene, rest, view, screen);
      break;
    case Page::kHelp:
      add_help(scene, rest, screen);
      break;
  }
  fill_to(rest.height, screen);
  screen.push_back(keys_row(scene, size.width, view));
  return screen;
}

}  // namespace evictd::cli::top
