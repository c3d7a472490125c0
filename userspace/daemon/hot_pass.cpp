// SPDX-License-Identifier: Apache-2.0
// One pass of the hot thread: read, decide, signal, report.
#include <algorithm>
#include <utility>

#include "base/fault_point.h"
#include "daemon/hot_loop.h"
#include "eviction/hold.h"

namespace evictd::daemon {

namespace {

/// Kept for passes that evict: the others go uncopied first.
constexpr std::size_t kReservedCopies = 2;

/// Recovery seen by an event alone resets no grace; every pass that we decided to run does.
eviction::Cadence cadence_of(PassTrigger trigger) {
  switch (trigger) {
    case PassTrigger::kCrossing:
    case PassTrigger::kStall:
    case PassTrigger::kApproach:
    case PassTrigger::kDisk:
      return eviction::Cadence::kEventOnly;
    case PassTrigger::kRegular:
    case PassTrigger::kDeadline:
    case PassTrigger::kRelease:
    case PassTrigger::kRequest:
      return eviction::Cadence::kRegular;
  }
  return eviction::Cadence::kRegular;
}

/// Limits change by hand and rarely: the regular pass and one that housekeeping asked for look.
bool reads_limits(PassTrigger trigger) {
  return trigger == PassTrigger::kRegular || trigger == PassTrigger::kRequest;
}

bool counts_tasks(const eviction::ThresholdTable& thresholds) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].signal == eviction::Signal::kPidAvailable) {
      return true;
    }
  }
  return false;
}

}  // namespace

void HotLoop::want_pass(PassTrigger trigger) {
  // The regular cadence does more than an event, so it wins; else the first reason is the reason,
  // unless it was a mere rehearsal.
  if (!wanted_ || *wanted_ == PassTrigger::kApproach ||
      (cadence_of(*wanted_) == eviction::Cadence::kEventOnly &&
       trigger != PassTrigger::kApproach)) {
    wanted_ = trigger;
  }
}

void HotLoop::pass(MonoTime now) {
  const PassTrigger trigger = *wanted_;
  pass_at_ = now;
  const eviction::Cadence cadence = cadence_of(trigger);
  count(options_.counters->passes[static_cast<std::size_t>(trigger)]);
  timeline_.wake_at = wake_at_;
  if (trigger == PassTrigger::kRegular) {
    in_flight_.forget_over();
  }
  readings_.read({.source = source(),
                  .limits = reads_limits(trigger),
                  .exact_tasks = counts_tasks(config_->manager.thresholds()),
                  .pid_source = config_->pid_source,
                  .compat = config_->manager.settings().compat,
                  .memory = config_->memory},
                 pods_, now);
  set_standings();
  note_releasing(now);
  readings_.look_again(config_->manager.thresholds(), pods_, now);
  timeline_.observe_at = options_.clock->now();
  const eviction::Brakes in_force = brakes();
  if (options_.record_every_pass) {
    times_before_ = eviction_times_;
  }
  const eviction::Decision& decision =
      config_->manager.synchronize(now, {.observations = &readings_.observations(),
                                         .pods = readings_.pods(),
                                         .layout = layout_,
                                         .releasing = releasing_,
                                         .cadence = cadence,
                                         .brakes = &in_force});
  timeline_.decide_at = options_.clock->now();
  begun_.reset();
  if (decision.met.empty()) {
    in_flight_.forget_dry_runs();
  }
  note_held(decision);
  forget_crossings(decision);
  act(decision, now);
  decision_deadline_ = decision.next_deadline;
  ask_for_fresh_disks(decision);
  if (cadence == eviction::Cadence::kRegular) {
    next_regular_ = now + next_interval();
  }
  report(decision);
}

void HotLoop::set_standings() {
  if (in_flight_.empty()) {
    return;
  }
  const std::span<const std::uint32_t> slots = readings_.slots();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const InFlightTable::Entry* entry = in_flight_.find(pods_.at(slots[i])->memory_id);
    if (entry != nullptr) {
      readings_.pods()[i].standing = standing_of(entry->phase);
    }
  }
}

void HotLoop::note_releasing(MonoTime now) {
  releasing_.clear();
  if (in_flight_.empty()) {
    return;
  }
  // Among all pods: a victim without a live process takes part in no pass, but its zombies count.
  for (const std::uint32_t slot : pods_.ordered()) {
    const HotPod& pod = *pods_.at(slot);
    InFlightTable::Entry* entry = in_flight_.find(pod.memory_id);
    if (entry == nullptr || (entry->phase != InFlightTable::Phase::kKilled &&
                             entry->phase != InFlightTable::Phase::kReleased)) {
      continue;
    }
    const CgroupUsage usage = readings_.read_one(pod, now);
    const bool dying = entry->phase == InFlightTable::Phase::kKilled;
    const bool awaited_enough =
        entry->observed_only && now - entry->killed_at >= eviction::kReleaseWait;
    if (awaited_enough || (!dying && usage.tasks <= 0)) {
      entry->phase = InFlightTable::Phase::kOver;
      continue;
    }
    eviction::ReleasingPod releasing;
    releasing.killed_at = entry->killed_at;
    releasing.memory = dying && usage.has_memory() ? usage.working_set() : Bytes{0};
    releasing.tasks = std::max<std::int64_t>(usage.tasks, 0);
    releasing_.push_back(releasing);
  }
}

void HotLoop::forget_crossings(const eviction::Decision& decision) {
  for (std::size_t i = 0; i < crossed_at_.size(); ++i) {
    if (crossed_at_[i] != MonoTime{} && !decision.met.has(i)) {
      crossed_at_[i] = MonoTime{};
    }
  }
}

void HotLoop::act(const eviction::Decision& decision, MonoTime now) {
  if (!decision.victim) {
    return;
  }
  HotPod& victim = *pods_.at(readings_.slots()[*decision.victim]);
  timeline_.hook_at = std::exchange(crossed_at_[*decision.threshold], MonoTime{});
  switch (decision.outcome) {
    case eviction::Outcome::kEvicted:
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

void HotLoop::evict(const eviction::Decision& decision, HotPod& victim, MonoTime now) {
  base::fault_point(base::FaultPoint::kDecided);
  const bool hard = config_->manager.thresholds()[*decision.threshold].is_hard();
  kill_due_at_ = now + decision.grace;
  if (decision.grace.count() != 0) {
    leave_intent(victim, {.hard = hard, .began_at = now, .kill_due_at = kill_due_at_});
  }
  Result<enforce::SignalReport> begun =
      victim.target ? actuator().begin(*victim.target, decision.grace, now)
                    : Result<enforce::SignalReport>(fail(Errc::kNotFound, {}));
  base::fault_point(base::FaultPoint::kSignalled);
  // Of the signal itself: the actuator goes on to see that nobody was missed.
  timeline_.signal_at = begun ? begun->last_at : options_.clock->now();
  InFlightTable::Entry entry;
  entry.pod = victim.memory_id;
  entry.phase = InFlightTable::Phase::kOver;
  if (!begun) {
    // It vanished or may not be signalled: it is passed over from now on, and the next pass finds
    // who goes instead.
    in_flight_.add(entry);
    if (victim.target && decision.grace.count() != 0 && !dry_run()) {
      enforce::clear_intent(*victim.target);
    }
    count(options_.counters->not_begun);
    send(EvictionRefused{.victim = &victim, .code = begun.error().code});
    refused_ = true;
    return;
  }
  if (rehearsed_ == &victim) {
    rehearsed_ = nullptr;  // It was for this.
  }
  entry.ticket = begun->ticket;
  entry.phase = decision.grace.count() == 0 ? InFlightTable::Phase::kKilled
                : hard                      ? InFlightTable::Phase::kHardGrace
                                            : InFlightTable::Phase::kSoftGrace;
  entry.killed_at = begun->last_at;
  entry.usage = readings_.usages()[*decision.victim].usage;
  entry.dry_run = dry_run();
  if (entry.dry_run) {
    // What its death would have changed is not known, so nobody else is named before the pressure
    // is over or the pod is gone: it is waited for, as a victim in its hard grace is.
    entry.phase = InFlightTable::Phase::kHardGrace;
  }
  in_flight_.add(entry);
  eviction_times_.add(now, entry.dry_run);
  count(options_.counters->evictions);
  begun_ = *begun;
}

void HotLoop::escalate(const eviction::Decision& decision, const HotPod& victim, MonoTime now) {
  InFlightTable::Entry* entry = in_flight_.find(victim.memory_id);
  if (entry == nullptr) {
    return;
  }
  kill_due_at_ = now + decision.grace;
  if (decision.grace.count() != 0) {
    leave_intent(victim, {.hard = true, .began_at = now, .kill_due_at = kill_due_at_});
  }
  const Result<enforce::SignalReport> cut =
      actuator().cut_grace(entry->ticket, now + decision.grace, now);
  timeline_.signal_at = options_.clock->now();
  if (!cut) {
    // It may not be signalled any more, or it is gone: to wait for it would spare everybody.
    entry->phase = InFlightTable::Phase::kOver;
    count(options_.counters->not_begun);
    send(EvictionRefused{.victim = &victim, .code = cut.error().code});
    refused_ = true;
    return;
  }
  entry->phase = decision.grace.count() == 0 ? InFlightTable::Phase::kKilled
                                             : InFlightTable::Phase::kHardGrace;
  entry->killed_at = cut->last_at;
  begun_ = *cut;
}

void HotLoop::report(const eviction::Decision& decision) {
  // Housekeeping would be busy with a rehearsal just when the crossing comes.
  const bool rehearsal = *wanted_ == PassTrigger::kApproach && !begun_;
  if (rehearsal && !options_.record_every_pass) {
    return;
  }
  PassDone done{.trigger = *wanted_, .timeline = timeline_, .begun = std::nullopt, .copy = nullptr};
  if (begun_) {
    done.begun = EvictionBegun{.victim = pods_.at(readings_.slots()[*decision.victim]),
                               .signals = *begun_,
                               .threshold = *decision.threshold,
                               .grace = decision.grace,
                               .kill_due_at = kill_due_at_,
                               .hard = config_->manager.thresholds()[*decision.threshold].is_hard(),
                               .escalated = decision.outcome == eviction::Outcome::kEscalated,
                               .dry_run = dry_run()};
  }
  if (copies_.size() > (begun_ ? 0 : kReservedCopies)) {
    std::unique_ptr<PassCopy> copy = std::move(copies_.back());
    copies_.pop_back();
    fill(*copy, decision);
    done.copy = std::move(copy);
  } else {
    note_unrecorded();
    count(options_.counters->uncopied_passes);
  }
  if (!done.begun && !done.copy) {
    return;
  }
  ToHousekeeping message(std::move(done));
  // A rehearsal that is recorded waits for the next message that wakes housekeeping.
  if (rehearsal ? !options_.outbox->queue.push(std::move(message)) : !offer(message)) {
    // The buffer is needed for the next pass.
    if (auto& copy = std::get<PassDone>(message).copy) {
      unrecorded_ = copy->missed;
      note_unrecorded();
      copies_.push_back(std::move(copy));
    }
  }
  if (begun_) {
    base::fault_point(base::FaultPoint::kReported);
  }
}

void HotLoop::note_unrecorded() {
  if (options_.record_every_pass) {
    ++unrecorded_;
    unrecorded_state_ = config_->manager.state();
  }
}

void HotLoop::fill(PassCopy& copy, const eviction::Decision& decision) {
  copy.node = readings_.node();
  copy.pod_root = readings_.pod_root();
  copy.pod_root_max_tasks = readings_.pod_root_max_tasks();
  copy.observations = readings_.observations();
  copy.memory = config_->memory;
  copy.decision = decision;
  copy.state = config_->manager.state();
  copy.eviction_times = eviction_times_;
  copy.actuator = options_.actuator->counters();
  copy.pods.clear();
  for (std::size_t i = 0; i < readings_.slots().size(); ++i) {
    copy.pods.push_back({.pod = pods_.at(readings_.slots()[i]),
                         .pass = readings_.pods()[i],
                         .usage = readings_.usages()[i]});
  }
  copy.now = pass_at_;
  copy.cadence = cadence_of(*wanted_);
  copy.layout = layout_;
  copy.releasing = releasing_;
  copy.config_generation = config_->generation;
  copy.before = std::exchange(unrecorded_state_, std::nullopt);
  copy.missed = std::exchange(unrecorded_, 0);
  copy.brakes = brakes();
  copy.brakes.recent = {};
  copy.times_before = times_before_;
}

}  // namespace evictd::daemon
