// SPDX-License-Identifier: Apache-2.0
// The kernel side with a plan while evictd does not get the CPU. Every kill must be the one that a
// pass at that instant would do.
#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "eviction/contender.h"
#include "simulation/world.h"

namespace evictd::simulation {

namespace {

/// Time between two checks of the kernel side.
constexpr Duration kCheck = std::chrono::microseconds(100);

}  // namespace

World::Answer World::perform(const engine::ArmBackstop& /*arm*/) {
  const engine::BackstopPlan& plan = engine_->backstop();
  Backstop armed{.plan = plan, .victim = slots_[plan.victim] - 1};
  for (const engine::BackstopRival& rival : plan.compared()) {
    armed.rivals.push_back(slots_[rival.pod] - 1);
  }
  const Pod& victim = pods_[armed.victim];
  note(victim.view.id.id);
  const bool refused = victim.is_refused || victim.end != Pod::End::kNone ||
                       (!without_.refusals && numbers_.one_in(20));
  if (!refused) {
    backstop_ = std::move(armed);
  }
  return std::nullopt;
}

World::Answer World::perform(const engine::DisarmBackstop& /*disarm*/) {
  const std::optional<Backstop> taken = std::exchange(backstop_, std::nullopt);
  return engine::BackstopTaken{taken ? taken->fired_at : std::nullopt};
}

/// Lets time pass without evictd.
void World::run_kernel_side(MonoTime until) {
  while (backstop_ && !backstop_->fired_at && now_ < std::min(until, backstop_->plan.expires_at)) {
    if (fires()) {
      fire();
      break;
    }
    disturb();
    now_ = std::min(now_ + kCheck, until);
  }
  now_ = until;
}

/// A pod takes a burst of memory, as fast as any can, or returns some.
void World::disturb() {
  if (!numbers_.one_in(10)) {
    return;
  }
  Pod& pod = pods_[static_cast<std::size_t>(numbers_.up_to(99)) % pods_.size()];
  if (!pod.running) {
    return;
  }
  const std::int64_t burst = numbers_.up_to(256) * 1024;
  pod.bytes =
      std::max<std::int64_t>(pod.bytes_at(now_) + (numbers_.one_in(2) ? burst : -4 * burst), 0);
  pod.since = now_;
  pod.most = std::max(pod.most, pod.bytes);
}

bool World::fires() const {
  const engine::BackstopPlan& plan = backstop_->plan;
  if (available() > plan.most_available || available() < plan.least_available ||
      growth() < plan.least_rate) {
    return false;
  }
  const std::int64_t held = pods_[backstop_->victim].bytes_at(now_);
  const auto goes_first = [&](std::size_t rival) {
    return eviction::overtakes(plan.rivals.at(rival).terms,
                               pods_[backstop_->rivals[rival]].bytes_at(now_), plan.victim_terms,
                               held);
  };
  bool overtaken = held < plan.least_working_set;
  for (std::size_t rival = 0; rival < plan.rival_count; ++rival) {
    overtaken = overtaken || goes_first(rival);
  }
  return !overtaken;
}

void World::fire() {
  const std::size_t victim = backstop_->victim;
  if (victim_of_a_pass() != victim) {
    broken("the kernel side killed whom a pass at that instant would not have killed");
  }
  note(pods_[victim].view.id.id);
  backstop_->fired_at = now_;
  unadopted_ = victim;
  ++fired_;
  kill(victim);
}

World::Answer World::adopted(Pod& pod) {
  const auto index = static_cast<std::size_t>(&pod - pods_.data());
  if (std::exchange(unadopted_, std::nullopt) != index) {
    broken("evictd takes a pod for killed by the kernel side");
  }
  pod.ticket = {.slot = pod.view.slot, .generation = ++tickets_};
  pod.hard = true;
  pod.dry_run = false;
  return engine::Signalled{.refused = std::nullopt, .ticket = pod.ticket, .last_at = now_};
}

/// The pod that a pass at this instant would kill without a grace period: asks a copy of evictd.
std::optional<std::size_t> World::victim_of_a_pass() {
  const eviction::EvictionManager before = configuration_->manager;
  engine::Engine twin = *engine_;
  const eviction::Observations seen = std::exchange(seen_, {});
  std::optional<std::size_t> victim;
  bool signalled = false;
  const auto answer = [&](const engine::Effect& effect) -> Answer {
    if (std::holds_alternative<engine::DisarmBackstop>(effect)) {
      return engine::BackstopTaken{};
    }
    if (const auto* read = std::get_if<engine::Read>(&effect)) {
      seen_[eviction::Signal::kMemoryAvailable] = memory_at(read->at);
      return read_pods(twin);
    }
    if (std::holds_alternative<engine::LookAgain>(effect)) {
      return engine::LookedAgain{.next_look = kInterval};
    }
    if (const auto* signal = std::get_if<engine::Signal>(&effect)) {
      signalled = true;
      if (!signal->dry_run && (signal->grace.count() == 0 || twin.decision().cut_at_once)) {
        victim = slots_[signal->pod] - 1;
      }
    }
    return std::nullopt;
  };
  const std::array<engine::Event, 3> turn{
      engine::Woken{now_}, engine::Crossed{.threshold = backstop_->plan.threshold, .at = now_},
      engine::Turn{}};
  for (const engine::Event& event : turn) {
    Answer next = event;
    while (next && !signalled) {
      const engine::Effects effects = twin.on(*next, now_);
      next.reset();
      for (const engine::Effect& effect : effects) {
        if (Answer given = answer(effect)) {
          next = std::move(given);
        }
      }
    }
  }
  configuration_->manager = before;
  seen_ = seen;
  return victim;
}

}  // namespace evictd::simulation
