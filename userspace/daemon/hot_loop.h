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
#include "core/stand_by.h"
#include "daemon/beginning.h"
#include "daemon/cpu_avoidance.h"
#include "daemon/crossings.h"
#include "daemon/disk_work.h"
#include "daemon/hot_counters.h"
#include "daemon/hot_loop_options.h"
#include "daemon/in_flight.h"
#include "daemon/messages.h"
#include "daemon/newer_readings.h"
#include "daemon/pass_copy.h"
#include "daemon/pod_scans.h"
#include "daemon/pod_slots.h"
#include "daemon/readings.h"
#include "daemon/refused_pods.h"
#include "enforce/actuator.h"
#include "enforce/intent.h"
#include "probe/events.h"

namespace evictd::daemon {

/// The hot thread: takes what the kernel side pushes, runs the pass and sends the signal.
///
/// Up to the first signal (docs/architecture.md, "Two threads") it opens no file. It makes no
/// blocking write and allocates nothing once it runs; what others must know goes through a bounded
/// queue. When housekeeping stands still, evictions go on: what the queue does not take is counted.
class HotLoop final : private probe::EventSink {
 public:
  using Options = HotLoopOptions;

  [[nodiscard]] static Result<std::unique_ptr<HotLoop>> create(Options options);

  /// Runs until `stop` is set and the inbox is woken. Takes what is in the inbox first: the first
  /// pass knows all pods that were found at start. Errors: a failed wait, which nothing can mend.
  [[nodiscard]] Result<> run(const std::atomic<bool>& stop);

 private:
  HotLoop(Options options, base::EventLoop loop, base::Timer timer);

  void on_threshold(const probe::ThresholdCrossed& event) override;
  void on_stall(const probe::StallRising& event) override;
  void on_cgroup(const probe::CgroupChanged& event) override;
  void on_oom_kill(const probe::OomKill& event) override;
  void on_approach(const probe::Approach& event) override;

  [[nodiscard]] Result<> watch_descriptors();
  [[nodiscard]] Result<> wait();
  bool stand_by();
  void rehearse();       ///< Prepares to signal the pod that would go first.
  void end_rehearsal();  ///< Lets go of what the last pass did not need.
  void take_messages();
  void handle(PlacePod& message);
  void handle(UseConfig& message);
  void handle(const SetWishes& message);
  void handle(const AdoptEviction& message);
  void leave_intent(const HotPod& victim, const enforce::Intent& intent);
  void clear_intent(CgroupId pod);
  void handle(UseStorage& message);
  void handle(const VictimReleased& message);
  void handle(const PodsMeasured& message);
  void drain_events();
  void drive_actuators();
  void take_progress(enforce::Actuator& actuator);
  enum class DryRuns : std::uint8_t {
    kAll,
    kOfPressure,  ///< But for pods named for a limit of their own that they still exceed.
  };
  void end_dry_runs(DryRuns which, MonoTime now);
  [[nodiscard]] bool exceeds_own_limit(CgroupId pod) const;
  void go_on(InFlightTable::Entry& entry, const enforce::Progress& step, const HotPod* pod);
  /// What the progress of a victim's dying is measured from; `pod` as in go_on().
  void note_held_at_kill(InFlightTable::Entry& entry, const HotPod* pod);
  void judge_if_due(InFlightTable::Entry& entry, const HotPod* pod);
  void judge_exceeded();
  [[nodiscard]] const HotPod* find_pod(CgroupId memory_id) const;
  void want_pass(PassTrigger trigger);
  void run_wanted_pass();
  [[nodiscard]] bool pass(MonoTime now);
  [[nodiscard]] bool may_choose(MonoTime now) const;
  [[nodiscard]] bool knows_pods(MonoTime now);
  void act(const eviction::Decision& decision, MonoTime now);
  void evict(const eviction::Decision& decision, HotPod& victim, MonoTime now);
  void escalate(const eviction::Decision& decision, const HotPod& victim, MonoTime now);
  void set_standings();
  void note_releasing(MonoTime now);
  void note_releasing(const HotPod& pod, InFlightTable::Entry& entry, MonoTime now);
  void try_again(MonoTime now);
  void read(PassTrigger trigger, MonoTime now);
  [[nodiscard]] eviction::PassInput input(eviction::Cadence cadence,
                                          const eviction::Brakes& in_force, MonoTime now);
  void ask_for_fresh_disks(const eviction::Decision& decision);
  void prepare_disk_eviction(const eviction::Decision& decision, MonoTime now);
  void begin_reclaim(const eviction::Decision& decision, MonoTime now);
  void resume_if_due(MonoTime now);
  void need_usage(MonoTime now);
  void evict_for_local_storage(const eviction::LocalStorageVictim& local,
                               const eviction::Decision& decision, MonoTime now);
  void tell_of_local_evictions();
  void refuse(const HotPod& victim, const Beginning& how, Errc code, MonoTime now);
  void let_wait(const HotPod& victim, MonoTime now);
  std::optional<enforce::SignalReport> begin(HotPod& victim, const Beginning& how, MonoTime now);
  void copy_pods(PassCopy& copy);
  void report(const eviction::Decision& decision);
  void fill(PassCopy& copy, const eviction::Decision& decision);
  void note_uncopied();
  void take_back(std::unique_ptr<PassCopy> copy);
  void arm_timer(MonoTime now);
  /// All of it, so that polling would see nothing sooner.
  [[nodiscard]] bool kernel_watches(eviction::Signal signal) const;
  [[nodiscard]] Duration next_interval() const;
  void plan_regular(eviction::Cadence cadence, MonoTime now);
  [[nodiscard]] ReadingSource source() const;
  [[nodiscard]] enforce::Actuator& actuator();
  [[nodiscard]] bool dry_run() const;
  [[nodiscard]] eviction::Brakes brakes() const;
  void note_held(const eviction::Decision& decision);
  void note_freed(const InFlightTable::Entry& victim, Bytes left, MonoTime at);
  /// Counts what the queue does not take; false then, with `message` untouched.
  bool offer(ToHousekeeping& message);
  void send(ToHousekeeping&& message) { offer(message); }
  void flush_retired();
  void flush_retired_files();

  Options options_;
  base::EventLoop loop_;
  base::Timer timer_;
  std::vector<std::unique_ptr<base::ReadyHandler>> handlers_;
  eviction::DiskLayout layout_;
  PodSlots pods_;
  Readings readings_;
  InFlightTable in_flight_;
  RefusedPods refused_;
  OperatorWishes wishes_;
  EvictionTimes eviction_times_;
  std::optional<MonoTime> released_at_;  ///< When a victim's memory was last seen to be free.
  std::optional<MonoTime> released_below_pod_root_at_;  ///< The same of one below the pod root.
  core::StandBy stand_by_;
  HotPod* rehearsed_ = nullptr;  ///< Whom the actuators prepare for, until the next pass.
  eviction::Scope rehearsed_for_ = eviction::Scope::kNode;
  eviction::Scope approached_ = eviction::Scope::kNode;  ///< Whose limit the last hint was about.
  CpuAvoidance cpu_avoidance_;
  std::unique_ptr<HotConfig> config_;
  std::vector<std::unique_ptr<PassCopy>> copies_;
  std::vector<eviction::ReleasingPod> releasing_;
  /// Not taken by housekeeping's queue yet: an eviction or housekeeping may still use the pods.
  std::vector<RetirePod> retired_;
  /// By slot; empty where no filesystem is looked at.
  std::vector<std::unique_ptr<HotStorage>> storage_;
  /// What housekeeping's queue has not taken yet: a copy of a pass may still point to it.
  std::vector<std::unique_ptr<HotStorage>> retired_storage_;
  std::vector<std::unique_ptr<sys::CgroupFiles>> retired_pod_root_files_;  ///< Likewise.
  DiskWork disk_work_;
  NewerReadings newer_readings_;
  PodScans pod_scans_;
  std::optional<MonoTime> disks_asked_at_;
  Crossings crossings_;
  bool events_ready_ = false;
  bool actuator_ready_ = false;
  /// A victim was refused, so that another one must be found at once, or is to have no grace.
  bool pass_again_ = false;
  bool nobody_to_evict_ = false;  ///< In the last pass, although something was met.
  /// Notices that the queue did not take; housekeeping is told to look for itself.
  std::uint64_t unsent_ = 0;
  bool polling_ = false;
  MonoTime wake_at_{};
  std::optional<PassTrigger> wanted_;
  Timeline timeline_;
  /// What the last pass began, for its record.
  std::optional<enforce::SignalReport> begun_;
  MonoTime kill_due_at_{};
  MonoTime pass_at_{};
  /// Passes since the last that left a copy, and for the record of the next how they began.
  std::uint64_t uncopied_ = 0;
  std::optional<eviction::PassState> unrecorded_state_;
  std::optional<eviction::SuspendedPass> unrecorded_waiting_;
  /// Of the last pass, for its copy and records; places of pods are those in the readings.
  bool resumed_ = false;
  bool disk_usage_pending_ = false;
  eviction::DiskProgress disk_progress_ = eviction::DiskProgress::kNothing;
  std::vector<std::size_t> local_signalled_;
  std::vector<LocalEvictionBegun> local_begun_;
  EvictionTimes times_before_;
  MonoTime next_regular_{};
  eviction::Observations polled_;  ///< What the last regular pass under this configuration saw.
  std::optional<MonoTime> decision_deadline_;
};

}  // namespace evictd::daemon
