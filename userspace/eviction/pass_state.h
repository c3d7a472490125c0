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

/// When and at what level the first pass was held after the last victim of a signal was sent
/// SIGKILL; a further fall is measured from here.
struct EvictionMark {
  MonoTime at{};
  std::int64_t available = 0;

  bool operator==(const EvictionMark&) const = default;
};

using FirstObserved = std::array<std::optional<MonoTime>, kMaxThresholds>;
using ConditionTimes = std::array<std::optional<MonoTime>, kConditions.size()>;

/// All that a pass remembers for the next one. Copy it to keep it, compare it to check a replay.
struct PassState {
  ConditionSet conditions;
  ConditionTimes conditions_last_observed;
  FirstObserved first_observed;
  ThresholdList past_grace;
  Observations last_observations;
  /// Since which pass each signal has been observed with the same numbers.
  std::array<std::optional<MonoTime>, kSignalCount> unchanged_since;
  std::optional<DiskLayout> layout;
  std::optional<MonoTime> watch_points_refreshed_at;
  std::array<std::optional<EvictionMark>, kSignalCount> last_evictions;
  /// The same of what the OOM guard watches, for victims that it chose.
  std::optional<EvictionMark> guard_mark;

  bool operator==(const PassState&) const = default;
};

/// What a pass that waits for its collectors goes on with. No part of the state: after a restart
/// the next pass asks for the collectors again.
struct SuspendedPass {
  std::size_t threshold = 0;
  ThresholdList met;
  ThresholdList past_grace;
  ThresholdList actionable;
  Observations observations;

  bool operator==(const SuspendedPass&) const = default;
};

}  // namespace evictd::eviction
