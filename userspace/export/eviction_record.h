// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"
#include "export/record_of_time.h"
#include "export/record_parts.h"

namespace evictd::exporting {

/// The schema of every line of a record file; docs/records.md says what a new number means.
inline constexpr std::int64_t kRecordSchema = 1;

/// How much of its grace a victim used: from SIGTERM, an escalation's being that of the eviction
/// that it cut, to SIGKILL or to its end, whichever came first. Nothing while neither has come;
/// zero without a grace.
[[nodiscard]] std::optional<Duration> grace_used(const RecordedTimeline& timeline);

/// Everything about one decision: what was seen, who could have gone, why this one or nobody, and
/// what happened when. Made for every eviction, and for every pass that ended otherwise than the
/// one before it. Its JSON form is described in docs/records.md.
struct EvictionRecord {
  std::uint64_t id = 0;
  WallTime at{};
  /// On which it was made; empty where that is not recorded.
  std::string node;
  /// Of the victim; empty where nobody was evicted.
  std::string ns;
  std::string name;
  std::string uid;
  /// What asked for the pass.
  std::string trigger;
  /// As eviction::to_string(Outcome) has it.
  std::string outcome;
  /// Of an escalation: the decision whose grace it cut, unset where that is not known. Of an
  /// eviction whose grace was cut: the escalation.
  std::optional<std::uint64_t> escalates;
  std::optional<std::uint64_t> escalated_by;
  /// Why a pass held or failed, as eviction::to_string(Reason) has it; else empty.
  std::string hold_reason;
  /// Empty for local storage, and where no threshold is met.
  std::string signal;
  std::string threshold;
  /// The limit on local storage that was exceeded: "emptydirfs.limit", "ephemeralpodfs.limit",
  /// "ephemeralcontainerfs.limit"; empty for node pressure.
  std::string local_limit;
  /// What of the victim exceeded it; unset for node pressure.
  std::optional<RecordedLocalStorage> local_storage;
  std::string resource;
  std::optional<std::int64_t> available;
  std::optional<std::int64_t> capacity;
  /// The collectors that the pass had waited for; unset where there were none.
  std::optional<RecordedReclaim> reclaim;
  /// How memory.available was worked out in this pass.
  std::string memory_available_source;
  bool swap_aware = false;
  bool hugepage_aware = false;
  /// A part of a second counts as one: 0 is none.
  std::int64_t grace_seconds = 0;
  /// Of an eviction or escalation whose pass is known.
  std::optional<RecordedGrace> grace;
  /// Where the pass observed what the guard watches.
  std::optional<RecordedGuard> oom_guard;
  bool dry_run = false;
  /// Evictions in the minute before, this one included, and the brake that would have held this one
  /// but for the floor; empty for none.
  std::size_t evictions_last_minute = 0;
  std::string overruled_brake;
  /// By what disk usage the victim was chosen, as eviction::to_string(DiskBasis) has it; empty
  /// where no disk was the reason.
  std::string disk_basis;
  std::string method;
  std::uint32_t processes = 0;
  /// "terminating", "killed", "exceeded_grace", "released" or "still_charged"; empty where nobody
  /// was evicted.
  std::string state;
  /// Why SIGKILL was not sent at the end of its grace: "never_evict" and the like as the protection
  /// of a pod is called, or "unreachable". Empty where it was, or is still to come.
  std::string not_killed;
  /// Bytes still charged when the last process was gone; unset before.
  std::optional<std::int64_t> remaining_bytes;
  /// Bytes still charged when they were awaited no longer; unset for a victim whose memory came
  /// back in time.
  std::optional<std::int64_t> still_charged_bytes;
  /// Tasks that were dead then and that nobody had reaped; unset as above, and without a pids
  /// cgroup.
  std::optional<std::int64_t> unreaped_tasks;
  /// As the kubelet writes them on the pod.
  std::string message;
  std::map<std::string, std::string> annotations;
  /// Of a victim of memory: its containers that are known apart from it.
  std::vector<RecordedContainer> containers;
  /// What a kubelet would have told the cluster; none for an escalation, which it does not know.
  std::vector<RecordedEvent> events;
  std::vector<RecordedPodCondition> pod_conditions;
  RecordedTimeline timeline;
  /// Conditions reported after the pass: "MemoryPressure".
  std::vector<std::string> conditions;
  std::vector<RecordedObservation> observations;
  std::vector<RecordedThreshold> thresholds;
  std::vector<RecordedCandidate> ranking;
  /// Every pod of the pass; empty where none exceeded a limit on local storage.
  std::vector<RecordedLocalCandidate> local_candidates;
  /// What is awaited before the next disk eviction; empty for others.
  std::vector<RecordedRelease> release;
  /// Purpose to the hook in use.
  std::map<std::string, std::string> hooks;

  /// Whether somebody was evicted, or lost what was left of a grace.
  [[nodiscard]] bool has_victim() const { return !state.empty(); }
};

/// EvictionRecord::state of a victim that is gone and whose memory did not come back in time.
inline constexpr std::string_view kStillCharged = "still_charged";

/// The same in words: "killed, 88 MiB still charged to its cgroup by files in memory".
[[nodiscard]] std::string still_charged_text(std::int64_t bytes);

/// EvictionRecord::not_killed as a sentence: "SIGKILL was not sent: neverEvict names it now".
[[nodiscard]] std::string not_killed_text(std::string_view not_killed);

/// The same of a dry run: "SIGKILL would not have been sent: neverEvict names it now".
[[nodiscard]] std::string not_killed_in_dry_run_text(std::string_view not_killed);

[[nodiscard]] nlohmann::ordered_json to_json(const EvictionRecord& record);

/// Reads what to_json() wrote; members it does not know are skipped.
/// Errors: kMalformed naming the member ("ranking[2].usage: not a whole number"); kUnsupported for
/// a newer schema.
[[nodiscard]] Result<EvictionRecord> record_from_json(const nlohmann::ordered_json& json);

}  // namespace evictd::exporting
