// SPDX-License-Identifier: Apache-2.0
// One pass of the hot thread: read, decide, signal, report.
#include <algorithm>

#include "base/fault_point.h"
#include "daemon/hot_loop.h"
#include "daemon/left_memory.h"
#include "eviction/hold.h"

namespace evictd::daemon {

namespace {

/// Limits change by hand and rarely: the regular pass and one that housekeeping asked for look.
bool reads_limits(PassTrigger trigger) {
  return trigger == PassTrigger::kRegular || trigger == PassTrigger::kRequest;
}

/// What a victim counts with at least whose files are awaited: it was not measured yet, or while
/// they were being removed, and nobody goes in its place all the same.
constexpr Bytes kSomeDisk{1};

bool counts_tasks(const eviction::ThresholdTable& thresholds) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].signal == eviction::Signal::kPidAvailable) {
      return true;
    }
  }
  return false;
}

/// Its processes have ended by themselves; those that nobody has reaped are still tasks.
void note_vanished(InFlightTable::Entry& entry, MonoTime now) {
  entry.phase = InFlightTable::Phase::kReleased;
  entry.killed_at = now;
  entry.released_at = now;
}

}  // namespace

void HotLoop::want_pass(PassTrigger trigger) {
  if (trigger != PassTrigger::kDisk && trigger != PassTrigger::kApproach &&
      trigger != PassTrigger::kReport) {
    newer_readings_.note_cause();
  }
  // The regular cadence does more than an event, so it wins; else the first reason is the reason,
  // unless it was a mere rehearsal.
  if (!wanted_ || *wanted_ == PassTrigger::kApproach ||
      (cadence_of(*wanted_) == eviction::Cadence::kEventOnly &&
       trigger != PassTrigger::kApproach)) {
    wanted_ = trigger;
  }
}

/// False: it waits until it is known which pods there are, and is still wanted.
bool HotLoop::pass(MonoTime now) {
  const PassTrigger trigger = *wanted_;
  timeline_.wake_at = wake_at_;
  if (trigger == PassTrigger::kRegular) {
    try_again(now);
  }
  read(trigger, now);
  if (may_choose(now) && !knows_pods(now)) {
    return false;
  }
  pass_at_ = now;
  resumed_ = false;
  const eviction::Cadence cadence = cadence_of(trigger);
  count(options_.counters->passes[static_cast<std::size_t>(trigger)]);
  const eviction::Brakes in_force = brakes();
  if (options_.record_every_pass) {
    times_before_ = eviction_times_;
  }
  const eviction::Decision& decision =
      config_->manager.synchronize(now, input(cadence, in_force, now));
  timeline_.decide_at = options_.clock->now();
  begun_.reset();
  if (decision.met.empty()) {
    end_dry_runs(DryRuns::kOfPressure, now);
    // Else whoever was given up is wanted on, and spared only until it is looked at anew.
    if (decision.local_victims.empty() && refused_.empty()) {
      refused_.forget_put_off();
    }
  }
  note_held(decision);
  act(decision, now);
  if (!pass_again_ && !refused_.next_try()) {
    crossings_.forget_judged(decision);
  }
  decision_deadline_ = decision.next_deadline;
  ask_for_fresh_disks(decision);
  prepare_disk_eviction(decision, now);
  plan_regular(cadence, now);
  report(decision);
  tell_of_local_evictions();
  return true;
}

void HotLoop::try_again(MonoTime now) {
  if (in_flight_.empty() && refused_.empty()) {
    return;
  }
  for (const std::uint32_t slot : pods_.ordered()) {
    const HotPod& pod = *pods_.at(slot);
    const InFlightTable::Entry* entry = in_flight_.find(pod.memory_id);
    const bool over = entry != nullptr && entry->phase == InFlightTable::Phase::kOver;
    // Without a task there is nobody to signal, only what housekeeping has yet to find empty.
    if (!over && !refused_.has(pod)) {
      continue;
    }
    const std::int64_t tasks = readings_.read_one(pod, now).tasks;
    // Where nobody counts them, what it has left behind is told for as long as it does not grow.
    const bool owes = over && tasks < 0 && entry->left != InFlightTable::Left::kNothingSeen;
    if (owes || tasks == 0) {
      continue;
    }
    refused_.forget(pod);
    if (over) {
      in_flight_.remove(pod.memory_id);
    }
  }
}

void HotLoop::read(PassTrigger trigger, MonoTime now) {
  timeline_.begin_at = options_.clock->now();
  // Before they are read: what is read is at least as new.
  disks_asked_at_ =
      options_.filesystems != nullptr ? options_.filesystems->all_asked_at() : std::nullopt;
  readings_.read({.source = source(),
                  .limits = reads_limits(trigger),
                  .exact_tasks = counts_tasks(config_->manager.thresholds()),
                  .pid_source = config_->pid_source,
                  .compat = config_->manager.settings().compat,
                  .memory = config_->memory,
                  .disk = disk_work_.measurement(now),
                  .thresholds = &config_->manager.thresholds(),
                  .rehearsal = trigger == PassTrigger::kApproach},
                 pods_, storage_, now);
  note_releasing(now);
  set_standings();
  readings_.note_growth(
      pods_, in_flight_.take_left_anew() ? GrowthFrom::kThisReading : GrowthFrom::kBefore,
      any_left(releasing_));
  readings_.look_again(config_->manager.thresholds(), pods_, now);
  timeline_.observe_at = options_.clock->now();
}

eviction::PassInput HotLoop::input(eviction::Cadence cadence, const eviction::Brakes& in_force,
                                   MonoTime now) {
  disk_usage_pending_ = options_.filesystems != nullptr && !disk_work_.usage_counts(now);
  disk_progress_ = disk_work_.progress(now);
  return {.observations = &readings_.observations(),
          .pods = readings_.pods(),
          .layout = layout_,
          .releasing = releasing_,
          .disk_usage_pending = disk_usage_pending_,
          .disk_progress = disk_progress_,
          .cadence = cadence,
          .brakes = &in_force};
}

void HotLoop::set_standings() {
  if (in_flight_.empty() && refused_.empty()) {
    return;
  }
  const std::span<const std::uint32_t> slots = readings_.slots();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const HotPod& pod = *pods_.at(slots[i]);
    const InFlightTable::Entry* entry = in_flight_.find(pod.memory_id);
    // Nobody was there to be signalled, which was the refusal: what it left is awaited as of
    // others.
    const bool vanished = entry != nullptr && refused_.has(pod) &&
                          (entry->phase == InFlightTable::Phase::kReleased ||
                           entry->phase == InFlightTable::Phase::kOver);
    if (entry != nullptr && entry->phase != InFlightTable::Phase::kInUseAgain && !vanished) {
      readings_.pods()[i].standing = standing_of(*entry);
    } else if (refused_.has(pod) && readings_.pods()[i].standing != eviction::Standing::kUnknown) {
      // Else it was refused for what keeps it from any ranking, and will be again.
      readings_.pods()[i].standing = eviction::Standing::kRefused;
    }
  }
}

void HotLoop::note_releasing(MonoTime now) {
  releasing_.clear();
  options_.counters->unreaped_tasks.store(0, std::memory_order_relaxed);
  if (in_flight_.empty()) {
    return;
  }
  // Among all pods: a victim without a live process takes part in no pass, but its zombies count.
  for (const std::uint32_t slot : pods_.ordered()) {
    const HotPod& pod = *pods_.at(slot);
    InFlightTable::Entry* entry = in_flight_.find(pod.memory_id);
    if (entry != nullptr && entry->phase == InFlightTable::Phase::kOver) {
      // Housekeeping may stand still, and what runs there now is not the victim.
      const CgroupUsage usage = readings_.read_one(pod, now);
      if (InFlightTable::is_in_use_again(*entry, usage)) {
        in_flight_.remove(pod.memory_id);
      } else {
        add_left(*entry, left_behind(*entry, usage), releasing_);
      }
    } else if (entry != nullptr && (entry->phase == InFlightTable::Phase::kKilled ||
                                    entry->phase == InFlightTable::Phase::kReleased ||
                                    entry->phase == InFlightTable::Phase::kInUseAgain)) {
      note_releasing(pod, *entry, now);
    }
  }
  in_flight_.forget_freed(disks_asked_at_, now);
  for (const InFlightTable::Entry& entry : in_flight_.entries()) {
    if (entry.cgroup_gone) {
      releasing_.push_back({.killed_at = entry.killed_at,
                            .memory = Bytes{0},
                            .tasks = 0,
                            .disk = kSomeDisk,
                            .inodes = 1,
                            .below_pod_root = entry.below_pod_root});
    }
  }
}

void HotLoop::note_releasing(const HotPod& pod, InFlightTable::Entry& entry, MonoTime now) {
  const CgroupUsage usage = readings_.read_one(pod, now);
  const bool dying = entry.phase == InFlightTable::Phase::kKilled;
  const bool awaited_enough = now - entry.killed_at >= eviction::kReleaseWait;
  entry.holds_disk = InFlightTable::still_holds_disk(entry, disks_asked_at_, now);
  if (InFlightTable::is_in_use_again(entry, usage)) {
    if (!entry.holds_disk) {
      in_flight_.remove(pod.memory_id);
      return;
    }
    entry.phase = InFlightTable::Phase::kInUseAgain;
  }
  const bool released = entry.phase == InFlightTable::Phase::kReleased;
  // Tasks that are still there after so long are new ones: its cgroup is in use again.
  const bool empty = usage.tasks <= 0 || awaited_enough;
  const Bytes left = left_behind(entry, usage);
  const bool free = empty && !entry.holds_disk && (left.value == 0 || awaited_enough);
  if ((entry.observed_only && awaited_enough) || (released && free)) {
    entry.phase = InFlightTable::Phase::kOver;
    add_left(entry, left, releasing_);
    return;
  }
  eviction::ReleasingPod releasing;
  releasing.killed_at = entry.killed_at;
  releasing.below_pod_root = entry.below_pod_root;
  releasing.memory = dying && usage.has_memory() ? usage.working_set() : Bytes{0};
  releasing.left = left;
  releasing.tasks = dying || released ? std::max<std::int64_t>(usage.tasks, 0) : 0;
  if (released) {
    options_.counters->unreaped_tasks.fetch_add(releasing.tasks, std::memory_order_relaxed);
  }
  if (entry.holds_disk) {
    releasing.disk = kSomeDisk;
    releasing.inodes = 1;
  }
  const bool measured = entry.holds_disk && pod.slot < storage_.size();
  const HotStorage* storage = measured ? storage_[pod.slot].get() : nullptr;
  if (storage != nullptr && storage->pod == pod.memory_id) {
    const eviction::DiskReading& disk = storage->disk;
    releasing.disk = std::max(releasing.disk,
                              Bytes{static_cast<std::int64_t>(disk.log_bytes + disk.volume_bytes)});
    releasing.inodes =
        std::max(releasing.inodes, static_cast<std::int64_t>(disk.log_inodes + disk.volume_inodes));
  }
  releasing_.push_back(releasing);
}

void HotLoop::act(const eviction::Decision& decision, MonoTime now) {
  nobody_to_evict_ = decision.nobody_to_evict;
  local_signalled_.clear();
  if (options_.counters->waiting_for_room.exchange(0, std::memory_order_relaxed) == 0) {
    refused_.end_waiting();
  }
  for (const eviction::LocalStorageVictim& local : decision.local_victims) {
    evict_for_local_storage(local, decision, now);
  }
  timeline_.hook_at = crossings_.of(decision);
  if (!decision.victim) {
    return;
  }
  HotPod& victim = *pods_.at(readings_.slots()[*decision.victim]);
  switch (decision.outcome) {
    case eviction::Outcome::kEvicted:
    case eviction::Outcome::kOomGuard:
      evict(decision, victim, now);
      break;
    case eviction::Outcome::kEscalated:
      if (!dry_run()) {
        escalate(decision, victim, now);
      }
      break;
    case eviction::Outcome::kNothingMet:
    case eviction::Outcome::kInGrace:
    case eviction::Outcome::kStale:
    case eviction::Outcome::kReclaiming:
    case eviction::Outcome::kReclaimed:
    case eviction::Outcome::kNoCandidates:
    case eviction::Outcome::kAllProtected:
    case eviction::Outcome::kHeld:
    case eviction::Outcome::kFailed:
      break;
  }
}

/// Of an eviction that was decided and not begun.
void HotLoop::refuse(const HotPod& victim, const Beginning& how, Errc code, MonoTime now) {
  // For a limit of its own nobody else would go in its place, and while there is such a pod nobody
  // goes for the node's pressure: the next regular pass is early enough.
  const RefusedPods::Try tried = code == Errc::kIo && !how.for_own_limit
                                     ? refused_.put_off(victim, now)
                                     : RefusedPods::Try::kLast;
  if (tried == RefusedPods::Try::kFirst) {
    send(EvictionRefused{
        .victim = &victim, .code = code, .adopted = false, .tried_again = true, .at = now});
  }
  if (tried != RefusedPods::Try::kLast) {
    // It lives, and nothing has begun: a pass at the next try decides anew, and this one goes on to
    // nobody else.
    return;
  }
  if (code == Errc::kExhausted) {
    let_wait(victim, now);
    return;
  }
  count(options_.counters->not_begun);
  send(EvictionRefused{.victim = &victim, .code = code, .at = now});
  // It vanished, may not be signalled or could not be for long enough: it is passed over from now
  // on, and the next pass finds who goes instead.
  refused_.add(victim);
  if (code == Errc::kNotFound && victim.target) {
    InFlightTable::Entry entry;
    entry.pod = victim.memory_id;
    note_vanished(entry, now);
    in_flight_.add(entry);
  }
  pass_again_ = true;
}

/// Whoever else is chosen would be refused too: the end of one that is under way wakes a pass. Of
/// all who wait one is told of, however many passes come until then.
void HotLoop::let_wait(const HotPod& victim, MonoTime now) {
  options_.counters->waiting_for_room.fetch_add(1, std::memory_order_relaxed);
  const RefusedPods::Wait wait = refused_.wait(victim);
  if (wait == RefusedPods::Wait::kKnown) {
    return;
  }
  count(options_.counters->not_begun);
  count(options_.counters->too_many_under_way);
  if (wait == RefusedPods::Wait::kFirst) {
    send(EvictionRefused{.victim = &victim, .code = Errc::kExhausted, .at = now});
  }
}

std::optional<enforce::SignalReport> HotLoop::begin(HotPod& victim, const Beginning& how,
                                                    MonoTime now) {
  if (!in_flight_.has_room_for(victim.memory_id)) {
    // Before anything is written or sent: nobody would wait for what was signalled.
    refuse(victim, how, Errc::kExhausted, now);
    return std::nullopt;
  }
  base::fault_point(base::FaultPoint::kDecided);
  kill_due_at_ = now + how.grace;
  leave_intent(victim, {.hard = how.in_grace == InFlightTable::Phase::kHardGrace,
                        .at_once = how.grace.count() == 0,
                        .began_at = now,
                        .kill_due_at = kill_due_at_,
                        .for_disk = how.holds_disk,
                        .hold_tasks = how.hold_tasks});
  const Result<enforce::SignalReport> begun =
      victim.target ? actuator().begin(*victim.target,
                                       {.grace = how.grace, .hold_tasks = how.hold_tasks}, now)
                    : Result<enforce::SignalReport>(fail(Errc::kNotFound, {}));
  base::fault_point(base::FaultPoint::kSignalled);
  // Of the signal itself: the actuator goes on to see that nobody was missed.
  timeline_.signal_at = begun ? begun->last_at : options_.clock->now();
  const InFlightTable::Entry* const before = in_flight_.find(victim.memory_id);
  // Whoever had the cgroup before it: their disk is awaited on.
  const bool disk_before =
      before != nullptr && before->phase == InFlightTable::Phase::kInUseAgain && before->holds_disk;
  if (!begun) {
    // Of one that is being evicted already the intent is as true as the one before it.
    if (victim.target && !dry_run() && begun.error().code != Errc::kBusy) {
      enforce::clear_intent(*victim.target);
    }
    refuse(victim, how, begun.error().code, now);
    return std::nullopt;
  }
  if (rehearsed_ == &victim) {
    rehearsed_ = nullptr;  // It was for this.
  }
  InFlightTable::Entry entry;
  entry.pod = victim.memory_id;
  entry.ticket = begun->ticket;
  entry.phase = how.grace.count() == 0 ? InFlightTable::Phase::kKilled : how.in_grace;
  entry.killed_at = begun->last_at;
  entry.usage = how.usage.usage;
  entry.tasks = how.usage.tasks;
  entry.dry_run = dry_run();
  entry.below_pod_root = victim.facts.below_pod_root;
  entry.for_own_limit = how.for_own_limit;
  entry.hold_tasks = how.hold_tasks;
  entry.holds_disk = (how.holds_disk || disk_before) && !entry.dry_run;
  if (entry.dry_run) {
    // What its death would have changed is not known, so nobody else is named before the pressure
    // is over or the pod is gone: it is waited for, as a victim in its hard grace is. Not for one
    // with a limit of its own: see standing_of().
    entry.phase = InFlightTable::Phase::kHardGrace;
  }
  in_flight_.add(entry);
  refused_.note_begun(victim);
  eviction_times_.add(now, entry.dry_run);
  count(options_.counters->evictions);
  return *begun;
}

void HotLoop::evict(const eviction::Decision& decision, HotPod& victim, MonoTime now) {
  const eviction::Threshold& threshold = config_->manager.thresholds()[*decision.threshold];
  begun_ = begin(victim,
                 {.grace = decision.grace,
                  .in_grace = threshold.is_hard() ? InFlightTable::Phase::kHardGrace
                                                  : InFlightTable::Phase::kSoftGrace,
                  .holds_disk = eviction::is_disk(threshold.signal),
                  .hold_tasks = threshold.signal == eviction::Signal::kPidAvailable &&
                                decision.grace.count() != 0,
                  .usage = readings_.usages()[*decision.victim]},
                 now);
  pass_again_ = pass_again_ || (begun_ && decision.cut_at_once && !dry_run());
}

void HotLoop::escalate(const eviction::Decision& decision, const HotPod& victim, MonoTime now) {
  InFlightTable::Entry* entry = in_flight_.find(victim.memory_id);
  if (entry == nullptr) {
    return;
  }
  kill_due_at_ = now + decision.grace;
  const eviction::Threshold& threshold = config_->manager.thresholds()[*decision.threshold];
  entry->holds_disk = entry->holds_disk || eviction::is_disk(threshold.signal);
  if (decision.grace.count() != 0) {
    leave_intent(victim, {.hard = true,
                          .began_at = now,
                          .kill_due_at = kill_due_at_,
                          .for_disk = entry->holds_disk,
                          .hold_tasks = entry->hold_tasks});
  }
  const Result<enforce::SignalReport> cut =
      actuator().cut_grace(entry->ticket, now + decision.grace, now);
  timeline_.signal_at = options_.clock->now();
  if (!cut && cut.error().code == Errc::kIo) {
    // Its grace is over all the same: the actuator tries again, and tells what comes of it.
    entry->phase = InFlightTable::Phase::kHardGrace;
    count(options_.counters->not_begun);
    return;
  }
  if (!cut) {
    // It may not be signalled any more, or it is gone: to wait for it would spare everybody.
    entry->phase = InFlightTable::Phase::kOver;
    if (cut.error().code == Errc::kNotFound) {
      note_vanished(*entry, now);
    } else {
      clear_intent(victim.memory_id);  // Else the next evictd would do what was refused here.
    }
    count(options_.counters->not_begun);
    if (cut.error().code != Errc::kInvalid) {
      // Else the actuator tells why at the end of the grace, which is now.
      send(EvictionRefused{.victim = &victim, .code = cut.error().code, .at = now});
    }
    pass_again_ = true;
    return;
  }
  entry->phase = decision.grace.count() == 0 ? InFlightTable::Phase::kKilled
                                             : InFlightTable::Phase::kHardGrace;
  entry->killed_at = cut->last_at;
  entry->usage = readings_.usages()[*decision.victim].usage;
  entry->tasks = readings_.usages()[*decision.victim].tasks;
  begun_ = *cut;
  pass_again_ = pass_again_ || decision.cut_at_once;
}

}  // namespace evictd::daemon
