// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/fd.h"
#include "core/clock.h"
#include "notify/allowance.h"
#include "notify/backend.h"
#include "notify/level_file.h"
#include "notify/levels.h"

namespace evictd::notify {

/// One value and its listeners.
struct Group {
  Levels levels;
  base::Fd directory;
  RowId row = 0;
  bool live = false;
  /// Replaces `levels` when row `next_row` begins.
  std::optional<Levels> next;
  RowId next_row = 0;
  std::uint64_t value = 0;
  /// Set if the backend lags behind with this value: the files then decide.
  std::optional<LevelFiles> files;
  /// CPU time of their last reading.
  Duration reading_cost{};
  Allowance hints;
};

}  // namespace evictd::notify
