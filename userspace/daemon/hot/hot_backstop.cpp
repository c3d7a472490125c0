// SPDX-License-Identifier: Apache-2.0
// The kill that the kernel side may do alone: handed over, and taken back.
#include <array>
#include <csignal>
#include <optional>
#include <span>
#include <string_view>

#include "daemon/hot/backstop_order.h"
#include "daemon/hot/hot_loop.h"

namespace evictd::daemon {

HotLoop::Answer HotLoop::perform(const engine::ArmBackstop& /*arm*/) {
  const engine::BackstopPlan& plan = engine_.backstop();
  const HotPod& victim = pod_at(plan.victim);
  if (options_.backstop == nullptr || looks_.source() != ReadingSource::kTable ||
      rehearsed_ != &victim || !victim.target) {
    return std::nullopt;
  }
  std::array<pid_t, probe::BackstopOrder::kMostProcesses> processes{};
  const std::size_t listed = options_.actuator->rehearsed(*victim.target, processes);
  const eviction::Signal signal = config_->manager.thresholds()[plan.threshold].signal;
  const std::optional<eviction::Observation>& seen = readings_.observations()[signal];
  if (listed == 0 || !seen) {
    return std::nullopt;
  }
  std::optional<probe::BackstopOrder> order = order_of(
      plan, {.signal = signal, .seen = *seen, .node = readings_.node(), .rules = config_->memory});
  if (!order) {
    return std::nullopt;
  }
  std::array<probe::BackstopPod, probe::BackstopOrder::kMostRivals> rivals{};
  for (std::size_t i = 0; i < plan.rival_count; ++i) {
    rivals[i] = compared_pod(pod_at(plan.rivals[i].pod), plan.rivals[i].terms);
  }
  order->victim = compared_pod(victim, plan.victim_terms);
  order->rivals = std::span(rivals).first(plan.rival_count);
  order->processes = std::span(processes).first(listed);
  options_.backstop->arm(*order);
  return std::nullopt;
}

HotLoop::Answer HotLoop::perform(const engine::DisarmBackstop& /*disarm*/) {
  kernel_kill_.reset();
  if (options_.backstop != nullptr) {
    kernel_kill_ = options_.backstop->disarm(options_.clock->now());
  }
  return engine::BackstopTaken{kernel_kill_ ? std::optional(kernel_kill_->at) : std::nullopt};
}

/// No actuator reports the end of a pod that the kernel side left empty, nor of one whose rest may
/// not be signalled.
void HotLoop::end_kernel_kill(const HotPod& pod) {
  const engine::Victim* const victim = engine_.victims().find(pod.memory_id);
  const bool gone = victim != nullptr && victim->phase == engine::VictimPhase::kReleased;
  if (victim == nullptr || (!gone && !victim->observed_only)) {
    return;
  }
  const enforce::Protection protection = pod.protection_now();
  const std::string_view spared = protection == enforce::Protection::kNone
                                      ? enforce::kUnreachable
                                      : enforce::to_string(protection);
  send(EvictionStep{.progress = {.ticket = {},
                                 .pod = pod.memory_id,
                                 .state = gone ? enforce::EvictionState::kReleased
                                               : enforce::EvictionState::kExceededGrace,
                                 .at = engine_.pass().at,
                                 .signals = {},
                                 .not_killed = gone ? std::string_view() : spared},
                    .counters = options_.actuator->counters()});
}

/// Nobody was left to signal, or could be yet: the record tells what the kernel side did.
enforce::SignalReport HotLoop::report_of_kernel_kill() const {
  enforce::SignalReport report{
      .ticket = {}, .signal = SIGKILL, .method = enforce::SignalMethod::kKernel};
  if (!kernel_kill_) {
    return report;
  }
  report.first_at = kernel_kill_->at;
  report.last_at = kernel_kill_->at;
  for (const probe::BackstopAnswer& answer : kernel_kill_->given()) {
    report.processes += answer.code == 0 ? answer.count : 0;
  }
  return report;
}

}  // namespace evictd::daemon
