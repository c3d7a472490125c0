// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"
#include "ledger.h"
#include "observer/kill_witness.h"
#include "plan.h"
#include "record_tail.h"
#include "stage/child.h"
#include "stage/daemon_process.h"
#include "stage/private_tree.h"
#include "stage/scratch_directory.h"

namespace evictd::churn {

enum class EventSource { kBpf, kPoll };

struct FloorOptions {
  std::filesystem::path evictd;
  std::filesystem::path evict_load;
  EventSource source = EventSource::kBpf;
};

/// Where pods come, move and go: a private cgroup tree, a directory, the real evictd on both, the
/// pods, and a witness of who kills them. Destroying it ends and removes all of them. One thread
/// uses it.
class Floor {
 public:
  /// Returns once evictd is ready and the pods are there that stay: protected ones, all.
  /// Errors: those of PrivateTree, ScratchDirectory, KillWitness and DaemonProcess.
  static Result<Floor> open(const FloorOptions& options);

  /// Lets these pods begin, each as soon as there is room for it, and returns when all are gone,
  /// or early when this process is interrupted.
  /// Errors: kIo when evictd ends, or what a pod could not be made or removed for.
  Result<> play(const std::vector<PodPlan>& plans);
  /// Reads what evictd has written of records since the last time, and asks the witness.
  Result<> read_records();
  /// Ends evictd. Errors: kIo when it does not end well.
  Result<> stop_daemon();

  [[nodiscard]] const stage::PrivateTree& tree() const { return tree_; }
  [[nodiscard]] const stage::DaemonProcess& daemon() const { return *daemon_; }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }
  [[nodiscard]] const bench::KillWitness& witness() const { return witness_; }
  /// The pods that are there now, those first that stay.
  [[nodiscard]] std::vector<stage::StagedPod> pods() const;
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] EventSource source() const { return options_.source; }
  /// The end of evictd's log, for a person who wants to know what went wrong.
  [[nodiscard]] std::string end_of_log() const;

 private:
  struct LivePod {
    PodPlan plan;
    stage::StagedPod staged;
    /// kernfs id of its cgroup in the memory hierarchy.
    std::uint64_t id = 0;
    std::optional<stage::Child> process;
    MonoTime began_at{};
    MonoTime moves_at = MonoTime::max();
    MonoTime ends_at{};
    bool ending = false;
    bool has_moved = false;

    /// Whether it has another life after this one: only if this was ended from outside.
    [[nodiscard]] bool comes_back() const { return ending && plan.comes_back; }
  };

  Floor(FloorOptions options, stage::ScratchDirectory scratch, stage::PrivateTree tree,
        bench::KillWitness witness);
  /// By what a load takes in this build.
  Result<> set_limits();
  Result<> start_daemon();
  Result<> add_residents();
  [[nodiscard]] bool has_room_for(const PodPlan& plan) const;
  Result<> begin(const PodPlan& plan);
  /// The next life of a pod that is removed.
  Result<> begin_again(const LivePod& ended);
  Result<> start(const PodPlan& plan, const std::string& uid);
  /// Its manifest and its cgroups.
  Result<> make(LivePod& pod, const std::string& uid);
  [[nodiscard]] std::vector<std::string> command_of(const LivePod& pod) const;
  /// Waits until a process has ended or evictd has, at most until `until`.
  void wait(MonoTime until) const;
  /// Whether it holds all that it is to hold before it may be ended, or never will.
  [[nodiscard]] bool has_its_load(const LivePod& pod, MonoTime now) const;
  void end_if_due(LivePod& pod, MonoTime now);
  Result<> move_if_due(LivePod& pod, MonoTime now);
  /// Into the cgroups of a new pod; those that it had are removed.
  Result<> move(LivePod& pod);
  /// Moves and ends those whose time has come and removes those whose process is dead.
  Result<> look_after_pods(MonoTime now);
  Result<> remove(LivePod& pod);
  /// Removes these cgroups and asks the witness about them for the last time. `who`: for an error.
  Result<> leave(const stage::StagedPod& staged, std::uint64_t id, const std::string& who);
  void ask_witness(const std::string& uid, std::uint64_t id);
  [[nodiscard]] std::filesystem::path manifest_of(const LivePod& pod) const;
  /// When the next pod is to move or to end.
  [[nodiscard]] MonoTime next_due() const;

  FloorOptions options_;
  LoadSizes sizes_{};
  Limits limits_{};
  Ledger ledger_;
  // In this order: what runs ends before what it runs in.
  stage::ScratchDirectory scratch_;
  RecordTail tail_;
  stage::PrivateTree tree_;
  bench::KillWitness witness_;
  std::optional<stage::DaemonProcess> daemon_;
  std::list<LivePod> residents_;
  std::list<LivePod> pods_;
};

}  // namespace evictd::churn
