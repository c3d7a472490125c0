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

/// The evidence of one run. Observed from outside evictd unless stated otherwise.
struct Evidence {
  Scenario scenario = Scenario::kMemory;
  EventSource event_source = EventSource::kBpf;
  std::int64_t grace_seconds = 0;
  std::string expected_victim;
  /// The first pod whose process died, by its pid; empty if none did.
  std::string victim;
  /// Pods other than the victim whose process also died.
  std::int64_t other_deaths = 0;
  std::int64_t oom_kills = 0;

  /// End of the first batch that ended with usage, or tasks, past the threshold. If there is none:
  /// end of the last batch before it (crossing_of()).
  std::optional<MonoTime> crossing;
  /// How far below the threshold the highest observed usage, or number of tasks, was; unset if
  /// nothing counted them while the hog ran.
  std::optional<std::int64_t> short_of;
  /// When the parent's waitpid returned.
  std::optional<MonoTime> exit;
  std::optional<MonoTime> freed;
  /// Highest usage minus the threshold; in the pids scenario the memory charged for tasks_past.
  Bytes overshoot{0};
  /// In the inodes scenario: most inodes used past the threshold.
  std::optional<std::int64_t> inodes_past;
  /// In the pids scenario: most tasks minus the threshold.
  std::int64_t tasks_past = 0;
  /// In the pids scenario: memory charged per task, times `rate`.
  double bytes_per_second = 0;
  /// Units per second of the load in this run, and in a separate run: bytes or forks.
  double rate = 0;
  double unmanaged_rate = 0;
  /// Distance from the threshold to the limit; of tasks in the pids scenario.
  Bytes headroom{0};
  std::int64_t tasks_headroom = 0;

  /// evictd's own record.
  std::optional<EvictionRecord> record;
};

enum class Outcome {
  kAsExpected,
  kWrongVictim,
  kNobodyDied,
  kOthersDied,
  kOomKill,
  kNoRecord,
  kKilledEarly,  ///< The hog was evicted, but was never seen at or near the crossing.
  kNotSeen,      ///< The hog died before it was observed: there is nothing to measure from.
  kHeldBack,     ///< The hog did less than half of its rate alone: the run proves nothing.
};

[[nodiscard]] Outcome judge(const Evidence& evidence);
[[nodiscard]] std::string explain(Outcome outcome, const Evidence& evidence);
[[nodiscard]] int exit_status_of(Outcome outcome);

/// Microseconds since the crossing; nullopt if either moment is missing.
[[nodiscard]] std::optional<double> since_crossing_us(const Evidence& evidence,
                                                      const std::optional<MonoTime>& at);

/// When evictd detected the crossing: the kernel program's stamp, or the first reading past it.
[[nodiscard]] std::optional<MonoTime> detection(const Evidence& evidence);

/// One JSON object on one line, with the keys listed in docs/demo.md.
[[nodiscard]] std::string to_json(const Evidence& evidence);

}  // namespace evictd::demo
