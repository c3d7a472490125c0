// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "daemon/shared/messages.h"
#include "daemon/state/saved_state.h"
#include "daemon/state/state_file.h"

namespace evictd::daemon {

/// Result of reading the state file at start.
struct FoundState {
  /// Empty if nothing could be used.
  SavedState state;
  /// Why the file was ignored, in one line; empty if it was used or does not exist.
  std::string problem;
  bool found = false;
};

/// Reads the state file, which may be missing.
[[nodiscard]] FoundState find_state(const std::string& path, const StateOrigin& here, MonoTime now);

/// Names the clock of monotonic moments: `boot_id`, and in a time namespace the clock's offset from
/// the kernel's. Moments have no meaning beyond either.
[[nodiscard]] std::string clock_name(std::string boot_id, Duration offset);

/// This boot and time namespace, and the watched pod root. A `boot_id` that cannot be read and an
/// unknown offset are left out.
[[nodiscard]] StateOrigin origin_here(const std::string& pod_root, CgroupId pod_root_id);

/// Housekeeping's copy of the state to keep, and whether the file matches it. Thread rule:
/// housekeeping only.
class StateKeeper {
 public:
  struct Options {
    /// Empty: nothing is written.
    std::string path;
    StateOrigin origin;
    FoundState found;
  };

  explicit StateKeeper(Options options);

  void set_pass(const PassCopy& copy, const eviction::ThresholdTable& thresholds, MonoTime now);
  /// `threshold` is the one acted on.
  void add_begun(const EvictionBegun& begun, const eviction::Threshold& threshold, MonoTime at);
  void add_begun(const LocalEvictionBegun& begun, MonoTime at);
  void add_adopted(const SavedEviction& eviction);
  /// Keeps for the next evictd an eviction that this one found and does not resume.
  void leave(const SavedEviction& eviction) { now_.in_flight.push_back(eviction); }
  /// `tasks`: the tasks that its cgroup still counts; `charged`: the bytes charged to it; -1 for
  /// unknown.
  void apply_step(const enforce::Progress& step, std::int64_t tasks, Bytes charged);
  /// The next evictd has nothing to resume in that pod.
  void forget(CgroupId pod);
  /// The same for a victim that is gone and whose disk space is not awaited: what it left went with
  /// its cgroup.
  void forget_if_over(CgroupId pod);
  /// Whether the refusal ended an eviction of an earlier evictd, which is then no longer kept. If
  /// the pod is refused because its eviction is in progress already, that eviction continues.
  bool apply_refusal(const EvictionRefused& refused);

  /// For a pod that exists at start and could not be read: keeps the last run's data of it until a
  /// caller takes it.
  void defer(const std::string& uid, CgroupId pod);
  /// Whether that pod was put off. It no longer is afterwards; the caller that resumes its eviction
  /// stores it again.
  bool take_deferred(const std::string& uid, CgroupId pod);
  /// By uid.
  [[nodiscard]] const std::map<std::string, CgroupId>& deferred() const { return deferred_; }
  /// The victim's disk space is free, or was awaited for long enough. Returns whether it was
  /// awaited.
  bool mark_disk_released(CgroupId pod);
  /// The pod root has changed: the next evictd finds the state under the new one.
  void set_pod_root(const std::string& path, CgroupId id);
  void set_wishes(const engine::OperatorWishes& wishes, bool configured_dry_run);
  /// Whether the file may be a second behind about what can be observed again.
  enum class Lag : std::uint8_t { kSome, kNone };
  /// Writes changes at once, except for the times of the conditions, and for a soft threshold and
  /// since when it has been met: these after a second. Call it each second.
  void keep(MonoTime now, Lag lag = Lag::kSome);
  /// Waits until the file has what was kept last, or the write has failed, for at most `time`.
  /// Returns whether that is done; true without a file.
  [[nodiscard]] bool await_kept(Duration time);

  /// The last run's state.
  [[nodiscard]] const FoundState& found() const { return options_.found; }
  /// As clock_name() gives it.
  [[nodiscard]] const std::string& clock() const { return options_.origin.boot_id; }
  [[nodiscard]] std::size_t adopted() const { return adopted_; }
  [[nodiscard]] const std::string& path() const { return options_.path; }
  [[nodiscard]] StateWriter::Counters counters() const;

 private:
  [[nodiscard]] SavedEviction* find(CgroupId pod);
  void keep_eviction(SavedEviction eviction);
  /// Whether the file must have `now_`, for keep().
  [[nodiscard]] bool is_due(MonoTime now, Lag lag);
  /// Forgets victims that have only left dead tasks or memory, which evictd no longer awaits at
  /// `now`.
  void forget_left(MonoTime now);

  Options options_;
  SavedState now_;
  /// The state last given to the writer.
  SavedState kept_;
  /// Since when the file has lacked the times of the conditions, and nothing else.
  std::optional<MonoTime> behind_since_;
  std::size_t adopted_ = 0;
  std::map<std::string, CgroupId> deferred_;
  std::unique_ptr<StateWriter> writer_;
};

}  // namespace evictd::daemon
