// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

/// This boot, and the pod root that is watched. `boot_id` is left empty where it cannot be read.
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
  void note_step(const enforce::Progress& step);
  /// The next evictd has nothing to go on with in that pod.
  void forget(CgroupId pod);
  /// What a victim takes up on disk is free, or was awaited for long enough. Returns whether it was
  /// awaited.
  bool note_disk_released(CgroupId pod);
  void note_wishes(const OperatorWishes& wishes, bool configured_dry_run);
  /// Writes what has changed: at once, or where nothing did but when conditions were last seen, at
  /// most once a second.
  void keep(MonoTime now);

  /// What the last run left.
  [[nodiscard]] const FoundState& found() const { return options_.found; }
  [[nodiscard]] std::size_t adopted() const { return adopted_; }
  [[nodiscard]] const std::string& path() const { return options_.path; }
  [[nodiscard]] StateWriter::Counters counters() const;

 private:
  [[nodiscard]] SavedEviction* find(CgroupId pod);
  void keep_eviction(SavedEviction eviction);
  void forget_if_over(CgroupId pod);

  Options options_;
  SavedState now_;
  /// As it was last given to the writer.
  SavedState kept_;
  MonoTime kept_at_{};
  std::size_t adopted_ = 0;
  std::unique_ptr<StateWriter> writer_;
};

}  // namespace evictd::daemon
