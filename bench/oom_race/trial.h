// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cast/cast.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "observer/observer.h"
#include "oom_race/memory_witness.h"
#include "oom_race/plan.h"

namespace evictd::bench {

/// How the hog of one trial ended.
enum class HogEnd {
  kEvicted,  ///< Killed, and not by the kernel's OOM killer.
  kOomKilled,
  kSurvived,  ///< Nobody killed it within the trial's time; the bench did.
};

/// What one trial showed. Times are milliseconds to the hog's end as its parent saw it.
struct RaceOutcome {
  HogEnd end = HogEnd::kSurvived;
  bool guaranteed_died = false;
  bool burstable_died = false;
  /// Of the whole machine. Source: oom_kill of /proc/vmstat.
  std::int64_t oom_kills = 0;
  /// MemAvailable of /proc/meminfo, the kernel's own estimate.
  Bytes lowest_available;
  /// memory.available as a kubelet has it. Source: the observer.
  Bytes lowest_kubelet_available;
  /// From the observer's crossing of the row's threshold of memory.available; nothing if the hog
  /// was dead before.
  std::optional<double> from_crossing_ms;
  /// From MemAvailable < 10 %.
  std::optional<double> from_short_ms;

  /// The hog was evicted, nobody else died, and the OOM killer did nothing.
  [[nodiscard]] bool won() const;
};

/// One hog from rest to its end, with the contestant of `row` running.
/// Errors: what stops the whole bench: no cgroup, no process.
Result<RaceOutcome> run_race(const RaceRow& row, Cast& cast, Observer& observer,
                             MemoryWitness& witness, Bytes capacity);

}  // namespace evictd::bench
