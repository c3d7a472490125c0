// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "cast/cast.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"
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

/// What one trial showed, the second after the hog's end included. Times are milliseconds to that
/// end as its parent saw it.
struct RaceOutcome {
  HogEnd end = HogEnd::kSurvived;
  /// Nothing if it survived.
  std::optional<MonoTime> hog_died_at;
  bool guaranteed_died = false;
  bool burstable_died = false;
  /// Of the whole machine. Source: oom_kill of /proc/vmstat.
  std::int64_t oom_kills = 0;
  /// MemAvailable of /proc/meminfo, the kernel's own estimate.
  Bytes lowest_available;
  /// memory.available as a kubelet has it. Source: the observer.
  Bytes lowest_kubelet_available;
  /// When the hog was let go. Source: /proc/meminfo.
  Bytes swap_used_at_start;
  /// From MemAvailable below the threshold of each row of the run, in their order, the same for
  /// every racer; nothing if the hog was dead before.
  std::vector<std::optional<double>> from_crossing_ms;
  /// From MemAvailable < 10 %.
  std::optional<double> from_short_ms;

  /// The hog was evicted, nobody else died, and the OOM killer did nothing.
  [[nodiscard]] bool won() const;
};

/// Processes that the kernel's OOM killer took since the machine was booted. Source: /proc/vmstat.
[[nodiscard]] Result<std::int64_t> machine_oom_kills();

/// One hog from rest to a second after its end, with the contestant of `run` running.
/// Errors: what makes the trial void: no cgroup, no process, a hog that ended by itself.
Result<RaceOutcome> run_race(const RaceRun& run, Cast& cast, Observer& observer,
                             MemoryWitness& witness, Bytes capacity);

}  // namespace evictd::bench
