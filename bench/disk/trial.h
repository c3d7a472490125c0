// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "disk/players.h"
#include "evictd/result.h"

namespace evictd::bench {

/// What one filler did. Source: the filler's end and a witness that asks the filesystem how full it
/// is every 200 us; nothing of it is evictd's word.
struct FillOutcome {
  /// It was killed; else it lived to the end of the trial, and the bench ended it.
  bool killed = false;
  /// There was as good as nothing left.
  bool filled_up = false;
  bool others_touched = false;
  /// From the crossing; milliseconds. Nothing for what did not come.
  std::optional<double> to_dead_ms;
  std::optional<double> to_freed_ms;
  /// MiB or inodes that were gone below the threshold at worst.
  double past = 0;

  /// The filler is dead, something was left, and nobody and nothing else was touched.
  [[nodiscard]] bool won() const { return killed && !filled_up && !others_touched; }
};

/// One filler from rest to its end; what it made is removed. Errors: what stops the whole bench.
[[nodiscard]] Result<FillOutcome> run_fill(DiskPlayers& players, const DiskRow& row,
                                           const DiskGround& ground);

}  // namespace evictd::bench
