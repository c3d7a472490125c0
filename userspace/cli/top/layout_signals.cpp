// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/amount_text.h"
#include "cli/top/layout_parts.h"
#include "cli/top/row_builder.h"

namespace evictd::cli::top {

namespace {

constexpr std::size_t kAmountWidth = 10;
constexpr std::size_t kNarrowestSignalBar = 8;

struct SignalWidths {
  std::size_t name = 7;
  std::size_t kind = 4;
  std::size_t bar = kNarrowestSignalBar;
};

/// Names shrink before the bar does.
SignalWidths widths_for(const std::vector<SignalState>& signals, std::size_t width) {
  SignalWidths widths;
  for (const SignalState& signal : signals) {
    widths.name = std::max(widths.name, signal.signal.size());
    widths.kind = std::max(widths.kind, signal.kind.size());
  }
  // Leading space, a space after each of three columns, three quantities.
  const std::size_t fixed = 1 + 3 + widths.kind + 3 * kAmountWidth;
  const std::size_t rest = width - std::min(width, fixed);
  widths.bar = std::max(kNarrowestSignalBar, rest - std::min(rest, widths.name));
  widths.name = std::min(widths.name, rest - std::min(rest, widths.bar));
  return widths;
}

/// The remaining part of the way to the threshold, 1 for all; negative past it.
double share_left(const SignalState& signal) {
  const std::int64_t way = std::max<std::int64_t>(1, signal.capacity - signal.met_below);
  return signal.observed ? static_cast<double>(signal.distance()) / static_cast<double>(way) : 1.0;
}

Style style_of(const SignalState& signal) {
  constexpr double kNear = 0.1;
  if (signal.met || share_left(signal) < 0) {
    return Style::kBad;
  }
  return share_left(signal) < kNear ? Style::kWarning : Style::kGood;
}

/// The threshold as configured, if that is short.
std::string threshold_text(const SignalState& signal) {
  constexpr std::size_t kLongest = kAmountWidth - 2;
  return "<" + (signal.threshold.size() <= kLongest ? signal.threshold
                                                    : amount_text(signal.signal, signal.met_below));
}

Row signal_row(const SignalState& signal, const SignalWidths& widths, std::size_t width,
               Charset charset) {
  const Style style = style_of(signal);
  RowBuilder row(width, charset);
  row.add(" ").add_left(signal.signal, widths.name, signal.met ? Style::kBad : Style::kPlain);
  row.add(" ").add_left(signal.kind, widths.kind, Style::kDim).add(" ");
  if (!signal.observed) {
    return row.add_left("not observed", widths.bar, Style::kWarning).row();
  }
  add_bar(row,
          {.used = static_cast<double>(signal.capacity - signal.available),
           .mark = static_cast<double>(signal.capacity - signal.met_below),
           .full = static_cast<double>(signal.capacity)},
          widths.bar, {.before_mark = style, .past_mark = Style::kBad}, charset);
  row.add_right(amount_text(signal.signal, signal.available), kAmountWidth)
      .add_right(threshold_text(signal), kAmountWidth, Style::kDim)
      .add_right(amount_text(signal.signal, signal.distance()), kAmountWidth, style);
  return row.row();
}

/// The nearest ones, in their original order.
std::vector<SignalState> nearest(std::vector<SignalState> signals, std::size_t most) {
  if (signals.size() <= most) {
    return signals;
  }
  std::vector<double> shares;
  shares.reserve(signals.size());
  for (const SignalState& signal : signals) {
    shares.push_back(share_left(signal));
  }
  std::nth_element(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(most),
                   shares.end());
  const double farthest = shares[most];
  std::stable_partition(signals.begin(), signals.end(),
                        [&](const SignalState& signal) { return share_left(signal) < farthest; });
  signals.resize(most);
  return signals;
}

/// The threshold that is met first at the present rates, in words; empty if none is foreseen. Its
/// name shrinks before the words do.
Row forecast_row(const std::vector<SignalState>& signals, std::size_t width, Charset charset) {
  const SignalState* first = nullptr;
  for (const SignalState& signal : signals) {
    if (!signal.forecast.empty() &&
        (first == nullptr || signal.time_to_threshold_ms < first->time_to_threshold_ms)) {
      first = &signal;
    }
  }
  if (first == nullptr) {
    return {};
  }
  const std::size_t taken = 2 + cells_of(printable(first->forecast, charset));
  const std::size_t room = width - std::min(width, taken);
  return RowBuilder(width, charset)
      .add(" ")
      .add_left(first->signal, std::min(first->signal.size(), room), Style::kWarning)
      .add(" ")
      .add(first->forecast, Style::kWarning)
      .row();
}

}  // namespace

void add_signals(const Scene& scene, std::size_t width, std::size_t most, Screen& screen) {
  if (scene.node == nullptr) {
    return;
  }
  const std::vector<SignalState>& all = scene.node->signals;
  // The line about the others takes the place of one.
  const std::vector<SignalState> shown = nearest(all, all.size() <= most ? most : most - 1);
  const SignalWidths widths = widths_for(shown, width);
  RowBuilder heading(width, scene.charset);
  heading.add(" ").add_left("SIGNAL", widths.name + 1, Style::kHeading);
  heading.add_left("KIND", widths.kind + 1, Style::kHeading)
      .add_left("USED", widths.bar, Style::kHeading)
      .add_right("AVAILABLE", kAmountWidth, Style::kHeading)
      .add_right("THRESHOLD", kAmountWidth, Style::kHeading)
      .add_right("DISTANCE", kAmountWidth, Style::kHeading);
  screen.push_back(heading.row());
  for (const SignalState& signal : shown) {
    screen.push_back(signal_row(signal, widths, width, scene.charset));
  }
  if (shown.size() < all.size()) {
    const std::string others = std::to_string(all.size() - shown.size());
    screen.push_back(RowBuilder(width, scene.charset)
                         .add(" " + others + " more are farther from their thresholds", Style::kDim)
                         .row());
  }
  screen.push_back(forecast_row(all, width, scene.charset));
}

}  // namespace evictd::cli::top
