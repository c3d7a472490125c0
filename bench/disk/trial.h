// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "disk/players.h"
#include "evictd/result.h"

namespace evictd::bench {

/// Results of one filler. Source: the filler's exit status, and a witness that reads the
/// filesystem's usage every 200 us. Nothing comes from evictd.
struct FillOutcome {
  /// It was killed; otherwise it lived until the bench ended the trial.
  bool killed = false;
  /// Almost nothing was left.
  bool filled_up = false;
  bool others_touched = false;
  /// Milliseconds from the crossing. nullopt if it did not happen.
  std::optional<double> to_dead_ms;
  std::optional<double> to_freed_ms;
  /// The most MiB or inodes by which usage exceeded the threshold.
  double past = 0;

  /// The filler is dead, some space was left, and nothing else was touched.
  [[nodiscard]] bool won() const { return killed && !filled_up && !others_touched; }
};

/// Runs one filler from rest to its end and removes its files. Errors: those that stop the whole
/// bench.
[[nodiscard]] Result<FillOutcome> run_fill(DiskPlayers& players, const DiskRow& row,
                                           const DiskGround& ground);

}  // namespace evictd::bench
