// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "daemon/messages.h"
#include "daemon/saved_state.h"
#include "daemon/state_file.h"

namespace evictd::daemon {

/// What a start finds in the state file.
struct FoundState {
  /// Empty where nothing could be used.
  SavedState state;
  /// Why the file was ignored, in one line; empty if it was used or there is none.
  std::string problem;
  bool found = false;
};

/// Reads the state file, which need not be there.
[[nodiscard]] FoundState find_state(const std::string& path, const StateOrigin& here, MonoTime now);

/// What moments of the monotonic clock are told by: `boot_id`, and in a time namespace what its
/// clock is ahead of the kernel's, as beyond either they mean nothing.
[[nodiscard]] std::string clock_name(std::string boot_id, Duration offset);

/// This boot and time namespace, and the pod root that is watched. Of a `boot_id` that cannot be
/// read and of an offset that is unknown nothing is said.
[[nodiscard]] StateOrigin origin_here(const std::string& pod_root, CgroupId pod_root_id);

/// Housekeeping's copy of what is to be kept, and whether the file says the same.
/// Thread rule: housekeeping only.
class StateKeeper {
 public:
  struct Options {
    /// Empty: nothing is written.
    std::string path;
    StateOrigin origin;
    FoundState found;
  };

  explicit StateKeeper(Options options);

  void note_pass(const PassCopy& copy, const eviction::ThresholdTable& thresholds, MonoTime now);
  /// `threshold` is the one acted on.
  void note_begun(const EvictionBegun& begun, const eviction::Threshold& threshold, MonoTime at);
  void note_begun(const LocalEvictionBegun& begun, MonoTime at);
  void note_adopted(const SavedEviction& eviction);
  /// Keeps for the next evictd what this one found and does not go on with.
  void leave(const SavedEviction& eviction) { now_.in_flight.push_back(eviction); }
  /// `tasks`: those that its cgroup still counts, and `charged` what it is charged with; -1 for not
  /// known.
  void note_step(const enforce::Progress& step, std::int64_t tasks, Bytes charged);
  /// The next evictd has nothing to go on with in that pod.
  void forget(CgroupId pod);
  /// Whether that was the end of an eviction of an earlier evictd, of which nothing is kept then.
  /// One that is refused because the pod is being evicted already is about what goes on.
  bool note_refused(const EvictionRefused& refused);

  /// A pod that was there at the start and could not be looked at: what the last run left of it is
  /// kept as it is until somebody takes it.
  void put_off(const std::string& uid, CgroupId pod);
  /// Whether that pod was put off. It is no longer, and whoever goes on with it has it kept anew.
  bool take_put_off(const std::string& uid, CgroupId pod);
  /// By uid.
  [[nodiscard]] const std::map<std::string, CgroupId>& put_off() const { return put_off_; }
  /// What a victim takes up on disk is free, or was awaited for long enough. Returns whether it was
  /// awaited.
  bool note_disk_released(CgroupId pod);
  /// The pod root is another one from now on: for that one the next evictd finds what is kept.
  void note_pod_root(const std::string& path, CgroupId id);
  void note_wishes(const engine::OperatorWishes& wishes, bool configured_dry_run);
  /// Writes what has changed: at once, or where nothing did but when conditions were last seen, at
  /// most once a second.
  void keep(MonoTime now);
  /// Waits for the file to say what was kept last, or for the write to fail, for `time` at most.
  /// Returns whether it is over; true without a file.
  [[nodiscard]] bool await_kept(Duration time);

  /// What the last run left.
  [[nodiscard]] const FoundState& found() const { return options_.found; }
  /// As clock_name() gives it.
  [[nodiscard]] const std::string& clock() const { return options_.origin.boot_id; }
  [[nodiscard]] std::size_t adopted() const { return adopted_; }
  [[nodiscard]] const std::string& path() const { return options_.path; }
  [[nodiscard]] StateWriter::Counters counters() const;

 private:
  [[nodiscard]] SavedEviction* find(CgroupId pod);
  void keep_eviction(SavedEviction eviction);
  void forget_if_over(CgroupId pod);
  /// Victims that have only left dead tasks or memory, which nobody waits for any more at `now`.
  void forget_left(MonoTime now);

  Options options_;
  SavedState now_;
  /// As it was last given to the writer.
  SavedState kept_;
  MonoTime kept_at_{};
  std::size_t adopted_ = 0;
  std::map<std::string, CgroupId> put_off_;
  std::unique_ptr<StateWriter> writer_;
};

}  // namespace evictd::daemon
