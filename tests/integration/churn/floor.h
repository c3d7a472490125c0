// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"
#include "ledger.h"
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

/// Where pods come and go: a private cgroup tree, a directory, the real evictd on both, and the
/// pods. Destroying it ends and removes all of them. One thread uses it.
class Floor {
 public:
  /// Returns once evictd is ready and the pods are there that stay: protected ones, all.
  /// Errors: those of PrivateTree, ScratchDirectory and DaemonProcess.
  static Result<Floor> open(const FloorOptions& options);

  /// Lets these pods begin, each as soon as there is room for it, and returns when all are gone,
  /// or early when this process is interrupted.
  /// Errors: kIo when evictd ends, or what a pod could not be made or removed for.
  Result<> play(const std::vector<PodPlan>& plans);
  /// Reads what evictd has written of records since the last time.
  Result<> read_records();
  /// Ends evictd. Errors: kIo when it does not end well.
  Result<> stop_daemon();

  [[nodiscard]] const stage::PrivateTree& tree() const { return tree_; }
  [[nodiscard]] const stage::DaemonProcess& daemon() const { return *daemon_; }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }
  /// The pods that are there now.
  [[nodiscard]] std::vector<stage::StagedPod> pods() const;
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] EventSource source() const { return options_.source; }
  /// The end of evictd's log, for a person who wants to know what went wrong.
  [[nodiscard]] std::string end_of_log() const;

 private:
  struct LivePod {
    PodPlan plan;
    stage::StagedPod staged;
    std::optional<stage::Child> process;
    MonoTime began_at{};
    MonoTime ends_at{};
    bool ending = false;
  };

  Floor(FloorOptions options, stage::ScratchDirectory scratch, stage::PrivateTree tree);
  /// By what a load takes in this build.
  Result<> set_limits();
  Result<> start_daemon();
  Result<> add_residents();
  [[nodiscard]] bool has_room_for(const PodPlan& plan) const;
  Result<> begin(const PodPlan& plan);
  [[nodiscard]] std::vector<std::string> command_of(const LivePod& pod) const;
  /// Waits until a process has ended or evictd has, at most until `until`.
  void wait(MonoTime until) const;
  /// Whether it holds all that it is to hold before it may be ended, or never will.
  [[nodiscard]] bool has_its_load(const LivePod& pod, MonoTime now) const;
  void end_if_due(LivePod& pod, MonoTime now);
  /// Ends those whose time has come and removes those whose process is dead.
  Result<> look_after_pods(MonoTime now);
  Result<> remove(LivePod& pod);
  [[nodiscard]] std::filesystem::path manifest_of(const LivePod& pod) const;
  [[nodiscard]] MonoTime next_end() const;

  FloorOptions options_;
  LoadSizes sizes_{};
  Limits limits_{};
  Ledger ledger_;
  // In this order: what runs ends before what it runs in.
  stage::ScratchDirectory scratch_;
  RecordTail tail_;
  stage::PrivateTree tree_;
  std::optional<stage::DaemonProcess> daemon_;
  std::list<LivePod> residents_;
  std::list<LivePod> pods_;
};

}  // namespace evictd::churn
