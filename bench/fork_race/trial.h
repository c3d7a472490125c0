// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "cast/cast.h"
#include "evictd/result.h"

namespace evictd::bench {

/// The machine's limit on tasks and the threshold of pid.available below it.
struct PidRoom {
  std::int64_t limit = 0;
  std::int64_t threshold = 0;
};

/// What one fork bomb did. Source: its own stamps, one a fork, and the machine's tasks before it.
struct BombOutcome {
  /// Its process was killed; else it lived to the end of the trial, and the bench ended it.
  bool killed = false;
  /// The machine had as good as no pid left.
  bool limit_reached = false;
  bool guaranteed_died = false;
  bool burstable_died = false;
  /// Forks after the one at which pid.available fell below the threshold.
  double forks_past = 0;
  /// From that fork to the last one; milliseconds.
  double forking_past_ms = 0;
  /// From that fork until no process of the pod was left; nothing if the bench ended it.
  std::optional<double> to_gone_ms;

  /// The bomb is gone, no limit was reached, and nobody else died.
  [[nodiscard]] bool won() const;
};

/// One fork bomb from rest to its end. Errors: what stops the whole bench.
Result<BombOutcome> run_bomb(Cast& cast, const PidRoom& room);

}  // namespace evictd::bench
