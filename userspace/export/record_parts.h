// SPDX-License-Identifier: Apache-2.0
// What a record of a decision is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::exporting {

/// One signal as a pass saw it. Units: bytes, inodes or tasks, as the signal has.
struct RecordedObservation {
  std::string signal;
  std::int64_t available = 0;
  std::int64_t capacity = 0;
  /// How old the reading was when the pass had all of them; unset if its age is not known.
  std::optional<std::int64_t> age_us;
  /// "bpf" or "files".
  std::string source;
  /// By how much `available` may be wrong either way because of what the kernel holds back.
  std::int64_t error_bound = 0;
  /// Of memory.available once a threshold is met: what the kernel could still give. Else unset.
  std::optional<std::int64_t> kernel_available = std::nullopt;
};

/// One threshold beside what was seen of its signal.
struct RecordedThreshold {
  std::string signal;
  /// "100Mi" or "10%".
  std::string threshold;
  /// "hard" or "soft".
  std::string hardness = "hard";
  /// For how long it must be met before it is acted on, in milliseconds, a part of one counted as
  /// one; 0 for a hard one.
  std::int64_t grace_period_ms = 0;
  bool met = false;
  std::optional<std::int64_t> available;
  std::optional<std::int64_t> capacity;
  /// The amount that it stands for at this capacity: met while less is available.
  std::optional<std::int64_t> met_below;
  /// What must be available beyond that before it is over; empty for none.
  std::string min_reclaim;
  /// "not_observed", "not_met", "in_grace", "stale", "past_grace" or "acted_on".
  std::string stood;
  /// For how long it had been met; unset while it is not.
  std::optional<std::int64_t> met_for_ms;
};

/// One command that was to free node-level resources before a pod had to go.
struct RecordedCollector {
  /// "containers" or "images".
  std::string collector;
  std::vector<std::string> argv;
  /// "succeeded", "failed" or "under_way", where it was not known to have ended.
  std::string outcome;
  /// "exit status 0", "killed after its timeout", or why it could not be run; empty under way.
  std::string end;
  std::optional<std::int64_t> took_ms;
  std::optional<MonoTime> ended_at;
};

/// The collectors that a pass had waited for.
struct RecordedReclaim {
  /// Of the record's signal, as it was seen before they ran.
  std::optional<std::int64_t> available_before;
  std::vector<RecordedCollector> collectors;
};

/// What one pod was ranked by; the lesser one goes first, compared from left to right.
struct RecordedSortKeys {
  /// Memory and disk: -2 without statistics, -1 above its request, else 0. Pids: 0.
  std::int64_t urgency = 0;
  std::int64_t priority = 0;
  /// Pids: -1 without statistics. Else 0.
  std::int64_t missing = 0;
  /// Usage less request, or processes; here more goes first.
  std::int64_t amount = 0;
};

/// One pod in the ranking of a pass, with what it was ranked by.
struct RecordedCandidate {
  /// 1 goes first; 0 was not ranked.
  std::size_t place = 0;
  std::string ns;
  std::string name;
  std::string uid;
  std::string qos;
  std::int32_t priority = 0;
  /// Bytes or processes, as the resource is measured.
  std::int64_t usage = 0;
  std::int64_t request = 0;
  bool exceeds_request = false;
  /// Time lost to memory since the pod is watched, and its growth, as the kernel side counts them.
  std::int64_t stall_us = 0;
  std::int64_t rate_bytes_per_second = 0;
  /// Age of the reading in microseconds, and whence it came.
  std::int64_t reading_age_us = 0;
  std::string source;
  /// Of disk usage that was being measured: "part", at least so much; "none", an older number, or
  /// nothing. "whole" for all that could be counted; empty where usage is not of disks.
  std::string counted;
  /// How much more than `usage` it may have been then, as far as is known; unset: nobody knows.
  std::optional<std::int64_t> error_bound;
  /// Why it was not the one: the rule that passed it over; empty for the victim.
  std::string passed_over;
  /// The same in words.
  std::string reason;
  RecordedSortKeys keys;
};

/// What a container of the victim used, as the message has it.
struct RecordedContainer {
  std::string name;
  std::int64_t working_set_bytes = 0;
  /// How old the sample was when the pass had all readings.
  std::int64_t age_us = 0;
};

/// A limit on local storage that a pod exceeded, and what was measured against it.
struct RecordedLocalStorage {
  /// "volume", "container" or "pod".
  std::string what;
  /// Of the volume or the container; empty for the pod.
  std::string name;
  std::int64_t used_bytes = 0;
  std::int64_t limit_bytes = 0;
  /// How old the measurement was when the pass had all readings.
  std::int64_t age_us = 0;
  /// "walk" or "quota".
  std::string method;
  /// False: something could not be counted, so that at least so much was used.
  bool complete = true;
};

/// One pod of a pass in which some pod exceeded a limit on local storage.
struct RecordedLocalCandidate {
  std::string ns;
  std::string name;
  std::string uid;
  /// The limit that it exceeded, as EvictionRecord::local_limit has it; empty for none.
  std::string local_limit;
  /// What of it exceeded that; unset with an empty limit.
  std::optional<RecordedLocalStorage> storage;
  /// Why it was not evicted for that; empty for a victim.
  std::string passed_over;
  /// The same in words.
  std::string reason;
};

/// One thing that a victim holds, and whether it is gone.
struct RecordedRelease {
  /// "processes", "containers", "volumes", "cgroup", "data".
  std::string what;
  /// "gone", "there", "unknown"; for data also "removed", "kept", "failed".
  std::string state;
  std::optional<MonoTime> at;
};

/// An event as a kubelet would have posted it for this decision. All are of type "Warning".
struct RecordedEvent {
  /// "node" or "pod".
  std::string on;
  std::string reason;
  std::string message;
};

/// A condition as a kubelet would have set it on the victim, with status "True".
struct RecordedPodCondition {
  std::string type;
  std::string reason;
  std::string message;
};

/// When what happened, on CLOCK_MONOTONIC in nanoseconds; unset for what did not happen.
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
  /// Of an escalation: SIGTERM, sent by the eviction whose grace it cut.
  std::optional<MonoTime> grace_began;
};

}  // namespace evictd::exporting
