// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "demo/demo.h"
#include "demo/eviction_record.h"
#include "evictd/bytes.h"
#include "evictd/time.h"

namespace evictd::demo {

/// Everything that one run showed. Where not said otherwise it was seen from outside evictd.
struct Evidence {
  Scenario scenario = Scenario::kMemory;
  EventSource event_source = EventSource::kBpf;
  std::int64_t grace_seconds = 0;
  std::string expected_victim;
  /// The first pod whose process died, by its pid; empty if none did.
  std::string victim;
  /// Pods other than the victim whose process died too.
  std::int64_t other_deaths = 0;
  std::int64_t oom_kills = 0;

  /// End of the first batch at which usage, or tasks, were past the threshold; of the last one
  /// before it where that is all there is (crossing_of()).
  std::optional<MonoTime> crossing;
  /// How far below the threshold usage, or tasks, were when most of them were seen; unset where
  /// nobody counted them while the hog ran.
  std::optional<std::int64_t> short_of;
  /// The parent's waitpid returned.
  std::optional<MonoTime> exit;
  std::optional<MonoTime> freed;
  /// Largest usage less the threshold; in the pids scenario what was charged for tasks_past.
  Bytes overshoot{0};
  /// In the inodes scenario: most inodes used past the threshold.
  std::optional<std::int64_t> inodes_past;
  /// In the pids scenario: most tasks less the threshold.
  std::int64_t tasks_past = 0;
  /// In the pids scenario: what was charged a task, times `rate`.
  double bytes_per_second = 0;
  /// What the load does a second in this run and in a run of its own: bytes, or forks.
  double rate = 0;
  double unmanaged_rate = 0;
  /// Distance from the threshold to the limit; of tasks in the pids scenario.
  Bytes headroom{0};
  std::int64_t tasks_headroom = 0;

  /// What evictd says itself.
  std::optional<EvictionRecord> record;
};

enum class Outcome {
  kAsExpected,
  kWrongVictim,
  kNobodyDied,
  kOthersDied,
  kOomKill,
  kNoRecord,
  kKilledEarly,  ///< The hog was evicted although nobody saw it cross, or near enough to.
  kNotSeen,      ///< Nothing was seen of the hog before it died: nothing can be measured from.
  kHeldBack,     ///< The hog did less than half of what it does alone: the run proves nothing.
};

[[nodiscard]] Outcome judge(const Evidence& evidence);
[[nodiscard]] std::string explain(Outcome outcome, const Evidence& evidence);
[[nodiscard]] int exit_status_of(Outcome outcome);

/// Microseconds from the crossing; nothing if either did not happen.
[[nodiscard]] std::optional<double> since_crossing_us(const Evidence& evidence,
                                                      const std::optional<MonoTime>& at);

/// When evictd learned of the crossing: the kernel program's stamp, or the first reading that shows
/// it.
[[nodiscard]] std::optional<MonoTime> detection(const Evidence& evidence);

/// One JSON object on one line, with the keys that docs/demo.md lists.
[[nodiscard]] std::string to_json(const Evidence& evidence);

}  // namespace evictd::demo
