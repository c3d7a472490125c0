// SPDX-License-Identifier: Apache-2.0
// What keeps us from doing harm when something is wrong: with the numbers, with ourselves, or with
// the moment. An argument of the pass; without it no brake exists.
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

/// Evictions are counted over this long.
inline constexpr Duration kRateWindow = std::chrono::minutes(1);

/// After an observation that nothing explains the next look is this far away: one reading that was
/// torn costs a hog at 10 GiB/s no more than 10 MiB.
inline constexpr Duration kLookAgainAfterJump = std::chrono::milliseconds(1);
/// The same for numbers that contradict themselves, which a second look seldom mends.
inline constexpr Duration kLookAgainAfterNonsense = std::chrono::milliseconds(100);
/// Statistics that stood still when a victim's memory was freed are waited for no longer than the
/// kubelet waits for the release itself.
inline constexpr Duration kStuckWait = std::chrono::seconds(30);

/// Which signals may not be acted on, and until when; the epoch is not paused.
struct Pauses {
  MonoTime all{};
  std::array<MonoTime, kSignalCount> by_signal{};

  /// The end of what pauses `signal` at `now`, the later of two; a pause is over at its end.
  [[nodiscard]] std::optional<MonoTime> until(Signal signal, MonoTime now) const;
  /// The same for what pauses a threshold: what it was made from is held with it.
  [[nodiscard]] std::optional<MonoTime> until(const Threshold& threshold, MonoTime now) const;
  bool operator==(const Pauses&) const = default;
};

/// Faster than this no use can grow, whatever runs. What is beyond it was misread.
struct GrowthLimits {
  /// More than all CPUs of the machine can zero. 0: memory is not judged.
  Bytes memory_per_second{0};
  /// Clones on every CPU at once, several times over.
  std::int64_t tasks_per_second = 10'000'000;
  /// More than the devices of a filesystem can write. 0: disks are not judged.
  Bytes disk_per_second{0};
  /// What a filesystem counts as used that is still in the page cache.
  Bytes disk_ahead{0};
  /// Bytes and inodes that grew by more than one such part of the capacity are looked at twice,
  /// however long ago the observation before was: in ten seconds a machine can fill itself, so that
  /// rates alone believe every number. 0: rates alone judge.
  std::int64_t capacity_part = 0;
  bool operator==(const GrowthLimits&) const = default;
};

/// What a machine can do, as measured and counted.
struct Machine {
  /// Of one CPU.
  Bytes zeroed_per_second{0};
  std::int64_t cpus = 1;
  Bytes memory{0};
};
/// Limits that are beyond `machine`.
[[nodiscard]] GrowthLimits growth_limits_of(const Machine& machine);

struct Brakes {
  /// 0: as many as it takes.
  std::size_t max_evictions_per_minute = 0;
  /// When evictions were begun, oldest first; those older than kRateWindow do not count.
  std::span<const MonoTime> recent;
  Pauses pauses;
  GrowthLimits growth;
  /// When memory of an earlier victim, enough to be seen, was last known to be free.
  std::optional<MonoTime> released_at;
  /// The same of one below the pod root: the only one that the pod root's own use must fall for.
  std::optional<MonoTime> released_below_pod_root_at;
};

/// kNoCapacity or kAboveCapacity for numbers that contradict themselves, else kNone.
[[nodiscard]] Reason doubt_about(const Observation& seen);

/// kUnexplainedJump if use of memory or tasks grew, or what a filesystem has left fell, between two
/// observations by more than time and capacity allow, else kNone.
/// What is available may rise at will: a process that ends frees any amount at once. fallocate(2)
/// takes any amount at once too, and a filesystem may be made smaller: the next observation
/// confirms both. Observations without a time explain everything.
[[nodiscard]] Reason doubt_about_jump(Signal signal, const Observation& seen,
                                      const Observation& before, const GrowthLimits& limits);

/// kStatisticsStuck if a memory signal has been the same to the byte since before a victim's memory
/// was freed that it counts, else kNone. Never where nothing at all is available: a second hog at
/// the same limit brings that number back.
[[nodiscard]] Reason doubt_about_rest(Signal signal, const Observation& seen,
                                      std::optional<MonoTime> unchanged_since, const Brakes& brakes,
                                      MonoTime now);

/// How many evictions the brakes leave at `now`; nothing if they set no limit.
[[nodiscard]] std::optional<std::size_t> evictions_left(const Brakes& brakes, MonoTime now);
/// When the next one becomes free, while none is left.
[[nodiscard]] std::optional<MonoTime> next_allowance(const Brakes& brakes, MonoTime now);

}  // namespace evictd::eviction
