// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/eviction_times.h"
#include "engine/operator_wishes.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "eviction/pass_state.h"
#include "eviction/threshold_table.h"

namespace evictd::daemon {

/// Identity of the system that a state describes. A state of another origin is useless.
struct StateOrigin {
  /// Content of /proc/sys/kernel/random/boot_id, followed by the offset of a time namespace:
  /// moments of the monotonic clock have no meaning beyond either. As clock_name() gives it.
  std::string boot_id;
  /// Path of the pod root, and its id, which changes if the directory is created again.
  std::string pod_root;
  std::uint64_t pod_root_id = 0;

  bool operator==(const StateOrigin&) const = default;
};

/// A threshold that was met, with the fields that identify it to a kubelet.
struct SavedThreshold {
  std::string signal;
  std::string value;
  Duration grace_period{};
  MonoTime first_observed{};
  bool past_grace = false;

  bool operator==(const SavedThreshold&) const = default;
};

/// When and at what level the last victim of a signal was chosen.
struct SavedMark {
  std::string signal;
  eviction::EvictionMark mark;

  bool operator==(const SavedMark&) const = default;
};

/// A pod that was signalled and is not gone yet, or whose disk, dead tasks or memory are awaited.
struct SavedEviction {
  std::string uid;
  CgroupId pod;
  // For its record, if a killed evictd had not written it.
  std::string ns;
  std::string name;
  /// The signal acted on; empty for a limit on local storage, which is then in `local_limit`.
  std::string signal;
  std::string threshold;
  std::string local_limit;
  /// The last step cut its grace period.
  bool escalated = false;

  bool hard = true;
  bool killed = false;
  MonoTime began_at{};
  MonoTime kill_due_at{};
  /// The epoch if it was not killed.
  MonoTime killed_at{};
  /// For a disk or a limit on local storage: its disk usage is awaited too.
  bool for_disk = false;
  bool below_pod_root = false;
  /// Its last process is gone; `killed_at` is the time of that if it was not killed.
  bool gone = false;

  bool operator==(const SavedEviction&) const = default;
};

/// Everything that a restarted evictd resumes from; docs/state.md describes each item.
struct SavedState {
  StateOrigin origin;
  std::vector<SavedThreshold> thresholds;
  eviction::ConditionTimes conditions_last_observed;
  std::vector<SavedMark> marks;
  std::vector<SavedEviction> in_flight;
  /// Evictions of the last minute, without dry runs, oldest first.
  std::vector<MonoTime> evictions;
  engine::OperatorWishes wishes;
  /// The configuration's dryRun when `wishes` changed it.
  bool configured_dry_run = false;

  bool operator==(const SavedState&) const = default;
};

/// One line with type, length and checksum, then JSON.
[[nodiscard]] std::string to_text(const SavedState& state);

/// `body` after the line that to_text() would put before it, whether or not it is a state.
[[nodiscard]] std::string sealed_state(std::string_view body);

/// Errors: kMalformed for a torn text or one that is no state. kUnsupported for another version.
/// kInvalid for another boot or pod root, or for a moment after `now`. The message says which. For
/// a member that is not allowed it also has the place and the allowed values.
[[nodiscard]] Result<SavedState> parse_state(std::string_view text, const StateOrigin& here,
                                             MonoTime now);

/// Converts a pass's state to its saved part, and back. Thresholds that are no longer configured
/// are left out, and named in `dropped`.
void save_pass(const eviction::PassState& state, const eviction::ThresholdTable& thresholds,
               SavedState& into);
[[nodiscard]] eviction::PassState restore_pass(const SavedState& saved,
                                               const eviction::ThresholdTable& thresholds,
                                               std::vector<std::string>& dropped);

}  // namespace evictd::daemon
