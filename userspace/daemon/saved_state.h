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

/// What a state is true of. One that was written under another is of no use.
struct StateOrigin {
  /// Of /proc/sys/kernel/random/boot_id, with the offset of a time namespace behind it: moments of
  /// the monotonic clock mean nothing beyond them. As clock_name() gives it.
  std::string boot_id;
  /// Path of the pod root and its number, which a directory made anew under the name has not.
  std::string pod_root;
  std::uint64_t pod_root_id = 0;

  bool operator==(const StateOrigin&) const = default;
};

/// A threshold that was met, by what makes it the same to a kubelet.
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

/// A pod that was sent a signal and is not gone yet, or whose disk, dead tasks or memory are
/// awaited.
struct SavedEviction {
  std::string uid;
  CgroupId pod;
  // For its record, where an evictd that was killed had not written it.
  std::string ns;
  std::string name;
  /// What it was acted on for; empty for a limit on local storage, which is `local_limit` then.
  std::string signal;
  std::string threshold;
  std::string local_limit;
  /// The last step cut its grace.
  bool escalated = false;

  bool hard = true;
  bool killed = false;
  MonoTime began_at{};
  MonoTime kill_due_at{};
  /// The epoch while it was not.
  MonoTime killed_at{};
  /// For a disk or a limit on local storage: what it takes up there is awaited too.
  bool for_disk = false;
  bool below_pod_root = false;
  /// Its last process is; `killed_at` is when that was, where it was not killed.
  bool gone = false;

  bool operator==(const SavedEviction&) const = default;
};

/// Everything that a restarted evictd goes on from; docs/state.md says what each is for.
struct SavedState {
  StateOrigin origin;
  std::vector<SavedThreshold> thresholds;
  eviction::ConditionTimes conditions_last_observed;
  std::vector<SavedMark> marks;
  std::vector<SavedEviction> in_flight;
  /// Real ones of the last minute, oldest first.
  std::vector<MonoTime> evictions;
  engine::OperatorWishes wishes;
  /// The configuration's dryRun that `wishes` was a change of.
  bool configured_dry_run = false;

  bool operator==(const SavedState&) const = default;
};

/// One line of what and how long, with a checksum, then JSON.
[[nodiscard]] std::string to_text(const SavedState& state);

/// `body` behind the line that to_text() would put before it, whether or not it is a state.
[[nodiscard]] std::string sealed_state(std::string_view body);

/// Errors: kMalformed for a text that is torn or no state, kUnsupported for another version,
/// kInvalid for one of another boot or pod root or with a moment after `now`. The message says
/// which, of a member that is not allowed also where it is and what would be.
[[nodiscard]] Result<SavedState> parse_state(std::string_view text, const StateOrigin& here,
                                             MonoTime now);

/// The part of a pass's state that is kept, and back: thresholds that are not configured any more
/// are left out, and named in `dropped`.
void save_pass(const eviction::PassState& state, const eviction::ThresholdTable& thresholds,
               SavedState& into);
[[nodiscard]] eviction::PassState restore_pass(const SavedState& saved,
                                               const eviction::ThresholdTable& thresholds,
                                               std::vector<std::string>& dropped);

}  // namespace evictd::daemon
