// SPDX-License-Identifier: Apache-2.0
// Brakes: limits that hold evictions back if readings are doubtful, too many pods are evicted, or
// an operator pauses evictd. An argument of the pass; without it there are no brakes.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "evictd/bytes.h"
#include "evictd/time.h"
#include "eviction/decision.h"
#include "eviction/observation.h"
#include "eviction/signal.h"
#include "eviction/threshold.h"

namespace evictd::eviction {

/// Window over which evictions are counted.
inline constexpr Duration kRateWindow = std::chrono::minutes(1);

/// Delay of the next reading after an unexplained observation. A hog at 10 GiB/s gains at most
/// 10 MiB from one torn reading.
inline constexpr Duration kLookAgainAfterJump = std::chrono::milliseconds(1);
/// The same for numbers that contradict themselves; a second reading rarely corrects them.
inline constexpr Duration kLookAgainAfterNonsense = std::chrono::milliseconds(100);
/// Longest wait for statistics that did not change after a victim's memory was freed. Equals the
/// kubelet's wait for the release itself.
inline constexpr Duration kStuckWait = std::chrono::seconds(30);

/// Paused signals and the end of each pause. The epoch: not paused.
struct Pauses {
  MonoTime all{};
  std::array<MonoTime, kSignalCount> by_signal{};

  /// When the pause of `signal` that is in force at `now` ends: the later of the two. A pause no
  /// longer holds at its end.
  [[nodiscard]] std::optional<MonoTime> until(Signal signal, MonoTime now) const;
  /// The same for a threshold. A pause of the signal that it was derived from holds it too.
  [[nodiscard]] std::optional<MonoTime> until(const Threshold& threshold, MonoTime now) const;
  bool operator==(const Pauses&) const = default;
};

/// Upper bounds on the growth of usage. A faster reading was misread.
struct GrowthLimits {
  /// More than all CPUs of the machine can zero. 0: memory is not checked.
  Bytes memory_per_second{0};
  /// Several times what clones on all CPUs reach.
  std::int64_t tasks_per_second = 10'000'000;
  /// More than the devices of a filesystem can write. 0: disks are not checked.
  Bytes disk_per_second{0};
  /// Bytes that a filesystem counts as used while they are still in the page cache.
  Bytes disk_ahead{0};
  /// Growth of bytes or inodes by more than 1/capacity_part of the capacity needs a second reading,
  /// however old the previous observation is. A machine can fill itself in ten seconds, so that
  /// rates alone would accept every number. 0: only rates are checked.
  std::int64_t capacity_part = 0;
  bool operator==(const GrowthLimits&) const = default;
};

/// Measured speed and size of the machine.
struct Machine {
  /// By one CPU.
  Bytes zeroed_per_second{0};
  std::int64_t cpus = 1;
  Bytes memory{0};
};
/// Limits that `machine` cannot reach.
[[nodiscard]] GrowthLimits growth_limits_of(const Machine& machine);

struct Brakes {
  /// 0: no limit.
  std::size_t max_evictions_per_minute = 0;
  /// Start times of evictions, oldest first. Those older than kRateWindow do not count.
  std::span<const MonoTime> recent;
  Pauses pauses;
  GrowthLimits growth;
  /// When an earlier victim's memory, enough to be visible, was last known to be free.
  std::optional<MonoTime> released_at;
  /// The same for victims below the pod root: only these must lower the pod root's usage.
  std::optional<MonoTime> released_below_pod_root_at;
};

/// kNoCapacity or kAboveCapacity if the numbers contradict themselves, else kNone.
[[nodiscard]] Reason doubt_about(const Observation& seen);

/// kUnexplainedJump if memory or task usage grew, or a filesystem's free space fell, between two
/// observations by more than time and capacity allow. Else kNone.
/// Rises of the available value are always plausible: an exiting process frees any number of bytes
/// at once. fallocate(2) also takes any number of bytes at once, and a filesystem may shrink; the
/// next observation confirms both. Observations without a time are always plausible.
[[nodiscard]] Reason doubt_about_jump(Signal signal, const Observation& seen,
                                      const Observation& before, const GrowthLimits& limits);

/// kStatisticsStuck if a memory signal is the same to the byte since before the memory of a victim
/// that it counts was freed. Else kNone. Never if nothing at all is available: a second hog at the
/// same limit reproduces that number.
[[nodiscard]] Reason doubt_about_rest(Signal signal, const Observation& seen,
                                      std::optional<MonoTime> unchanged_since, const Brakes& brakes,
                                      MonoTime now);

/// How many evictions the brakes still allow at `now`; nullopt without a limit.
[[nodiscard]] std::optional<std::size_t> evictions_left(const Brakes& brakes, MonoTime now);
/// When the next eviction is allowed, if none is left.
[[nodiscard]] std::optional<MonoTime> next_allowance(const Brakes& brakes, MonoTime now);

}  // namespace evictd::eviction
