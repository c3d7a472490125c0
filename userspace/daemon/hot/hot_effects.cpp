// SPDX-License-Identifier: Apache-2.0
// What the engine wants done, as system calls and messages.
#include <variant>

#include "base/fault_point.h"
#include "daemon/hot/hot_loop.h"

namespace evictd::daemon {

namespace {

using base::fault_point;
using base::FaultPoint;

/// Limits change by hand and rarely: only the regular pass and one that housekeeping requested read
/// them.
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

engine::Signalled signalled(const Result<enforce::SignalReport>& report) {
  if (!report) {
    return {.refused = report.error().code, .ticket = {}, .last_at = {}};
  }
  return {.refused = std::nullopt, .ticket = report->ticket, .last_at = report->last_at};
}

}  // namespace

void HotLoop::dispatch(const engine::Event& event) {
  Answer next = event;
  while (next) {
    const engine::Effects effects = engine_.on(*next, options_.clock->now());
    next.reset();
    for (const engine::Effect& effect : effects) {
      if (Answer answer = std::visit([this](const auto& one) { return perform(one); }, effect)) {
        next = std::move(answer);
      }
    }
  }
}

HotLoop::Answer HotLoop::perform(const engine::Wait& wait) {
  wait_ = wait;
  return std::nullopt;
}

HotLoop::Answer HotLoop::perform(const engine::Read& read) {
  timeline_ = {};
  timeline_.wake_at = wake_at_;
  timeline_.begin_at = options_.clock->now();
  begun_.reset();
  engine::ReadingsTaken taken;
  // Set before the read: the readings are at least as new.
  taken.disks_asked_at = disks_asked_at();
  readings_.read({.source = looks_.source(),
                  .limits = reads_limits(read.trigger),
                  .exact_tasks = counts_tasks(config_->manager.thresholds()),
                  .pid_source = config_->pid_source,
                  .compat = config_->manager.settings().compat,
                  .memory = config_->memory,
                  .disk = read.disk,
                  .thresholds = &config_->manager.thresholds(),
                  .rehearsal = read.trigger == PassTrigger::kApproach},
                 pods_, storage_, read.at);
  followed_.clear();
  for (const std::uint32_t slot : engine_.followed()) {
    const HotPod& pod = *pods_.at(slot);
    const HotStorage* storage = slot < storage_.size() ? storage_[slot].get() : nullptr;
    const bool measured = storage != nullptr && storage->pod == pod.memory_id;
    followed_.push_back(
        {.usage = readings_.read_one(pod, read.at), .disk = measured ? &storage->disk : nullptr});
  }
  if (options_.filesystems != nullptr) {
    for (const eviction::Signal signal : eviction::kSignals) {
      if (const auto role = disk::role_of(signal)) {
        taken.full_at.at(static_cast<std::size_t>(signal)) =
            options_.filesystems->full_at(*role, disk::counts_inodes(signal));
      }
    }
  }
  taken.observations = &readings_.observations();
  taken.pods = readings_.pods();
  taken.slots = readings_.slots();
  taken.usages = readings_.usages();
  taken.followed = followed_;
  return taken;
}

HotLoop::Answer HotLoop::perform(const engine::LookAgain& look) {
  readings_.look_again(config_->manager.thresholds(), pods_, look.at);
  timeline_.observe_at = options_.clock->now();
  return engine::LookedAgain{.next_look = looks_.next(*config_, readings_)};
}

/// Runs before the first signal. A restarted evictd must not send SIGTERM again nor forget the end
/// of the grace period. It must know which pods it killed, and let those fork again that it did not
/// kill.
std::optional<enforce::PidsMax> HotLoop::leave_intent(const HotPod& victim,
                                                      const enforce::Intent& intent) {
  if (!victim.target) {
    return std::nullopt;
  }
  const enforce::PidsMax pids_max = victim.target->pids_max_now();
  if (!enforce::write_intent(*victim.target, intent, options_.intent_clock, pids_max)) {
    count(options_.counters->intents_not_written);
  }
  fault_point(FaultPoint::kIntended);
  return pids_max;
}

HotLoop::Answer HotLoop::perform(const engine::Signal& signal) {
  timeline_.decide_at = options_.clock->now();
  HotPod& victim = pod_at(signal.pod);
  fault_point(FaultPoint::kDecided);
  kill_due_at_ = signal.kill_due_at;
  const bool by_kernel = signal.begun_by_kernel && kernel_kill_;
  enforce::Start start{.grace = by_kernel ? Duration{0} : Duration(signal.grace),
                       .hold_tasks = signal.hold_tasks,
                       .bridge = signal.bridge};
  if (by_kernel) {
    start.killed_by_kernel_at = kernel_kill_->at;
  }
  if (!signal.dry_run) {
    start.pids_max =
        leave_intent(victim, {.hard = signal.hard,
                              .at_once = signal.grace.count() == 0,
                              .began_at = start.killed_by_kernel_at.value_or(signal.at),
                              .kill_due_at = signal.kill_due_at,
                              .for_disk = signal.for_disk,
                              .hold_tasks = signal.hold_tasks});
  }
  const Result<enforce::SignalReport> begun =
      victim.target ? actuator(signal.dry_run).begin(*victim.target, start, signal.at)
                    : Result<enforce::SignalReport>(fail(Errc::kNotFound, {}));
  fault_point(FaultPoint::kSignalled);
  const bool by_kernel_alone = begun && begun->method == enforce::SignalMethod::kKernel;
  // The time of the signal itself: the actuator continues to check that no process was missed.
  timeline_.signal_at = begun && !by_kernel_alone ? begun->last_at : options_.clock->now();
  if (!begun) {
    // If the pod's eviction is in progress already, the intent is as valid as the one before it.
    if (victim.target && !signal.dry_run && begun.error().code != Errc::kBusy) {
      enforce::clear_intent(*victim.target);
    }
    if (by_kernel) {
      begun_ = report_of_kernel_kill();
    }
    return signalled(begun);
  }
  if (rehearsed_ == &victim) {
    rehearsed_ = nullptr;  // The preparation has been used.
  }
  if (signal.local) {
    queue_local_eviction(signal, *begun);
  } else {
    begun_ = by_kernel_alone ? report_of_kernel_kill() : *begun;
  }
  return signalled(begun);
}

void HotLoop::queue_local_eviction(const engine::Signal& signal,
                                   const enforce::SignalReport& begun) {
  HotPod& victim = pod_at(signal.pod);
  local_begun_.push_back(
      {.victim = &victim,
       .storage = storage_[victim.slot].get(),
       .signals = begun,
       .breach = engine_.decision().local_victims[*signal.local].breach,
       .grace = signal.grace,
       .kill_due_at = signal.kill_due_at,
       .dry_run = signal.dry_run,
       .trigger = engine_.pass().trigger,
       .timeline = timeline_,
       .config_generation = config_->generation,
       .pass_at = signal.at,
       .evictions_last_minute =
           engine_.eviction_times().within(eviction::kRateWindow, signal.at) + 1});
}

HotLoop::Answer HotLoop::perform(const engine::CutGrace& cut) {
  timeline_.decide_at = options_.clock->now();
  kill_due_at_ = cut.kill_due_at;
  if (cut.kill_due_at > cut.at) {
    leave_intent(pod_at(cut.pod), {.hard = true,
                                   .began_at = cut.at,
                                   .kill_due_at = cut.kill_due_at,
                                   .for_disk = cut.for_disk,
                                   .hold_tasks = cut.hold_tasks});
  }
  const Result<enforce::SignalReport> report =
      options_.actuator->cut_grace(cut.ticket, cut.kill_due_at, cut.at);
  timeline_.signal_at = options_.clock->now();
  if (report) {
    begun_ = *report;
  }
  return signalled(report);
}

HotLoop::Answer HotLoop::perform(const engine::ReadVictim& read) {
  return engine::VictimRead{.pod = read.pod, .usage = usage_of(read.pod, read.at)};
}

HotLoop::Answer HotLoop::perform(const engine::GoOnWith& eviction) {
  const HotPod* const pod = pods_.find(eviction.pod);
  const Result<Ticket> ticket =
      options_.actuator->adopt(*pod->target,
                               {.state = eviction.killed ? enforce::EvictionState::kKilled
                                                         : enforce::EvictionState::kTerminating,
                                .began_at = adoption_.began_at,
                                .kill_due_at = adoption_.kill_due_at,
                                .killed_at = adoption_.killed_at,
                                .pids_max = adoption_.pids_max,
                                .hold_tasks = adoption_.hold_tasks},
                               wake_at_);
  return ticket ? engine::WentOn{.refused = std::nullopt, .ticket = *ticket}
                : engine::WentOn{.refused = ticket.error().code, .ticket = {}};
}

HotLoop::Answer HotLoop::perform(const engine::ScanPods& scan) {
  ToHousekeeping message{PassNeed(scan)};
  return engine::ScanAsked{.asked = offer(message)};
}

HotLoop::Answer HotLoop::perform(const engine::EndPretended& end) {
  options_.dry_run_actuator->end_pretended(end.ticket, end.at);
  // Before housekeeping hears of the next eviction, which may be of the same pod.
  take_progress(*options_.dry_run_actuator);
  return std::nullopt;
}

HotLoop::Answer HotLoop::perform(const engine::ClearIntent& clear) {
  fault_point(FaultPoint::kReleased);
  if (const HotPod* const pod = pods_.find(clear.pod); pod != nullptr && pod->target) {
    enforce::clear_intent(*pod->target);
  }
  fault_point(FaultPoint::kIntentCleared);
  return std::nullopt;
}

HotLoop::Answer HotLoop::perform(const engine::TellRefused& refused) {
  send(EvictionRefused{.victim = pods_.find(refused.pod),
                       .code = refused.code,
                       .adopted = refused.adopted,
                       .tried_again = refused.tried_again,
                       .at = refused.at});
  return std::nullopt;
}

HotLoop::Answer HotLoop::perform(const engine::MeasurePods& measure) {
  send(PassNeed(measure));
  return std::nullopt;
}

HotLoop::Answer HotLoop::perform(const engine::RunCollectors& run) {
  send(PassNeed(run));
  return std::nullopt;
}

HotLoop::Answer HotLoop::perform(const engine::AskFilesystem& ask) {
  if (ask.role) {
    options_.filesystems->request_newer(*ask.role);
  } else {
    options_.filesystems->request();
  }
  return std::nullopt;
}

HotLoop::Answer HotLoop::perform(const engine::Rehearse& rehearse) {
  const std::optional<std::size_t> first = readings_.first_candidate(rehearse.scope);
  HotPod* pod = first ? &pod_at(*first) : nullptr;
  if (pod != nullptr && pod == rehearsed_) {
    rehearsed_for_ = rehearse.scope;
    return std::nullopt;  // A second hint: the preparation for the first one is still good.
  }
  end_rehearsal();
  if (pod != nullptr && pod->target) {
    rehearsed_ = pod;
    rehearsed_for_ = rehearse.scope;
    actuator(engine_.dry_run()).rehearse(*pod->target);
  }
  return std::nullopt;
}

HotLoop::Answer HotLoop::perform(const engine::EndRehearsal& /*end*/) {
  end_rehearsal();
  return std::nullopt;
}

void HotLoop::end_rehearsal() {
  if (rehearsed_ == nullptr) {
    return;
  }
  for (enforce::Actuator* one : {options_.actuator, options_.dry_run_actuator}) {
    one->end_rehearsal();
  }
  if (!rehearsed_->target->unused()) {
    send(TargetUsed{rehearsed_});
  }
  rehearsed_ = nullptr;
}

CgroupUsage HotLoop::usage_of(CgroupId memory_id, MonoTime now) {
  const HotPod* const pod = pods_.find(memory_id);
  return pod != nullptr ? readings_.read_one(*pod, now) : CgroupUsage{};
}

std::optional<MonoTime> HotLoop::disks_asked_at() const {
  return options_.filesystems != nullptr ? options_.filesystems->all_asked_at() : std::nullopt;
}

void HotLoop::publish_counters() {
  const engine::Counters& now = engine_.counters();
  HotCounters& shown = *options_.counters;
  const auto show = [](auto& place, auto value) { place.store(value, std::memory_order_relaxed); };
  for (std::size_t i = 0; i < now.passes.size(); ++i) {
    show(shown.passes[i], now.passes[i]);
  }
  for (std::size_t i = 0; i < now.held.size(); ++i) {
    show(shown.held[i], now.held[i]);
  }
  for (std::size_t i = 0; i < now.backstops_refused.size(); ++i) {
    show(shown.backstops_refused[i], now.backstops_refused[i]);
  }
  show(shown.evictions, now.evictions);
  show(shown.not_begun, now.not_begun);
  show(shown.too_many_under_way, now.too_many_under_way);
  show(shown.waiting_for_room, now.waiting_for_room);
  show(shown.unreaped_tasks, now.unreaped_tasks);
  show(shown.unscanned_passes, now.unscanned_passes);
  show(shown.stand_bys, now.stand_bys);
  show(shown.oom_kills, now.oom_kills);
  show(shown.adopted, now.adopted);
}

}  // namespace evictd::daemon
