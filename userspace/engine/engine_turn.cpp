// SPDX-License-Identifier: Apache-2.0
// One turn: due work, the passes it requires, and the time of the next turn.
#include <algorithm>
#include <optional>
#include <ratio>

#include "engine/approach.h"
#include "engine/engine.h"
#include "eviction/hold.h"

namespace evictd::engine {

void Engine::want(PassTrigger trigger) {
  if (trigger != PassTrigger::kDisk && trigger != PassTrigger::kApproach &&
      trigger != PassTrigger::kReport) {
    newer_readings_.require_newer();
  }
  agenda_.want(trigger);
}

void Engine::take(const Turn& turn) {
  disks_asked_at_ = turn.disks_asked_at;
  pass_.round = 0;
  pass_.resumed_in_turn = false;
  const MonoTime woken_at = agenda_.turn_at();
  if (refused_.take_try(woken_at)) {
    want(PassTrigger::kDeadline);
  }
  const std::optional<PassTrigger> before = agenda_.wanted();
  agenda_.want_what_is_due();
  if (agenda_.wanted() != before) {
    newer_readings_.require_newer();
  }
  if (disk_work_.gave_up_usage(woken_at) || disk_work_.ran_out_of_time(woken_at)) {
    newer_readings_.require_newer();
    want(PassTrigger::kDisk);
  }
  continue_turn();
}

/// Victims are judged one after the other before a pass reads them.
void Engine::continue_turn() {
  for (const Victim& victim : victims_.all()) {
    if (const auto due = Victims::judgement_due(victim); due && *due <= agenda_.turn_at()) {
      order(ReadVictim{.pod = victim.pod, .at = agenda_.turn_at()});
      return;
    }
  }
  run_wanted_pass();
}

void Engine::run_wanted_pass() {
  if (!agenda_.wanted() || scans_.waits(agenda_.turn_at())) {
    end_turn();
    return;
  }
  if (++pass_.round == 1) {
    pass_.rehearsal = agenda_.wanted() == PassTrigger::kApproach;
  }
  begin_pass(*agenda_.wanted(), false);
}

/// After a pass without a victim: rehearses the first candidate if a crossing is near.
void Engine::end_rounds() {
  const bool rehearsal = pass_.rehearsal && !pass_.acted;
  // A wake-up is early enough for the beginning of a grace period.
  const bool ends_nobody =
      readings_.observations != nullptr && decision().met.empty() &&
      only_begins_grace(thresholds(), configuration_->manager.state(), *readings_.observations,
                        {.rate = approached_.rate, .now = now_});
  if (rehearsal && !ends_nobody) {
    order(Rehearse{.scope = approached_.scope});
    arm_backstop();
  } else {
    if (rehearsal && stands_by()) {
      stand_by_.end(now_);
    }
    order(EndRehearsal{});
  }
  end_turn();
}

void Engine::end_turn() {
  if (!resume_if_due()) {
    order(wait());
  }
}

/// Resumes the pass that waits for collectors, once they, a measurement of the pods and a reading
/// of the filesystems are done, or their time is over. False: not in this turn.
bool Engine::resume_if_due() {
  if (pass_.resumed_in_turn || !configuration_->manager.waits_for_collectors() ||
      !options_.has_filesystems) {
    return false;
  }
  switch (disk_work_.next_step(now_, disks_asked_at_)) {
    case DiskWork::Step::kWait:
      return false;
    case DiskWork::Step::kReadDisks:
      order(AskFilesystem{});
      return false;
    case DiskWork::Step::kResume:
      break;
  }
  // A pass that waits for a scan goes first, so that its trigger is not lost. The turn that its
  // answer or deadline brings serves this pass too.
  if (agenda_.wanted()) {
    return false;
  }
  pass_.resumed_in_turn = true;
  const Known known = knows_pods();
  if (known == Known::kYes) {
    resume();
  }
  return known != Known::kWaiting;
}

void Engine::resume() {
  disk_work_.end_reclaim();
  begin_pass(PassTrigger::kDisk, true);
}

Wait Engine::wait() const {
  const MonoTime turn = agenda_.turn_at();
  const bool scanning = scans_.waits(turn);
  Wait wait{.until = scanning ? scans_.deadline() : agenda_.next_regular(),
            .at_once = agenda_.wanted().has_value() && !scanning};
  const auto consider = [&](const std::optional<MonoTime>& moment) {
    if (moment) {
      wait.until = std::min(wait.until, *moment);
    }
  };
  if (const auto& deadline = agenda_.decision_deadline(); deadline && *deadline > turn) {
    consider(deadline);
  }
  consider(disk_work_.deadline(turn));
  consider(refused_.next_try());
  consider(victims_.next_judgement());
  return wait;
}

/// Whether the pass may choose a pod: a threshold is met and its grace period is over. The pass may
/// still be held; an unnecessary scan is harmless. A threshold that waits for a victim in its hard
/// grace period does not count. There the pass only holds or, below the floor, ends that grace
/// period, which must not wait for a scan.
bool Engine::may_choose() const {
  const eviction::EvictionManager& manager = configuration_->manager;
  const eviction::PassState& state = manager.state();
  for (std::size_t i = 0; i < thresholds().size(); ++i) {
    const eviction::Threshold& threshold = thresholds()[i];
    const auto& seen = (*readings_.observations)[threshold.signal];
    if (!seen) {
      continue;
    }
    const bool grace_over =
        threshold.is_hard() ||
        (state.first_observed[i] && pass_.at - *state.first_observed[i] >= threshold.grace_period);
    const bool acts =
        (state.past_grace.has(i) && thresholds().met(i, *seen, eviction::MinReclaim::kEnforced)) ||
        manager.guard_meets(i, *seen) ||
        (grace_over && thresholds().met(i, *seen, eviction::MinReclaim::kIgnored));
    // Last, because it walks all pods.
    if (acts && !eviction::has_standing(readings_.pods, eviction::Standing::kInHardGrace,
                                        manager.scope_at(i))) {
      return true;
    }
  }
  return false;
}

/// kYes also if a scan is not possible in time. kAsking: the answer is ScanAsked. kWaiting: the
/// result of the scan brings the next turn.
Known Engine::knows_pods() {
  if (options_.events_tell_pods && !scans_.lost()) {
    return Known::kYes;
  }
  switch (scans_.next_step(agenda_.turn_at(), now_)) {
    case PodScans::Step::kGoOn:
      return Known::kYes;
    case PodScans::Step::kWait:
      return Known::kWaiting;
    case PodScans::Step::kAsk:
      order(ScanPods{.round = scans_.asked()});
      return Known::kAsking;
    case PodScans::Step::kGiveUp:
      break;
  }
  // The scanning thread may hang; evictions continue.
  ++counters_.unscanned_passes;
  return Known::kYes;
}

void Engine::take(const ScanAsked& asked) {
  const bool resuming = pass_.resumed_in_turn && !agenda_.wanted();
  if (asked.asked) {
    order(wait());
    return;
  }
  scans_.not_asked();
  ++counters_.unscanned_passes;
  if (resuming) {
    resume();
  } else {
    decide();
  }
}

}  // namespace evictd::engine
