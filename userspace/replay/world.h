// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "eviction/pass.h"
#include "replay/recorded.h"
#include "replay/world_disk.h"

namespace evictd::replay {

/// A node as it was recorded, but for the pods whose fate is another one. A pod that was ended in
/// the recording, and is not here or later, goes on growing as it did last. A pod that is ended
/// earlier is gone from then on. What it takes or leaves is taken off or added to what was
/// available.
///
/// Between two recorded passes everything changes in a straight line. Pods are named by their
/// identity. Memory is free as soon as a pod is ended; for disks see WorldDisk.
class World {
 public:
  struct Options {
    /// Borrowed, as the next one.
    const Parts* parts = nullptr;
    /// What each pod is ranked by, by number: as recorded, but for what is otherwise.
    const std::vector<eviction::PodFacts>* facts = nullptr;
    /// Files of pods that nobody ended in the recording are freed with them.
    bool files_go = false;
    /// Whose process ids pid.available counts.
    eviction::Scope pid_scope = eviction::Scope::kNode;
  };
  explicit World(const Options& options);

  /// The pod lives on from `now`, after which it is ended in the recording. If it was asked to go
  /// here, it lives until it is ended here. False, and nothing changes, if it was not seen at
  /// `now`.
  bool let_live_on(std::size_t pod, MonoTime now);
  /// Whether it is at the same moments in the recording that a pod is asked to go and ended.
  enum class Fate { kAsRecorded, kOther };
  /// The pod was asked to go, and is ended at `kill_at`, or when it would have been already.
  void end(std::size_t pod, MonoTime kill_at, Fate fate);
  [[nodiscard]] bool is_spared(std::size_t pod) const { return spared_.contains(pod); }
  [[nodiscard]] bool is_ended(std::size_t pod) const { return ended_.contains(pod); }
  /// When it is ended here, or was; nothing if it was not asked to go.
  [[nodiscard]] std::optional<MonoTime> kill_at(std::size_t pod) const;
  /// Whether it was ended here before `now`, or is at `now`.
  [[nodiscard]] bool is_gone(std::size_t pod, MonoTime now) const;
  [[nodiscard]] bool any_spared() const { return !spared_.empty(); }
  /// Whether there is one that was not asked to go here.
  [[nodiscard]] bool any_living_on() const;
  [[nodiscard]] WorldDisk& disk() { return disk_; }
  /// The next moment after `now` at which a pod in its grace is ended.
  [[nodiscard]] std::optional<MonoTime> next_end(MonoTime now) const;
  /// When the last of those that were asked to go is ended, or was.
  [[nodiscard]] std::optional<MonoTime> last_end() const;

  /// What a pass at `now` would be given, but for how victims stand. Valid until the next call.
  struct Seen {
    eviction::Observations observations;
    std::vector<eviction::PassPod> pods;
    /// The identity of each pod, parallel to `pods`.
    std::vector<std::size_t> identities;
  };
  const Seen& look(MonoTime now);
  /// The same at a recorded pass, as it was recorded to the byte.
  const Seen& look_at(const RecordedPass& pass);

  /// What `signal` had at `now`; below zero where more is used than there is.
  [[nodiscard]] std::optional<double> available(eviction::Signal signal, MonoTime now) const;
  /// When `signal` falls below `level`, in a straight line from `from` to `until`; nothing if it is
  /// below before, or not below then.
  [[nodiscard]] std::optional<MonoTime> falls_below(eviction::Signal signal, double level,
                                                    MonoTime from, MonoTime until) const;

 private:
  struct Spared {
    MonoTime since{};
    double bytes = 0;
    double tasks = 0;
    /// A second.
    double byte_growth = 0;
    double task_growth = 0;
    /// Of the last pass that it was in.
    RecordedPodPass last;
  };
  /// The recorded passes around a moment, and how far it is from the one to the other.
  struct Between {
    std::size_t before = 0;
    std::size_t after = 0;
    double share = 0;
  };

  [[nodiscard]] Between find(MonoTime now) const;
  /// Bytes or tasks of a pod in the recording at a moment.
  [[nodiscard]] double recorded(std::size_t pod, const Between& between, bool tasks) const;
  [[nodiscard]] double spared_amount(const Spared& pod, MonoTime now, bool tasks) const;
  /// Whether the pod counts where `scope` is looked at.
  [[nodiscard]] bool is_in(eviction::Scope scope, std::size_t pod) const;
  /// What pods of another fate hold in `scope` beyond what they hold in the recording.
  [[nodiscard]] double surplus(MonoTime now, bool tasks, eviction::Scope scope) const;
  void add(const RecordedPodPass& pod);
  void observe(const Between& between, MonoTime now);
  void add_newcomers(const Between& between, MonoTime now);
  void add_as_is_now(const RecordedPodPass& pod, const Between& between, MonoTime now);

  Options options_;
  const std::vector<const RecordedPass*>* passes_;
  WorldDisk disk_;
  std::map<std::size_t, Spared> spared_;
  /// When those that were asked to go are ended.
  std::map<std::size_t, MonoTime> ended_;
  Seen seen_;
};

}  // namespace evictd::replay
