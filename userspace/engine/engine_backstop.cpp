// SPDX-License-Identifier: Apache-2.0
// The kill that the kernel side may do alone: given at the end of a rehearsal, taken back when the
// caller wakes, and adopted if it was done.
#include "engine/engine.h"

namespace evictd::engine {

namespace {

bool can_be_killed(const PodView& pod) {
  return pod.occupancy == Occupancy::kRunning && pod.evictable();
}

}  // namespace

void Engine::arm_backstop() {
  if (!configuration_->backstop_margin) {
    return;
  }
  const tl::expected<BackstopPlan, NoBackstop> plan = find_backstop();
  if (!plan) {
    ++counters_.backstops_refused[static_cast<std::size_t>(plan.error())];
    return;
  }
  ++counters_.backstops_armed;
  backstop_ = *plan;
  backstop_armed_ = true;
  backstop_victim_ = pod_at(plan->victim)->id;
  order(ArmBackstop{});
}

tl::expected<BackstopPlan, NoBackstop> Engine::find_backstop() {
  if (dry_run()) {
    return tl::unexpected(NoBackstop::kDryRun);
  }
  if (!victims_.empty() || !releasing_.empty() || refused_.next_try()) {
    return tl::unexpected(NoBackstop::kVictims);
  }
  if (!options_.events_tell_pods || scans_.lost()) {
    return tl::unexpected(NoBackstop::kPodsUnknown);
  }
  const eviction::Outcome outcome = decision().outcome;
  const bool idle =
      outcome == eviction::Outcome::kNothingMet || outcome == eviction::Outcome::kInGrace;
  if (!idle || configuration_->manager.waits_for_collectors()) {
    return tl::unexpected(NoBackstop::kPassActs);
  }
  const eviction::Brakes in_force = brakes();
  const auto plan = plan_backstop({.manager = &configuration_->manager,
                                   .input = pass_input(in_force),
                                   .usages = readings_.usages,
                                   .scope = approached_.scope,
                                   .margin = *configuration_->backstop_margin,
                                   .growth = configuration_->growth.memory_per_second,
                                   .now = now_,
                                   .until = wait().until});
  // Its kill is adopted before anything about the pod changes: it must be in that pass.
  if (plan && !can_be_killed(*pod_at(plan->victim))) {
    return tl::unexpected(NoBackstop::kPodsUnknown);
  }
  return plan;
}

/// Adopts the kill before any other event, so that the pods and thresholds are still those of the
/// plan.
void Engine::take(const BackstopTaken& taken) {
  backstop_armed_ = false;
  if (!taken.fired_at) {
    return;
  }
  ++counters_.backstops_fired;
  pass_.round = 1;
  pass_.rehearsal = false;
  begin_pass(PassTrigger::kCrossing, false);
  pass_.adopted = AdoptedKill{.at = *taken.fired_at};
}

}  // namespace evictd::engine
