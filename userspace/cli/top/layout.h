// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/top/cells.h"
#include "cli/top/event_list.h"
#include "cli/top/node_state.h"
#include "cli/top/screen.h"
#include "cli/top/view.h"

namespace evictd::cli::top {

/// The smallest terminal in which everything is readable.
inline constexpr Size kSmallest{.width = 60, .height = 16};

/// The data to show; borrowed.
struct Scene {
  /// Null before evictd's first answer.
  const NodeState* node = nullptr;
  const EventList* events = nullptr;
  /// Why no new data arrives; empty while it does.
  std::string trouble{};
  /// Why no events arrive while other data does.
  std::string events_trouble{};
  /// The time of the day.
  std::string clock{};
  Charset charset = Charset::kUtf8;
};

/// The content of the terminal: as many rows as it has, none wider. Stores in `view` which pods are
/// shown.
[[nodiscard]] Screen lay_out(const Scene& scene, Size size, View& view);

}  // namespace evictd::cli::top
