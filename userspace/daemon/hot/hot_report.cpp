// SPDX-License-Identifier: Apache-2.0
// What housekeeping is told of a pass.
#include <utility>

#include "base/fault_point.h"
#include "daemon/hot/hot_loop.h"

namespace evictd::daemon {

namespace {

/// Reserved for passes that evict; other passes go uncopied first.
constexpr std::size_t kReservedCopies = 2;

}  // namespace

void HotLoop::copy_pods(PassCopy& copy) {
  for (std::size_t i = 0; i < readings_.slots().size(); ++i) {
    const HotPod& pod = pod_at(i);
    copy.pods.push_back({.pod = &pod, .pass = readings_.pods()[i], .usage = readings_.usages()[i]});
    const HotStorage* storage = pod.slot < storage_.size() ? storage_[pod.slot].get() : nullptr;
    if (storage != nullptr && storage->pod == pod.memory_id) {
      copy.pods.back().storage_at = storage->measured_at;
      copy.pods.back().storage_method = storage->method;
      copy.pods.back().storage_complete = storage->complete;
    }
  }
}

void HotLoop::count_uncopied_pass() {
  ++uncopied_;
  if (options_.record_every_pass) {
    unrecorded_state_ = config_->manager.state();
    unrecorded_waiting_ = config_->manager.suspended();
  }
}

/// Housekeeping has caught up. The unreported passes may have been the last ones for a long time,
/// such as the one that ended a pressure. So it gets a report of the current state.
void HotLoop::take_lent_buffer(std::unique_ptr<PassCopy> copy) {
  if (copies_.size() == copies_.capacity()) {
    return;
  }
  copies_.push_back(std::move(copy));
  // A pass that is wanted already will be reported anyway.
  if (uncopied_ > 0 && copies_.size() > kReservedCopies && !engine_.wanted()) {
    dispatch(engine::PassRequested{PassTrigger::kReport});
  }
}

void HotLoop::fill(PassCopy& copy, const engine::Report& report) {
  const engine::PassRun& pass = engine_.pass();
  copy.node = readings_.node();
  copy.pod_root = readings_.pod_root();
  copy.pod_root_max_tasks = readings_.pod_root_max_tasks();
  copy.lazy_error = readings_.lazy_error();
  copy.observations = readings_.observations();
  copy.memory = config_->memory;
  copy.decision = engine_.decision();
  copy.state = config_->manager.state();
  copy.eviction_times = engine_.eviction_times();
  copy.actuator = options_.actuator->counters();
  copy.pods.clear();
  copy_pods(copy);
  copy.now = report.at;
  copy.cadence = cadence_of(report.trigger);
  copy.resumed = report.resumed;
  copy.disk_usage_pending = pass.disk_usage_pending;
  copy.disk_progress = pass.disk_progress;
  copy.layout = engine_.layout();
  copy.releasing.assign(engine_.releasing().begin(), engine_.releasing().end());
  copy.pid_scope = config_->manager.settings().pid_scope;
  copy.config_generation = config_->generation;
  copy.dry_run = engine_.dry_run();
  copy.local_signalled.assign(engine_.local_signalled().begin(), engine_.local_signalled().end());
  copy.waiting = config_->manager.suspended();
  copy.before = std::exchange(unrecorded_state_, std::nullopt);
  copy.waiting_before = std::exchange(unrecorded_waiting_, std::nullopt);
  copy.missed = std::exchange(uncopied_, 0);
  copy.brakes = engine_.brakes();
  copy.brakes.recent = {};
  copy.times_before = engine_.times_before();
}

HotLoop::Answer HotLoop::perform(const engine::Report& report) {
  const eviction::Decision& decision = engine_.decision();
  if (timeline_.decide_at == MonoTime{}) {
    timeline_.decide_at = options_.clock->now();
  }
  if (cadence_of(report.trigger) == eviction::Cadence::kRegular) {
    looks_.set_regular_pass(readings_.observations());
  }
  timeline_.hook_at = report.crossed_at;
  // A rehearsal would keep housekeeping busy just when the crossing comes. So it is reported only
  // if housekeeping does not know the last pass's result.
  const bool evicted = begun_ || !engine_.local_signalled().empty();
  const bool rehearsal = report.trigger == PassTrigger::kApproach && !evicted;
  if (rehearsal && !options_.record_every_pass && uncopied_ == 0) {
    return std::nullopt;
  }
  PassDone done{.trigger = report.trigger,
                .timeline = timeline_,
                .config_generation = config_->generation,
                .begun = std::nullopt,
                .copy = nullptr};
  if (begun_) {
    done.begun = EvictionBegun{.victim = &pod_at(*decision.victim),
                               .signals = *begun_,
                               .kernel_kill = engine_.pass().adopted ? kernel_kill_ : std::nullopt,
                               .threshold = *decision.threshold,
                               .grace = decision.grace,
                               .kill_due_at = kill_due_at_,
                               .oom_guard = decision.outcome == eviction::Outcome::kOomGuard,
                               .hard = config_->manager.thresholds()[*decision.threshold].is_hard(),
                               .escalated = decision.outcome == eviction::Outcome::kEscalated,
                               .dry_run = engine_.dry_run()};
  }
  if (copies_.size() > (evicted ? 0 : kReservedCopies)) {
    std::unique_ptr<PassCopy> copy = std::move(copies_.back());
    copies_.pop_back();
    fill(*copy, report);
    done.copy = std::move(copy);
  } else {
    count_uncopied_pass();
    count(options_.counters->uncopied_passes);
  }
  if (done.begun || done.copy) {
    hand_over(std::move(done), rehearsal);
  }
  if (begun_ && begun_->method == enforce::SignalMethod::kKernel) {
    end_kernel_kill(pod_at(*decision.victim));
  }
  // After the pass itself, whose copy has the other observations.
  for (LocalEvictionBegun& begun : local_begun_) {
    send(std::move(begun));
  }
  local_begun_.clear();
  return std::nullopt;
}

void HotLoop::hand_over(PassDone&& done, bool rehearsal) {
  ToHousekeeping message(std::move(done));
  // The message of a recorded rehearsal waits for the next message that wakes housekeeping.
  if (rehearsal ? !options_.outbox->queue.push(std::move(message)) : !offer(message)) {
    // The buffer is needed for the next pass.
    if (auto& copy = std::get<PassDone>(message).copy) {
      uncopied_ = copy->missed;
      count_uncopied_pass();
      copies_.push_back(std::move(copy));
    }
  }
  if (begun_) {
    base::fault_point(base::FaultPoint::kReported);
  }
}

}  // namespace evictd::daemon
