// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "floor.h"

namespace evictd::churn {

/// How far usage swings: as far as no charge ahead of its use hides (tests/README.md, Short
/// excursions), on both sides of the threshold.
inline constexpr Bytes kSwing{std::int64_t{16} << 20};
inline constexpr int kSwings = 100;

/// What a pod that oscillates cost evictd.
struct OscillationCost {
  Duration took{0};
  /// CPU time of evictd's threads meanwhile.
  Duration cpu{0};

  /// Of one core. Pure.
  [[nodiscard]] double percent() const;
  /// "100 swings of 16 MiB in 10.3 s; evictd used 12.0 ms, which is 0.12 % of a core"
  [[nodiscard]] std::string text() const;
};

/// Lets the first pod, a protected one, swing about the soft threshold of memory, ten times a
/// second at most, and measures evictd. To be called while no other pod comes or goes.
/// Errors: kIo when evictd or the process that swings ends before its time; kBusy when interrupted.
[[nodiscard]] Result<OscillationCost> oscillate(const Floor& floor);

}  // namespace evictd::churn
