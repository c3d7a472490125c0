// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/event_loop.h"
#include "base/timer.h"
#include "core/clock.h"
#include "daemon/hot/cpu_avoidance.h"
#include "daemon/hot/hot_loop_options.h"
#include "daemon/hot/looks.h"
#include "daemon/hot/pod_slots.h"
#include "daemon/hot/readings.h"
#include "daemon/shared/hot_counters.h"
#include "daemon/shared/messages.h"
#include "daemon/shared/pass_copy.h"
#include "enforce/actuator.h"
#include "enforce/intent.h"
#include "engine/engine.h"
#include "probe/backstop.h"
#include "probe/events.h"

namespace evictd::daemon {

/// The hot thread: drives the engine. It turns descriptors and messages into the engine's events,
/// and the engine's effects into system calls and messages. It decides nothing itself.
///
/// Before the first signal (docs/architecture.md, "Two threads") it opens no file. Once it runs, it
/// makes no blocking write and allocates nothing. A bounded queue carries what other threads must
/// know. If housekeeping stalls, evictions continue, and messages that do not fit the queue are
/// counted.
class HotLoop final : private probe::EventSink {
 public:
  using Options = HotLoopOptions;

  [[nodiscard]] static Result<std::unique_ptr<HotLoop>> create(Options options);

  /// Runs until `stop` is set and the inbox is woken. Empties the inbox first, so that the first
  /// pass knows all pods found at start. Errors: a failed wait, which is permanent.
  [[nodiscard]] Result<> run(const std::atomic<bool>& stop);

 private:
  HotLoop(Options options, base::EventLoop loop, base::Timer timer);

  // hot_loop.cpp: what wakes the thread.
  [[nodiscard]] Result<> watch_descriptors();
  [[nodiscard]] Result<> wait();
  [[nodiscard]] bool stand_by();
  void drain_events();
  void on_threshold(const probe::ThresholdCrossed& event) override;
  void on_stall(const probe::StallRising& event) override;
  void on_cgroup(const probe::CgroupChanged& event) override;
  void on_oom_kill(const probe::OomKill& event) override;
  void on_approach(const probe::Approach& event) override;
  void drive_actuators();
  void take_progress(enforce::Actuator& actuator);

  // hot_messages.cpp: messages from and to housekeeping.
  void take_messages();
  void handle(std::monostate& /*nothing*/) {}
  void handle(PlacePod& message);
  void handle(UseRoots& message);
  void handle(UsePodRootFiles& message);
  void handle(UseConfig& message);
  void handle(Resync& message);
  void handle(SetPolling& message);
  void handle(SetWishes& message);
  void handle(AdoptEviction& message);
  void handle(LendPassCopy& message);
  void handle(UseStorage& message);
  void handle(EngineNews& news);
  /// Returns false if the queue is full; counts that and leaves `message` untouched.
  bool offer(ToHousekeeping& message);
  void send(ToHousekeeping&& message) { offer(message); }
  void flush_retired();

  // hot_effects.cpp: the engine's effects.
  /// Passes an event to the engine, carries out its effects, and answers its questions.
  void dispatch(const engine::Event& event);
  using Answer = std::optional<engine::Event>;
  [[nodiscard]] Answer perform(const engine::Wait& wait);
  [[nodiscard]] Answer perform(const engine::Read& read);
  [[nodiscard]] Answer perform(const engine::LookAgain& look);
  [[nodiscard]] Answer perform(const engine::Signal& signal);
  [[nodiscard]] Answer perform(const engine::CutGrace& cut);
  [[nodiscard]] Answer perform(const engine::ReadVictim& read);
  [[nodiscard]] Answer perform(const engine::GoOnWith& eviction);
  [[nodiscard]] Answer perform(const engine::ScanPods& scan);
  [[nodiscard]] Answer perform(const engine::EndPretended& end);
  [[nodiscard]] Answer perform(const engine::ClearIntent& clear);
  [[nodiscard]] Answer perform(const engine::TellRefused& refused);
  [[nodiscard]] Answer perform(const engine::MeasurePods& measure);
  [[nodiscard]] Answer perform(const engine::RunCollectors& run);
  [[nodiscard]] Answer perform(const engine::AskFilesystem& ask);
  [[nodiscard]] Answer perform(const engine::Report& report);
  [[nodiscard]] Answer perform(const engine::Rehearse& rehearse);
  [[nodiscard]] Answer perform(const engine::EndRehearsal& end);
  /// Returns the pod's pids.max as the intent has it; nullopt without a target.
  std::optional<enforce::PidsMax> leave_intent(const HotPod& victim, const enforce::Intent& intent);
  void end_rehearsal();
  void queue_local_eviction(const engine::Signal& signal, const enforce::SignalReport& begun);
  void publish_counters();

  // hot_backstop.cpp: the kill that the kernel side may do alone.
  [[nodiscard]] Answer perform(const engine::ArmBackstop& arm);
  [[nodiscard]] Answer perform(const engine::DisarmBackstop& disarm);
  [[nodiscard]] enforce::SignalReport report_of_kernel_kill() const;
  void end_kernel_kill(const HotPod& pod);

  // hot_report.cpp: reports of a pass to housekeeping.
  void copy_pods(PassCopy& copy);
  void fill(PassCopy& copy, const engine::Report& report);
  void hand_over(PassDone&& done, bool rehearsal);
  void count_uncopied_pass();
  void take_lent_buffer(std::unique_ptr<PassCopy> copy);

  [[nodiscard]] HotPod& pod_at(std::size_t place) { return *pods_.at(readings_.slots()[place]); }
  [[nodiscard]] CgroupUsage usage_of(CgroupId memory_id, MonoTime now);
  [[nodiscard]] std::optional<MonoTime> disks_asked_at() const;
  /// The actuator in force for `dry_run`, which the engine decides.
  [[nodiscard]] enforce::Actuator& actuator(bool dry_run) {
    return dry_run ? *options_.dry_run_actuator : *options_.actuator;
  }

  Options options_;
  base::EventLoop loop_;
  base::Timer timer_;
  std::vector<std::unique_ptr<base::ReadyHandler>> handlers_;
  base::Loan<HotConfig> config_;
  PodSlots pods_;
  Readings readings_;
  Looks looks_;
  engine::Engine engine_;
  CpuAvoidance cpu_avoidance_;
  HotPod* rehearsed_ = nullptr;  ///< The pod that the actuators prepare for, until the next pass.
  eviction::Scope rehearsed_for_ = eviction::Scope::kNode;
  Adoption adoption_;  ///< The adoption that the engine is asked about.
  std::vector<std::unique_ptr<PassCopy>> copies_;
  /// Pods not yet taken by housekeeping's queue: an eviction or housekeeping may still use them.
  std::vector<RetirePod> retired_;
  /// By slot; empty if no filesystem is watched.
  std::vector<base::Loan<HotStorage>> storage_;
  std::vector<engine::FollowedPod> followed_;
  bool events_ready_ = false;
  bool actuator_ready_ = false;
  /// Notices that the queue did not take; housekeeping is told to rescan.
  std::uint64_t unsent_ = 0;
  MonoTime wake_at_{};
  engine::Wait wait_;
  Timeline timeline_;
  /// What the last pass began, for its record.
  std::optional<enforce::SignalReport> begun_;
  /// The kill of the kernel side that the current pass adopts.
  std::optional<probe::BackstopFiring> kernel_kill_;
  MonoTime kill_due_at_{};
  std::vector<LocalEvictionBegun> local_begun_;
  /// Passes since the last one with a copy, and how they began, for the next record.
  std::uint64_t uncopied_ = 0;
  std::optional<eviction::PassState> unrecorded_state_;
  std::optional<eviction::SuspendedPass> unrecorded_waiting_;
};

}  // namespace evictd::daemon
