// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/stand_by.h"
#include "engine/agenda.h"
#include "engine/backstop.h"
#include "engine/configuration.h"
#include "engine/counters.h"
#include "engine/crossings.h"
#include "engine/disk_work.h"
#include "engine/effect.h"
#include "engine/engine_options.h"
#include "engine/event.h"
#include "engine/eviction_times.h"
#include "engine/growth_since.h"
#include "engine/newer_readings.h"
#include "engine/pass_run.h"
#include "engine/pod_scans.h"
#include "engine/pods.h"
#include "engine/refused_pods.h"
#include "engine/victims.h"
#include "eviction/brakes.h"
#include "eviction/decision.h"

namespace evictd::engine {

/// A state machine for the whole life of an eviction: takes events, returns effects. It has no
/// clock, descriptor or thread, and allocates nothing after construction. Equal events at equal
/// times give equal effects for every driver: the daemon's hot thread, a test, a simulation.
///
/// How to drive it: send Woken, then pending events, then Turn. Carry out the returned effects in
/// order. The last one may be a question (effect.h): send its answer as the next event, before any
/// other. A turn ends with Wait.
class Engine {
 public:
  using Options = EngineOptions;
  Engine(const Options& options, MonoTime now);

  [[nodiscard]] Effects on(const Event& event, MonoTime now);

  // Valid between events: the subject of a Report, and the engine's state.
  [[nodiscard]] const Configuration& configuration() const { return *configuration_; }
  [[nodiscard]] const eviction::Decision& decision() const {
    return configuration_->manager.decision();
  }
  /// Input of the last pass besides its readings.
  [[nodiscard]] const PassRun& pass() const { return pass_; }
  [[nodiscard]] std::span<const eviction::ReleasingPod> releasing() const { return releasing_; }
  [[nodiscard]] const eviction::DiskLayout& layout() const { return options_.layout; }
  /// Places of pods whose eviction for their own limit began in the last pass.
  [[nodiscard]] std::span<const std::size_t> local_signalled() const { return local_signalled_; }
  [[nodiscard]] const EvictionTimes& eviction_times() const { return times_; }
  /// The eviction times before the last pass.
  [[nodiscard]] const EvictionTimes& times_before() const { return times_before_; }
  [[nodiscard]] eviction::Brakes brakes() const;
  [[nodiscard]] bool dry_run() const;
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const Victims& victims() const { return victims_; }
  [[nodiscard]] const std::optional<PassTrigger>& wanted() const { return agenda_.wanted(); }
  /// The plan of the last ArmBackstop.
  [[nodiscard]] const BackstopPlan& backstop() const { return backstop_; }
  /// Slots of pods to read for the requested pass, even if they take no part in it.
  [[nodiscard]] std::span<const std::uint32_t> followed() const { return followed_; }

  /// Whether the caller should busy-wait because a threshold is about to be reached. Ends with
  /// StandByOver.
  [[nodiscard]] bool stands_by() const { return stand_by_.under_way(); }
  /// Whether the stand-by continues at `now`; false once a pass is wanted.
  [[nodiscard]] bool goes_on_standing_by(MonoTime now) const {
    return !agenda_.wanted() && stand_by_.lasts(now);
  }
  /// Scope of the limit in the last Approached event.
  [[nodiscard]] eviction::Scope approached() const { return approached_.scope; }

 private:
  // engine.cpp: events.
  void take(const Woken& woken);
  void take(const Turn& turn);
  void take(const PodPlaced& placed);
  void take(const PodRemoved& removed);
  void take(const ConfigurationChanged& changed);
  void take(const WishesChanged& changed);
  void take(const PassRequested& requested) { want(requested.trigger); }
  void take(const SourceChanged& changed);
  void take(const PodsScanned& scanned) { scans_.answered(scanned.round, agenda_.turn_at()); }
  void take(const Crossed& crossed);
  void take(const Approached& approached);
  void take(const Stalled& /*stalled*/) { want(PassTrigger::kStall); }
  void take(const Populated& populated);
  void take(const OomKilled& killed);
  void take(const EventsLost& lost);
  void take(const StandByOver& over);

  // engine_turn.cpp: due passes, and the rounds of a turn.
  void want(PassTrigger trigger);
  void continue_turn();
  void run_wanted_pass();
  void end_rounds();
  void end_turn();
  [[nodiscard]] bool resume_if_due();
  void resume();
  [[nodiscard]] Wait wait() const;
  [[nodiscard]] bool may_choose() const;
  [[nodiscard]] Known knows_pods();
  void take(const ScanAsked& asked);

  // engine_pass.cpp: one pass.
  void begin_pass(PassTrigger trigger, bool resumed);
  void take(const ReadingsTaken& readings);
  void take(const LookedAgain& looked);
  [[nodiscard]] eviction::PassInput pass_input(const eviction::Brakes& in_force) const;
  void decide();
  void signal_next();
  [[nodiscard]] bool evict(const eviction::Decision& decision);
  [[nodiscard]] bool escalate(const eviction::Decision& decision);
  [[nodiscard]] bool begin(std::size_t pod, const Beginning& how);
  void take(const Signalled& signalled);
  void begun(const Signalled& signalled);
  void refuse(const PodView& victim, Errc code);
  void queue_for_room(const PodView& victim);
  void grace_was_cut(const Signalled& signalled);
  void end_pass();

  // engine_victims.cpp: evictions in progress.
  void take(const EvictionFound& found);
  void take(const WentOn& went_on);
  void take(const VictimStep& step);
  void take(const VictimRead& read);
  void advance_victim(Victim& victim, const VictimStep& step);
  void judge_if_due(Victim& victim, const CgroupUsage& usage);
  void follow(PassTrigger trigger);
  void try_again();
  void follow_releases();
  void follow_releases(Victim& victim, const FollowedPod& pod);
  void set_standings();
  void update_growth();
  void end_dry_runs(DryRuns which);
  void record_release(const Victim& victim, Bytes left, MonoTime at);

  // engine_backstop.cpp: the kill that the kernel side may do alone.
  void take(const BackstopTaken& taken);
  void arm_backstop();
  [[nodiscard]] tl::expected<BackstopPlan, NoBackstop> find_backstop();

  // engine_disk.cpp: disk work of other threads.
  void take(const PodsMeasured& measured);
  void take(const CollectorsDone& done) { disk_work_.collectors_done(done.round); }
  void take(const FilesReleased& released);
  void ask_for_fresh_disks();
  void prepare_disk_eviction();
  void begin_reclaim();
  void need_usage();

  [[nodiscard]] const PodView* pod_at(std::size_t place) const;
  [[nodiscard]] const eviction::ThresholdTable& thresholds() const;
  void order(const Effect& effect) { effects_->add(effect); }

  Options options_;
  Configuration* configuration_;
  Pods pods_;
  Victims victims_;
  RefusedPods refused_;
  Agenda agenda_;
  Crossings crossings_;
  PodScans scans_;
  DiskWork disk_work_;
  NewerReadings newer_readings_;
  GrowthSince growth_;
  core::StandBy stand_by_;
  Approached approached_;
  OperatorWishes wishes_;
  EvictionTimes times_;
  EvictionTimes times_before_;
  std::optional<MonoTime> released_at_;  ///< When a victim's memory was last seen to be free.
  std::optional<MonoTime> released_below_pod_root_at_;  ///< The same for one below the pod root.
  std::optional<MonoTime> disks_asked_at_;
  PassRun pass_;
  ReadingsTaken readings_;
  Victim found_;  ///< An earlier evictd's victim, while GoOnWith is pending.
  BackstopPlan backstop_;
  bool backstop_armed_ = false;
  CgroupId backstop_victim_;
  std::vector<std::uint32_t> followed_;
  std::vector<eviction::ReleasingPod> releasing_;
  std::vector<std::size_t> local_signalled_;
  bool no_victim_found_ = false;  ///< In the last pass, although a threshold was met.
  Counters counters_;
  MonoTime now_{};
  Effects* effects_ = nullptr;  ///< Of the current event.
};

}  // namespace evictd::engine
