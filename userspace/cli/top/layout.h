// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/top/cells.h"
#include "cli/top/event_list.h"
#include "cli/top/node_state.h"
#include "cli/top/screen.h"
#include "cli/top/view.h"

namespace evictd::cli::top {

/// The smallest terminal that everything is readable in.
inline constexpr Size kSmallest{.width = 60, .height = 16};

/// What is known; borrowed.
struct Scene {
  /// Null before the first answer of evictd.
  const NodeState* node = nullptr;
  const EventList* events = nullptr;
  /// Why nothing new comes; empty while it does.
  std::string trouble{};
  /// Why no events come while all else does.
  std::string events_trouble{};
  /// The time of the day.
  std::string clock{};
  Charset charset = Charset::kUtf8;
};

/// What the terminal shall show: as many rows as it has, none wider. Writes to `view` which pods
/// that are.
[[nodiscard]] Screen lay_out(const Scene& scene, Size size, View& view);

}  // namespace evictd::cli::top
