// SPDX-License-Identifier: Apache-2.0
// One pass: read, decide, signal, report.
#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/engine.h"

namespace evictd::engine {

namespace {

/// Most rounds of one turn. The bound leaves time for messages and deadlines in between.
constexpr int kMostRounds = 16;

/// Its processes have exited by themselves; unreaped ones still count as tasks.
void mark_vanished(Victim& victim, MonoTime now) {
  victim.phase = VictimPhase::kReleased;
  victim.killed_at = now;
  victim.released_at = now;
}

/// The kernel side has killed it, and no actuator reports its end: `refused` says why.
void mark_killed_by_kernel(Victim& victim, Errc refused, MonoTime killed_at) {
  victim.killed_at = killed_at;
  if (refused == Errc::kNotFound) {
    // Nobody is left: what came there since the kill is not the victim.
    victim.phase = VictimPhase::kReleased;
    victim.released_at = killed_at;
    victim.leaves_memory = true;
  } else {
    victim.observed_only = true;
  }
}

/// The place of a pod that a pass has read.
std::size_t place_of(CgroupId pod, const Pods& pods, std::span<const std::uint32_t> slots) {
  const auto slot = std::find_if(slots.begin(), slots.end(),
                                 [&](std::uint32_t one) { return pods.at(one)->id == pod; });
  assert(slot != slots.end());
  return static_cast<std::size_t>(slot - slots.begin());
}

}  // namespace

void Engine::begin_pass(PassTrigger trigger, bool resumed) {
  pass_.trigger = trigger;
  pass_.at = now_;
  pass_.resumed = resumed;
  pass_.adopted.reset();
  pass_.acted = false;
  pass_.again = false;
  follow(trigger);
  order(Read{.trigger = trigger, .at = now_, .disk = disk_work_.measurement(now_)});
}

void Engine::take(const ReadingsTaken& readings) {
  readings_ = readings;
  disks_asked_at_ = readings.disks_asked_at;
  if (pass_.trigger == PassTrigger::kRegular) {
    try_again();
  }
  follow_releases();
  set_standings();
  update_growth();
  order(LookAgain{.at = pass_.at});
}

void Engine::take(const LookedAgain& looked) {
  pass_.next_look = looked.next_look;
  if (pass_.adopted) {
    pass_.adopted->pod = place_of(backstop_victim_, pods_, readings_.slots);
    decide();
    return;
  }
  if (!pass_.resumed && readings_.observations != nullptr && may_choose()) {
    switch (knows_pods()) {
      case Known::kYes:
        break;
      case Known::kAsking:
        return;
      case Known::kWaiting:
        end_turn();
        return;
    }
  }
  decide();
}

eviction::PassInput Engine::pass_input(const eviction::Brakes& in_force) const {
  return {.observations = readings_.observations,
          .pods = readings_.pods,
          .layout = options_.layout,
          .releasing = releasing_,
          .disk_usage_pending = pass_.disk_usage_pending,
          .disk_progress = pass_.disk_progress,
          .cadence = pass_.resumed ? eviction::Cadence::kEventOnly : cadence_of(pass_.trigger),
          .brakes = &in_force};
}

void Engine::decide() {
  ++counters_.passes[static_cast<std::size_t>(pass_.trigger)];
  pass_.disk_usage_pending = options_.has_filesystems && !disk_work_.usage_counts(pass_.at);
  pass_.disk_progress = disk_work_.progress(pass_.at);
  if (times_before_.changes() != times_.changes()) {
    times_before_ = times_;
  }
  const eviction::Brakes in_force = brakes();
  const eviction::PassInput input = pass_input(in_force);
  eviction::EvictionManager& manager = configuration_->manager;
  const eviction::Decision& decision =
      pass_.adopted ? manager.adopt_kill(pass_.at, input, backstop_.threshold, pass_.adopted->pod)
                    : (pass_.resumed ? manager.resume(pass_.at, input)
                                     : manager.synchronize(pass_.at, input));
  if (!pass_.resumed && decision.met.empty()) {
    end_dry_runs(DryRuns::kOfPressure);
    // A pod that was given up still has to go while there are other refused pods.
    if (decision.local_victims.empty() && refused_.empty()) {
      refused_.forget_put_off();
    }
  }
  if (decision.outcome == eviction::Outcome::kHeld) {
    ++counters_.held[static_cast<std::size_t>(decision.reason)];
  }
  no_victim_found_ = decision.nobody_to_evict;
  local_signalled_.clear();
  pass_.next_local = 0;
  pass_.victim_tried = false;
  if (std::exchange(counters_.waiting_for_room, 0) == 0) {
    refused_.end_waiting();
  }
  signal_next();
}

/// Pods that exceed their own limit go first, then the victim of a threshold.
void Engine::signal_next() {
  const eviction::Decision& decision = this->decision();
  while (pass_.next_local < decision.local_victims.size()) {
    const std::size_t local = pass_.next_local++;
    if (begin(decision.local_victims[local].pod,
              {.grace = decision.grace, .holds_disk = true, .local = local})) {
      return;
    }
  }
  if (decision.victim && !std::exchange(pass_.victim_tried, true)) {
    const bool begins = decision.outcome == eviction::Outcome::kEvicted ||
                        decision.outcome == eviction::Outcome::kOomGuard;
    const bool cuts = decision.outcome == eviction::Outcome::kEscalated && !dry_run();
    if ((begins && evict(decision)) || (cuts && escalate(decision))) {
      return;
    }
  }
  end_pass();
}

bool Engine::evict(const eviction::Decision& decision) {
  const eviction::Threshold& threshold = thresholds()[*decision.threshold];
  return begin(*decision.victim,
               {.grace = decision.grace,
                .in_grace = threshold.is_hard() ? VictimPhase::kHardGrace : VictimPhase::kSoftGrace,
                .holds_disk = eviction::is_disk(threshold.signal),
                .hold_tasks = threshold.signal == eviction::Signal::kPidAvailable &&
                              decision.grace.count() != 0,
                .bridge = configuration_->bridge_grace && eviction::is_memory(threshold.signal) &&
                          decision.grace.count() != 0,
                .local = std::nullopt});
}

/// Whether a signal was requested.
bool Engine::begin(std::size_t pod, const Beginning& how) {
  pass_.awaited = pod;
  pass_.beginning = how;
  pass_.cutting = false;
  const PodView& victim = *pod_at(pod);
  if (!victims_.has_room_for(victim.id)) {
    // Before anything is written or sent: without room, no pass would wait for the signalled pod.
    refuse(victim, Errc::kExhausted);
    return false;
  }
  order(Signal{.pod = pod,
               .at = pass_.at,
               .grace = how.grace,
               .kill_due_at = pass_.at + how.grace,
               .hard = how.in_grace == VictimPhase::kHardGrace,
               .for_disk = how.holds_disk,
               .hold_tasks = how.hold_tasks,
               .bridge = how.bridge,
               .dry_run = dry_run(),
               .begun_by_kernel = pass_.adopted.has_value(),
               .local = how.local});
  return true;
}

/// Whether a shorter grace period was requested.
bool Engine::escalate(const eviction::Decision& decision) {
  Victim* victim = victims_.find(pod_at(*decision.victim)->id);
  if (victim == nullptr) {
    return false;
  }
  victim->holds_disk =
      victim->holds_disk || eviction::is_disk(thresholds()[*decision.threshold].signal);
  pass_.awaited = *decision.victim;
  pass_.cutting = true;
  order(CutGrace{.pod = *decision.victim,
                 .ticket = victim->ticket,
                 .at = pass_.at,
                 .kill_due_at = pass_.at + decision.grace,
                 .for_disk = victim->holds_disk,
                 .hold_tasks = victim->hold_tasks});
  return true;
}

void Engine::take(const Signalled& signalled) {
  if (pass_.cutting) {
    grace_was_cut(signalled);
  } else if (signalled.refused && !pass_.adopted) {
    refuse(*pod_at(pass_.awaited), *signalled.refused);
  } else {
    begun(signalled);
  }
  signal_next();
}

void Engine::begun(const Signalled& signalled) {
  const Beginning& how = pass_.beginning;
  const PodView& pod = *pod_at(pass_.awaited);
  const Victim* const before = victims_.find(pod.id);
  // Keeps waiting for the disk space of the cgroup's earlier processes.
  const bool disk_before =
      before != nullptr && before->phase == VictimPhase::kInUseAgain && before->holds_disk;
  const CgroupUsage& usage = readings_.usages[pass_.awaited];
  Victim victim;
  victim.pod = pod.id;
  victim.ticket = signalled.ticket;
  victim.phase = how.grace.count() == 0 ? VictimPhase::kKilled : how.in_grace;
  victim.killed_at = signalled.last_at;
  victim.usage = usage.usage;
  victim.tasks = usage.tasks;
  victim.dry_run = dry_run();
  victim.below_pod_root = pod.below_pod_root;
  victim.for_own_limit = how.local.has_value();
  victim.hold_tasks = how.hold_tasks;
  victim.holds_disk = (how.holds_disk || disk_before) && !victim.dry_run;
  if (victim.dry_run) {
    // The effect of its death is unknown. No other pod is named before the pressure is over or the
    // pod is gone, as with a victim in its hard grace period; see also standing_of().
    victim.phase = VictimPhase::kHardGrace;
  }
  if (signalled.refused) {
    mark_killed_by_kernel(victim, *signalled.refused, pass_.adopted->at);
  }
  victims_.add(victim);
  refused_.stop_putting_off(pod);
  times_.add(pass_.at, victim.dry_run);
  ++counters_.evictions;
  if (how.local) {
    local_signalled_.push_back(pass_.awaited);
    return;
  }
  pass_.acted = true;
  pass_.again = pass_.again || (decision().cut_at_once && !victim.dry_run);
}

/// Handles an eviction that was decided but did not begin.
void Engine::refuse(const PodView& victim, Errc code) {
  // For its own limit no other pod would go in its place. While there is such a pod, no pod goes
  // for the node's pressure. The next regular pass is early enough.
  const RefusedPods::Try tried = code == Errc::kIo && !pass_.beginning.local
                                     ? refused_.put_off(victim, pass_.at)
                                     : RefusedPods::Try::kLast;
  if (tried == RefusedPods::Try::kFirst) {
    order(TellRefused{.pod = victim.id, .code = code, .tried_again = true, .at = pass_.at});
  }
  if (tried != RefusedPods::Try::kLast) {
    // It lives, and nothing has begun. A pass at the next try decides again; this pass tries no
    // other pod.
    return;
  }
  if (code == Errc::kExhausted) {
    queue_for_room(victim);
    return;
  }
  ++counters_.not_begun;
  order(TellRefused{.pod = victim.id, .code = code, .at = pass_.at});
  // It vanished, may not be signalled, or could not be for too long: passes skip it from now on,
  // and the next pass finds another pod.
  refused_.add(victim);
  if (code == Errc::kNotFound && victim.has_target) {
    Victim vanished;
    vanished.pod = victim.id;
    mark_vanished(vanished, pass_.at);
    victims_.add(vanished);
  }
  pass_.again = true;
}

/// Any other pod would be refused too: the end of an eviction in progress wakes a pass. Only one of
/// the waiting pods is reported, however many passes run until then.
void Engine::queue_for_room(const PodView& victim) {
  ++counters_.waiting_for_room;
  const RefusedPods::Wait wait = refused_.wait(victim);
  if (wait == RefusedPods::Wait::kKnown) {
    return;
  }
  ++counters_.not_begun;
  ++counters_.too_many_under_way;
  if (wait == RefusedPods::Wait::kFirst) {
    order(TellRefused{.pod = victim.id, .code = Errc::kExhausted, .at = pass_.at});
  }
}

void Engine::grace_was_cut(const Signalled& signalled) {
  Victim& victim = *victims_.find(pod_at(pass_.awaited)->id);
  const eviction::Decision& decision = this->decision();
  if (!signalled.refused) {
    const CgroupUsage& usage = readings_.usages[pass_.awaited];
    victim.phase = decision.grace.count() == 0 ? VictimPhase::kKilled : VictimPhase::kHardGrace;
    victim.killed_at = signalled.last_at;
    victim.usage = usage.usage;
    victim.tasks = usage.tasks;
    pass_.acted = true;
    pass_.again = pass_.again || decision.cut_at_once;
    return;
  }
  ++counters_.not_begun;
  if (*signalled.refused == Errc::kIo) {
    // Its grace period is over nevertheless: the actuator tries again and reports the result.
    victim.phase = VictimPhase::kHardGrace;
    return;
  }
  // It may not be signalled any more, or it is gone: a wait for it would block every eviction.
  victim.phase = VictimPhase::kOver;
  if (*signalled.refused == Errc::kNotFound) {
    mark_vanished(victim, pass_.at);
  } else {
    order(ClearIntent{.pod = victim.pod});  // Else the next evictd would kill the refused pod.
  }
  if (*signalled.refused != Errc::kInvalid) {
    // Else the actuator reports the reason at the end of the grace period, which is now.
    order(TellRefused{.pod = victim.pod, .code = *signalled.refused, .at = pass_.at});
  }
  pass_.again = true;
}

void Engine::end_pass() {
  const eviction::Decision& decision = this->decision();
  const MonoTime crossed_at = pass_.adopted ? pass_.adopted->at : crossings_.of(decision);
  if (pass_.resumed) {
    agenda_.resumed(decision.next_deadline, pass_.at);
  } else {
    if (!pass_.again && !refused_.next_try()) {
      crossings_.forget_judged(decision);
    }
    agenda_.decided(decision.next_deadline);
    ask_for_fresh_disks();
  }
  prepare_disk_eviction();
  if (!pass_.resumed) {
    agenda_.plan_regular(cadence_of(pass_.trigger), pass_.at, pass_.next_look);
  }
  order(Report{.trigger = pass_.trigger,
               .at = pass_.at,
               .resumed = pass_.resumed,
               .crossed_at = crossed_at});
  agenda_.forget();
  if (pass_.adopted) {
    want(PassTrigger::kRequest);  // It chose nobody: what else was wanted is still to be decided.
  }
  if (pass_.resumed) {
    pass_.round = 0;
    // The victim was not there: a whole pass finds another one. Enough was reclaimed: the
    // thresholds still have their earlier state, and later readings may wake no pass.
    if (!pass_.again && decision.outcome != eviction::Outcome::kReclaimed) {
      end_turn();
      return;
    }
  }
  if (pass_.again || pass_.resumed) {
    want(PassTrigger::kRequest);
    if (pass_.round < kMostRounds) {
      run_wanted_pass();
      return;
    }
  }
  end_rounds();
}

}  // namespace evictd::engine
