// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/stand_by.h"
#include "engine/agenda.h"
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

/// The whole life of an eviction as a machine: it is told what happens, and answers what is to be
/// done. It has no clock, descriptor or thread, and allocates nothing once it was made. Equal
/// events at equal times give equal effects, whoever drives it: the daemon's hot thread, a test, a
/// simulation.
///
/// How to drive it: tell Woken, then events as they come, then Turn. Do what each answer lists, in
/// order. The last of a list may be a question (effect.h); its answer is the next event, before any
/// other. A turn has ended with Wait.
class Engine {
 public:
  using Options = EngineOptions;
  Engine(const Options& options, MonoTime now);

  [[nodiscard]] Effects on(const Event& event, MonoTime now);

  // Between events: what a Report is about, and how the engine stands.
  [[nodiscard]] const Configuration& configuration() const { return *configuration_; }
  [[nodiscard]] const eviction::Decision& decision() const {
    return configuration_->manager.decision();
  }
  /// What the last pass was given beside its readings.
  [[nodiscard]] const PassRun& pass() const { return pass_; }
  [[nodiscard]] std::span<const eviction::ReleasingPod> releasing() const { return releasing_; }
  [[nodiscard]] const eviction::DiskLayout& layout() const { return options_.layout; }
  /// Places of pods whose eviction for a limit of their own the last pass began.
  [[nodiscard]] std::span<const std::size_t> local_signalled() const { return local_signalled_; }
  [[nodiscard]] const EvictionTimes& eviction_times() const { return times_; }
  /// As they were before the last pass.
  [[nodiscard]] const EvictionTimes& times_before() const { return times_before_; }
  [[nodiscard]] eviction::Brakes brakes() const;
  [[nodiscard]] bool dry_run() const;
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const Victims& victims() const { return victims_; }
  [[nodiscard]] const std::optional<PassTrigger>& wanted() const { return agenda_.wanted(); }
  /// Slots of pods that are to be read with the pass that was asked for, also where they take no
  /// part in it.
  [[nodiscard]] std::span<const std::uint32_t> followed() const { return followed_; }

  /// Whether to wait awake: a threshold is about to be reached. Ends with StandByOver.
  [[nodiscard]] bool stands_by() const { return stand_by_.under_way(); }
  /// Whether that goes on at `now`; not once a pass is wanted.
  [[nodiscard]] bool goes_on_standing_by(MonoTime now) const {
    return !agenda_.wanted() && stand_by_.lasts(now);
  }
  /// Whose limit the last hint was about.
  [[nodiscard]] eviction::Scope approached() const { return approached_; }

 private:
  // engine.cpp: what is told.
  void take(const Woken& woken) { agenda_.wake(woken.at); }
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

  // engine_turn.cpp: what is due, and the rounds of a turn.
  void want(PassTrigger trigger);
  void continue_turn();
  void run_wanted_pass();
  void end_rounds();
  void end_turn();
  [[nodiscard]] bool resume_if_due();
  void resume();
  [[nodiscard]] Wait wait() const;
  [[nodiscard]] bool may_choose() const;
  /// Whether the pods are known as they are now.
  enum class Known : std::uint8_t { kYes, kAsking, kWaiting };
  [[nodiscard]] Known knows_pods();
  void take(const ScanAsked& asked);

  // engine_pass.cpp: one pass.
  void begin_pass(PassTrigger trigger, bool resumed);
  void take(const ReadingsTaken& readings);
  void take(const LookedAgain& looked);
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

  // engine_victims.cpp: those that were begun.
  void take(const EvictionFound& found);
  void take(const WentOn& went_on);
  void take(const VictimStep& step);
  void take(const VictimRead& read);
  void advance_victim(Victim& victim, const VictimStep& step);
  void judge_if_due(Victim& victim, const CgroupUsage& usage);
  void follow(PassTrigger trigger);
  void try_again();
  void note_releasing();
  void note_releasing(Victim& victim, const FollowedPod& pod);
  void set_standings();
  void update_growth();
  enum class DryRuns : std::uint8_t {
    kAll,
    kOfPressure,  ///< But for pods named for a limit of their own that they still exceed.
  };
  void end_dry_runs(DryRuns which);
  [[nodiscard]] bool exceeds_own_limit(CgroupId pod) const;
  void record_release(const Victim& victim, Bytes left, MonoTime at);

  // engine_disk.cpp: what others do about disks.
  void take(const PodsMeasured& measured);
  void take(const CollectorsDone& done) { disk_work_.collectors_done(done.round); }
  void take(const FilesReleased& released);
  void ask_for_fresh_disks();
  void prepare_disk_eviction();
  void begin_reclaim();
  void need_usage();

  [[nodiscard]] const PodView* pod_at(std::size_t place) const {
    return pods_.at(readings_.slots[place]);
  }
  [[nodiscard]] const eviction::ThresholdTable& thresholds() const {
    return configuration_->manager.thresholds();
  }
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
  eviction::Scope approached_ = eviction::Scope::kNode;
  OperatorWishes wishes_;
  EvictionTimes times_;
  EvictionTimes times_before_;
  std::optional<MonoTime> released_at_;  ///< When a victim's memory was last seen to be free.
  std::optional<MonoTime> released_below_pod_root_at_;  ///< The same of one below the pod root.
  std::optional<MonoTime> disks_asked_at_;
  PassRun pass_;
  ReadingsTaken readings_;
  Victim found_;  ///< Of an earlier evictd, while the actuator is asked to go on with it.
  std::vector<std::uint32_t> followed_;
  std::vector<eviction::ReleasingPod> releasing_;
  std::vector<std::size_t> local_signalled_;
  bool no_victim_found_ = false;  ///< In the last pass, although something was met.
  Counters counters_;
  MonoTime now_{};
  Effects* effects_ = nullptr;  ///< Of the event that is being taken.
};

}  // namespace evictd::engine
