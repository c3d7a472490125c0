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

/// How the hog of one trial died.
enum class HogEnd {
  kEvicted,  ///< Killed, and not by the kernel's OOM killer.
  kOomKilled,
  kSurvived,  ///< Not killed within the trial's time; the bench killed it.
};

/// Results of one trial, including the second after the hog's death. Times are milliseconds up to
/// its death as its parent saw it.
struct RaceOutcome {
  HogEnd end = HogEnd::kSurvived;
  /// nullopt if it survived.
  std::optional<MonoTime> hog_died_at;
  bool guaranteed_died = false;
  bool burstable_died = false;
  /// Of the whole machine. Source: oom_kill of /proc/vmstat.
  std::int64_t oom_kills = 0;
  /// MemAvailable of /proc/meminfo, the kernel's own estimate.
  Bytes lowest_available;
  /// memory.available by the kubelet's definition. Source: the observer.
  Bytes lowest_kubelet_available;
  /// At the start of the hog. Source: /proc/meminfo.
  Bytes swap_used_at_start;
  /// Since MemAvailable fell below the threshold of each row of the run, in their order, measured
  /// in the same way for every racer; nullopt if the hog died before.
  std::vector<std::optional<double>> from_crossing_ms;
  /// Since MemAvailable < 10 %.
  std::optional<double> from_short_ms;

  /// The hog was evicted, no other pod died, and the OOM killer killed nothing.
  [[nodiscard]] bool won() const;
};

/// Processes that the kernel's OOM killer killed since boot. Source: /proc/vmstat.
[[nodiscard]] Result<std::int64_t> machine_oom_kills();

/// Runs one hog until a second after its death, against the contestant of `run`.
/// Errors: those that make the trial void: no cgroup, no process, a hog that exited by itself.
Result<RaceOutcome> run_race(const RaceRun& run, Cast& cast, Observer& observer,
                             MemoryWitness& witness, Bytes capacity);

}  // namespace evictd::bench
