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

/// The grace that a victim used: from SIGTERM until SIGKILL or its exit, whichever came first. For
/// an escalation, SIGTERM is the one of the eviction that it cut. nullopt while neither has
/// happened; zero without a grace period.
[[nodiscard]] std::optional<Duration> grace_used(const RecordedTimeline& timeline);

/// One decision: what was observed, the candidates, why this victim or none, and when everything
/// happened. Created for every eviction, and for every pass whose outcome differs from the previous
/// pass. docs/records.md describes its JSON form.
struct EvictionRecord {
  std::uint64_t id = 0;
  WallTime at{};
  /// Node of the decision; empty if not recorded.
  std::string node;
  /// The victim's; empty if no pod was evicted.
  std::string ns;
  std::string name;
  std::string uid;
  /// The event that triggered the pass.
  std::string trigger;
  /// In the form of eviction::to_string(Outcome).
  std::string outcome;
  /// For an escalation: the decision whose grace it cut; unset if unknown. For an eviction whose
  /// grace was cut: the escalation.
  std::optional<std::uint64_t> escalates;
  std::optional<std::uint64_t> escalated_by;
  /// Why a pass held or failed, in the form of eviction::to_string(Reason); else empty.
  std::string hold_reason;
  /// Empty for local storage, and if no threshold is met.
  std::string signal;
  std::string threshold;
  /// The exceeded limit on local storage: "emptydirfs.limit", "ephemeralpodfs.limit",
  /// "ephemeralcontainerfs.limit"; empty for node pressure.
  std::string local_limit;
  /// The part of the victim that exceeded it; unset for node pressure.
  std::optional<RecordedLocalStorage> local_storage;
  std::string resource;
  std::optional<std::int64_t> available;
  std::optional<std::int64_t> capacity;
  /// By how much `available` fell a second; 0 if it did not. Unset if unknown.
  std::optional<std::int64_t> rate;
  /// The pod because of which it fell; unset if no pod was.
  std::optional<RecordedCause> because_of;
  /// The collectors that the pass waited for; unset if there were none.
  std::optional<RecordedReclaim> reclaim;
  /// How this pass computed memory.available.
  std::string memory_available_source;
  bool swap_aware = false;
  bool hugepage_aware = false;
  /// Rounded up to whole seconds: only 0 means none.
  std::int64_t grace_seconds = 0;
  /// Of an eviction or escalation whose pass is known.
  std::optional<RecordedGrace> grace;
  /// Set if the growth of the victim was to be throttled in its grace period.
  std::optional<RecordedBridge> bridge;
  /// Set if the pass observed the OOM guard's inputs.
  std::optional<RecordedGuard> oom_guard;
  bool dry_run = false;
  /// Evictions in the last minute, including this one; and the brake that would have held this one
  /// if the floor did not override it, empty for none.
  std::size_t evictions_last_minute = 0;
  std::string overruled_brake;
  /// The kind of disk usage that the victim was chosen by, in the form of
  /// eviction::to_string(DiskBasis); empty if no disk was the reason.
  std::string disk_basis;
  std::string method;
  std::uint32_t processes = 0;
  /// Set if the kernel side killed first.
  std::optional<RecordedKernelKill> kernel_kill;
  /// "terminating", "killed", "exceeded_grace", "released" or "still_charged"; empty if no pod was
  /// evicted.
  std::string state;
  /// Why SIGKILL was not sent at the end of the grace period: a pod protection such as
  /// "never_evict", or "unreachable". Empty if it was sent or is still to come.
  std::string not_killed;
  /// Bytes still charged when the last process had exited; unset before.
  std::optional<std::int64_t> remaining_bytes;
  /// Bytes still charged when evictd stopped waiting for them; unset if the memory was freed in
  /// time.
  std::optional<std::int64_t> still_charged_bytes;
  /// Dead tasks that had not been reaped then; unset as above, and without a pids cgroup.
  std::optional<std::int64_t> unreaped_tasks;
  /// The pod's status message and annotations, as the kubelet writes them.
  std::string message;
  std::map<std::string, std::string> annotations;
  /// For a memory eviction: the victim's containers that are measured separately.
  std::vector<RecordedContainer> containers;
  /// What a kubelet would have reported to the API server; empty for an escalation, which the
  /// kubelet does not have.
  std::vector<RecordedEvent> events;
  std::vector<RecordedPodCondition> pod_conditions;
  RecordedTimeline timeline;
  /// Conditions reported after the pass: "MemoryPressure".
  std::vector<std::string> conditions;
  std::vector<RecordedObservation> observations;
  std::vector<RecordedThreshold> thresholds;
  std::vector<RecordedCandidate> ranking;
  /// Every pod of the pass; empty if none exceeded a limit on local storage.
  std::vector<RecordedLocalCandidate> local_candidates;
  /// What must be released before the next disk eviction; empty for others.
  std::vector<RecordedRelease> release;
  /// Purpose -> hook in use.
  std::map<std::string, std::string> hooks;

  /// Whether a pod was evicted, or lost the rest of its grace.
  [[nodiscard]] bool has_victim() const { return !state.empty(); }
};

/// EvictionRecord::state of a victim that is gone but whose memory was not freed in time.
inline constexpr std::string_view kStillCharged = "still_charged";

/// As a phrase: "killed, 88 MiB still charged to its cgroup by files in memory".
[[nodiscard]] std::string still_charged_text(std::int64_t bytes);

/// As a phrase: "its memory.high was lowered from max to 70 MiB", or why it was not.
[[nodiscard]] std::string bridge_text(const RecordedBridge& bridge);

/// EvictionRecord::not_killed as a sentence: "SIGKILL was not sent: neverEvict names it now".
[[nodiscard]] std::string not_killed_text(std::string_view not_killed);

/// The same for a dry run: "SIGKILL would not have been sent: neverEvict names it now".
[[nodiscard]] std::string not_killed_in_dry_run_text(std::string_view not_killed);

[[nodiscard]] nlohmann::ordered_json to_json(const EvictionRecord& record);

/// As in a record; null if unset.
[[nodiscard]] nlohmann::ordered_json to_json(const std::optional<RecordedCause>& cause);

/// Parses what to_json() wrote; skips unknown members.
/// Errors: kMalformed with the member ("ranking[2].usage: not a whole number"); kUnsupported for a
/// newer schema.
[[nodiscard]] Result<EvictionRecord> record_from_json(const nlohmann::ordered_json& json);

}  // namespace evictd::exporting
