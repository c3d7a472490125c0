// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::exporting {

/// One signal as a pass saw it, beside the threshold it was compared with.
struct RecordedThreshold {
  std::string signal;
  /// "100Mi" or "10%".
  std::string threshold;
  std::int64_t grace_period_seconds = 0;
  bool met = false;
  std::optional<std::int64_t> available;
  std::optional<std::int64_t> capacity;
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
  /// Why it was not the one: the rule that passed it over; empty for the victim.
  std::string passed_over;
  /// The same in words.
  std::string reason;
};

/// When what happened, on CLOCK_MONOTONIC in nanoseconds; unset for what did not happen.
struct RecordedTimeline {
  std::optional<MonoTime> hook;
  std::optional<MonoTime> wake;
  std::optional<MonoTime> observe;
  std::optional<MonoTime> decide;
  std::optional<MonoTime> signal;
  std::optional<MonoTime> killed;
  std::optional<MonoTime> exited;
  std::optional<MonoTime> freed;
};

/// Everything about one eviction: what was seen, who could have gone, why this one, and what
/// happened when. Its JSON form is described in docs/records.md.
struct EvictionRecord {
  std::uint64_t id = 0;
  WallTime at{};
  std::string ns;
  std::string name;
  std::string uid;
  /// What asked for the pass.
  std::string trigger;
  std::string outcome;
  std::string signal;
  std::string threshold;
  std::string resource;
  std::optional<std::int64_t> available;
  std::optional<std::int64_t> capacity;
  /// How memory.available was worked out in this pass.
  std::string memory_available_source;
  bool swap_aware = false;
  bool hugepage_aware = false;
  std::int64_t grace_seconds = 0;
  bool dry_run = false;
  /// Evictions in the minute before, this one included, and the brake that would have held this one
  /// but for the floor; empty for none.
  std::size_t evictions_last_minute = 0;
  std::string overruled_brake;
  std::string method;
  std::uint32_t processes = 0;
  /// "terminating", "killed", "exceeded_grace" or "released".
  std::string state;
  /// Bytes still charged when the last process was gone; unset before.
  std::optional<std::int64_t> remaining_bytes;
  /// As the kubelet writes them on the pod.
  std::string message;
  std::map<std::string, std::string> annotations;
  RecordedTimeline timeline;
  std::vector<RecordedThreshold> thresholds;
  std::vector<RecordedCandidate> ranking;
  /// Purpose to the hook in use.
  std::map<std::string, std::string> hooks;
};

[[nodiscard]] nlohmann::ordered_json to_json(const EvictionRecord& record);

}  // namespace evictd::exporting
