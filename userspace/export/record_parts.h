// SPDX-License-Identifier: Apache-2.0
// The parts of a decision's record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::exporting {

/// One signal as a pass saw it. Units: the signal's (bytes, inodes or tasks).
struct RecordedObservation {
  std::string signal;
  std::int64_t available = 0;
  std::int64_t capacity = 0;
  /// Age of the reading when the pass had all readings; unset if unknown.
  std::optional<std::int64_t> age_us;
  /// "bpf" or "files".
  std::string source;
  /// How far `available` may deviate in either direction, because the kernel batches charges.
  std::int64_t error_bound = 0;
  /// For memory.available if a threshold is met: what the kernel could still allocate. Else unset.
  std::optional<std::int64_t> kernel_available = std::nullopt;
};

/// One threshold and the observation of its signal.
struct RecordedThreshold {
  std::string signal;
  /// "100Mi" or "10%".
  std::string threshold;
  /// "hard" or "soft".
  std::string hardness = "hard";
  /// How long it must be met before evictd acts, in milliseconds, rounded up; 0 for a hard
  /// threshold.
  std::int64_t grace_period_ms = 0;
  bool met = false;
  std::optional<std::int64_t> available;
  std::optional<std::int64_t> capacity;
  /// The threshold as a quantity at this capacity: met while less is available.
  std::optional<std::int64_t> met_below;
  /// Minimum reclaim: what must be available beyond the threshold; empty for none.
  std::string min_reclaim;
  /// "not_observed", "not_met", "in_grace", "stale", "past_grace" or "acted_on".
  std::string stood;
  /// How long it had been met; unset while it is not met.
  std::optional<std::int64_t> met_for_ms;
};

/// One command that frees node-level resources before a pod is evicted.
struct RecordedCollector {
  /// "containers" or "images".
  std::string collector;
  std::vector<std::string> argv;
  /// "succeeded", "failed", or "under_way" if it had not ended as far as known.
  std::string outcome;
  /// "exit status 0", "killed after its timeout", or why it could not run; empty while running.
  std::string end;
  std::optional<std::int64_t> took_ms;
  std::optional<MonoTime> ended_at;
};

/// The collectors that a pass waited for.
struct RecordedReclaim {
  /// Of the record's signal, before the collectors ran.
  std::optional<std::int64_t> available_before;
  std::vector<RecordedCollector> collectors;
};

/// memory.high of the victim, lowered for its grace period.
struct RecordedBridge {
  /// In bytes, before; unset for "max" and if it was not lowered.
  std::optional<std::int64_t> before;
  /// In bytes, since; unset if it was not lowered.
  std::optional<std::int64_t> set;
  /// Why it was not lowered, in the form of enforce::to_string(BridgeState); else empty.
  std::string not_set;
};

/// The keys that one pod was ranked by, compared from left to right; the lower one goes first.
struct RecordedSortKeys {
  /// Memory and disk: -2 without statistics, -1 above its request, else 0. Pids: 0.
  std::int64_t urgency = 0;
  std::int64_t priority = 0;
  /// Pids: -1 without statistics. Else 0.
  std::int64_t missing = 0;
  /// Usage minus request, or processes; here the higher one goes first.
  std::int64_t amount = 0;
};

/// One pod in the ranking of a pass, with its sort keys.
struct RecordedCandidate {
  /// 1 goes first; 0 was not ranked.
  std::size_t place = 0;
  std::string ns;
  std::string name;
  std::string uid;
  std::string qos;
  std::int32_t priority = 0;
  /// In the resource's unit: bytes or processes.
  std::int64_t usage = 0;
  std::int64_t request = 0;
  bool exceeds_request = false;
  /// Time stalled on memory since evictd watches the pod, and growth, both counted by the kernel
  /// side.
  std::int64_t stall_us = 0;
  std::int64_t rate_bytes_per_second = 0;
  /// Age of the reading in microseconds, and its source.
  std::int64_t reading_age_us = 0;
  std::string source;
  /// How complete the disk usage is: "part", at least this much; "none", an older value or none;
  /// "whole", everything countable. Empty for other resources.
  std::string counted;
  /// How much higher than `usage` the real usage may have been; unset if unknown.
  std::optional<std::int64_t> error_bound;
  /// The rule that passed the pod over; empty for the victim.
  std::string passed_over;
  /// The same as a phrase.
  std::string reason;
  RecordedSortKeys keys;
};

/// Usage of one container of the victim, as in the message.
struct RecordedContainer {
  std::string name;
  std::int64_t working_set_bytes = 0;
  /// Age of the sample when the pass had all readings.
  std::int64_t age_us = 0;
};

/// A limit on local storage that a pod exceeded, and the measured usage.
struct RecordedLocalStorage {
  /// "volume", "container" or "pod".
  std::string what;
  /// Name of the volume or container; empty for the pod.
  std::string name;
  std::int64_t used_bytes = 0;
  std::int64_t limit_bytes = 0;
  /// Age of the measurement when the pass had all readings.
  std::int64_t age_us = 0;
  /// "walk" or "quota".
  std::string method;
  /// False if something could not be counted: `used_bytes` is then a lower bound.
  bool complete = true;
};

/// One pod of a pass in which some pod exceeded a limit on local storage.
struct RecordedLocalCandidate {
  std::string ns;
  std::string name;
  std::string uid;
  /// The exceeded limit, as in EvictionRecord::local_limit; empty for none.
  std::string local_limit;
  /// The part that exceeded it; unset if `local_limit` is empty.
  std::optional<RecordedLocalStorage> storage;
  /// Why the pod was not evicted for it; empty for a victim.
  std::string passed_over;
  /// The same as a phrase.
  std::string reason;
};

/// One thing that a victim holds, and whether it is released.
struct RecordedRelease {
  /// "processes", "containers", "volumes", "cgroup", "data".
  std::string what;
  /// "gone", "there", "unknown"; for data also "removed", "kept", "failed".
  std::string state;
  std::optional<MonoTime> at;
};

/// One answer of the kernel to signals of the kernel side, and how often it came.
struct RecordedAnswer {
  /// 0, or an error, negative.
  std::int64_t code = 0;
  std::int64_t count = 0;
};

/// A kill that the kernel side did before evictd got the CPU.
struct RecordedKernelKill {
  std::optional<MonoTime> at;
  std::vector<RecordedAnswer> answers;
  /// Processes that it knew and did not signal: gone, moved or replaced.
  std::int64_t left_out = 0;
};

/// An event that a kubelet would have posted for this decision. All are of type "Warning".
struct RecordedEvent {
  /// "node" or "pod".
  std::string on;
  std::string reason;
  std::string message;
};

/// A condition that a kubelet would have set on the victim, with status "True".
struct RecordedPodCondition {
  std::string type;
  std::string reason;
  std::string message;
};

/// Moments on CLOCK_MONOTONIC in nanoseconds; unset if the step did not happen.
struct RecordedTimeline {
  std::optional<MonoTime> hook;
  std::optional<MonoTime> wake;
  std::optional<MonoTime> begin;
  std::optional<MonoTime> observe;
  std::optional<MonoTime> decide;
  std::optional<MonoTime> first_signal;
  std::optional<MonoTime> signal;
  std::optional<MonoTime> killed;
  std::optional<MonoTime> exited;
  std::optional<MonoTime> freed;
  /// For an escalation: SIGTERM of the eviction whose grace it cut.
  std::optional<MonoTime> grace_began;
};

}  // namespace evictd::exporting
