// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "eviction/disk_layout.h"
#include "eviction/observation.h"
#include "eviction/signal.h"
#include "eviction/threshold_table.h"

namespace evictd::eviction {

/// Time and level of the first held pass after the last victim of a signal got SIGKILL. A further
/// fall is measured from here.
struct EvictionMark {
  MonoTime at{};
  std::int64_t available = 0;

  bool operator==(const EvictionMark&) const = default;
};

using FirstObserved = std::array<std::optional<MonoTime>, kMaxThresholds>;
using ConditionTimes = std::array<std::optional<MonoTime>, kConditions.size()>;

/// Everything that a pass remembers for the next one. Copyable to save it, comparable to check a
/// replay.
struct PassState {
  ConditionSet conditions;
  ConditionTimes conditions_last_observed;
  FirstObserved first_observed;
  ThresholdList past_grace;
  Observations last_observations;
  /// The pass since which each signal has had the same numbers.
  std::array<std::optional<MonoTime>, kSignalCount> unchanged_since;
  std::optional<DiskLayout> layout;
  std::optional<MonoTime> watch_points_refreshed_at;
  std::array<std::optional<EvictionMark>, kSignalCount> last_evictions;
  /// The same for the reserve that the OOM guard watches, for victims that it chose.
  std::optional<EvictionMark> guard_mark;

  bool operator==(const PassState&) const = default;
};

/// What resume() continues with. Not part of the state: after a restart the next pass requests the
/// collectors again.
struct SuspendedPass {
  std::size_t threshold = 0;
  ThresholdList met;
  ThresholdList past_grace;
  ThresholdList actionable;
  Observations observations;

  bool operator==(const SuspendedPass&) const = default;
};

}  // namespace evictd::eviction
