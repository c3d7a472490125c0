// SPDX-License-Identifier: Apache-2.0
// What the engine is told: what the recording and the world say that happened.
#include <algorithm>
#include <utility>

#include "replay/simulation.h"

namespace evictd::replay {

namespace {

engine::PassTrigger trigger_of(const RecordedPass& pass) {
  if (pass.trigger == engine::to_string(engine::PassTrigger::kRegular)) {
    return engine::PassTrigger::kRegular;
  }
  return pass.cadence == eviction::Cadence::kRegular ? engine::PassTrigger::kRequest
                                                     : engine::PassTrigger::kCrossing;
}

std::size_t pod_of(CgroupId cgroup) {
  return cgroup.id - 1;
}

}  // namespace

/// Evictions that were under way when the recording began. Whom a dry run chose before counts as
/// chosen in one here too, and else as nothing.
void Simulation::take_over() {
  const RecordedPass& first = *parts_.passes.front();
  look_who_is_there();
  tell_of_pods();
  for (const RecordedPodPass& pod : first.pods) {
    if (is_in_grace(pod.standing) && (!first.dry_run || dry_run())) {
      tell(engine::EvictionFound{.pod = cgroup_of(parts_.identity[pod.number]),
                                 .phase = pod.standing == eviction::Standing::kInSoftGrace
                                              ? engine::VictimPhase::kSoftGrace
                                              : engine::VictimPhase::kHardGrace,
                                 .dry_run = first.dry_run,
                                 .usage = pod.usage});
    }
  }
}

/// Whether there is anything for the engine to do now. What happens beside it is told when there
/// is, and wakes it only once the node differs from the recording. Until then, the pass that would
/// come of it is in the recording. Without kernel events only its own clock wakes it.
bool Simulation::is_due() {
  const bool woken = now_ >= wakes_at();
  take_recorded();
  return woken || asked_ || (crossing_ && now_ >= crossing_->at) ||
         (disk_work_.collected_at && now_ >= *disk_work_.collected_at) ||
         (tells_at_once() && !happened().empty());
}

/// Goes past the recorded passes up to now, and asks for one here too where there was one.
void Simulation::take_recorded() {
  exact_ = nullptr;
  while (next_pass_ < parts_.passes.size() && parts_.passes[next_pass_]->now <= now_) {
    const RecordedPass& pass = *parts_.passes[next_pass_++];
    exact_ = pass.now == now_ ? &pass : nullptr;
    const engine::PassTrigger trigger = trigger_of(pass);
    const bool by_itself = has_ticks() && trigger == engine::PassTrigger::kRegular;
    // One that had waited for collectors goes on when they are done here.
    if (!pass.resumed && !changes_.without_events && !by_itself) {
      asked_ = trigger;
    }
  }
}

void Simulation::take_turns() {
  do {
    turns_again_ = false;
    tell(engine::Woken{now_});
    for (auto events = happened(); !events.empty(); events = happened()) {
      std::for_each(events.begin(), events.end(), [this](const auto& event) { tell(event); });
    }
    tell_of_pods();
    tell_of_disks();
    tell_wishes();
    if (const auto asked = std::exchange(asked_, std::nullopt)) {
      tell(engine::PassRequested{*asked});
    }
    if (crossing_ && now_ >= crossing_->at) {
      tell(engine::Crossed{.threshold = crossing_->place, .recovered = false, .at = crossing_->at});
      crossing_.reset();
    }
    tell(engine::Turn{.disks_asked_at = now_});
  } while ((wait_.at_once || turns_again_) && passes() < kMostPasses);
}

/// Once a moment: whoever is ended in it goes in the next one.
void Simulation::look_who_is_there() {
  if (std::exchange(looked_at_, now_) == now_) {
    return;
  }
  const RecordedPass* const exact = differs_ ? nullptr : exact_at(now_);
  const World::Seen& seen = exact != nullptr ? world_.look_at(*exact) : world_.look(now_);
  there_ = {seen.identities.begin(), seen.identities.end()};
}

/// What the last recorded pass still awaited of a victim, as long as all is as recorded. A pod that
/// is ended otherwise is gone with all that it has.
const eviction::ReleasingPod* Simulation::held_as_recorded(std::size_t pod) const {
  const engine::Victim* const victim = engine_.victims().find(cgroup_of(pod));
  if (differs_ || victim == nullptr || engine::is_in_grace(victim->phase)) {
    return nullptr;
  }
  const auto& all = last_recorded().releasing;
  const auto held = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return one.killed_at >= victim->killed_at && one.killed_at <= victim->killed_at + kLateKill;
  });
  return held == all.end() ? nullptr : &*held;
}

/// What became of victims that the engine was not told yet: the next step of each.
std::vector<engine::Event> Simulation::happened() {
  using engine::VictimStep;
  look_who_is_there();
  std::vector<engine::Event> events;
  for (const engine::Victim& victim : engine_.victims().all()) {
    const std::size_t pod = pod_of(victim.pod);
    const bool in_grace = engine::is_in_grace(victim.phase);
    const bool killed = world_.is_gone(pod, now_);
    const eviction::ReleasingPod* const held = held_as_recorded(pod);
    const bool lives = held != nullptr ? held->memory.value > 0 : there_.contains(pod) && !killed;
    if (victim.dry_run) {
      continue;
    }
    if (in_grace && killed) {
      events.emplace_back(VictimStep{.pod = victim.pod,
                                     .what = VictimStep::What::kKilled,
                                     .at = *world_.kill_at(pod),
                                     .usage = {}});
    } else if (!engine::is_dead(victim.phase) && !lives) {
      events.emplace_back(VictimStep{.pod = victim.pod,
                                     .what = VictimStep::What::kReleased,
                                     .at = in_grace ? now_ : victim.killed_at,
                                     .usage = {}});
    } else if (engine::is_dead(victim.phase) && victim.holds_disk && !victim.disk_freed_at &&
               disk_wait_.is_released(pod, now_)) {
      events.emplace_back(engine::FilesReleased{victim.pod});
    }
  }
  return events;
}

void Simulation::tell_of_pods() {
  std::erase_if(slots_, [&](const auto& one) {
    const bool is_gone = !there_.contains(one.first) && held_as_recorded(one.first) == nullptr;
    if (is_gone) {
      tell(engine::PodRemoved{one.second});
      free_slots_.push_back(one.second);
    }
    return is_gone;
  });
  for (const std::size_t pod : there_) {
    // There may be more pods than a node has room for.
    if (!slots_.contains(pod) && !free_slots_.empty()) {
      const std::uint32_t slot = free_slots_.back();
      free_slots_.pop_back();
      slots_.emplace(pod, slot);
      tell(engine::PodPlaced{{.slot = slot,
                              .id = cgroup_of(pod),
                              .occupancy = engine::Occupancy::kRunning,
                              .has_target = true,
                              .unprotected = true,
                              .below_pod_root = parts_.pods[pod]->facts.below_pod_root}});
    }
  }
}

/// Others answer when they did in the recording: all together when the pass that waited for them
/// went on. Else a measurement answers by the time that a pass had it.
void Simulation::tell_of_disks() {
  const bool reclaimed = disk_work_.collected_at && now_ >= *disk_work_.collected_at;
  if (reclaimed) {
    disk_work_.collected_at.reset();
    if (const auto round = std::exchange(disk_work_.collecting, std::nullopt)) {
      tell(engine::CollectorsDone{*round});
    }
  }
  // Between two recorded passes the usage that one waited for has not come; after the last it has.
  const RecordedPass& last = last_recorded();
  const bool pending =
      last.disk_usage_pending && (exact_ != nullptr || next_pass_ < parts_.passes.size());
  if (disk_work_.measuring && (reclaimed || (!disk_work_.collected_at && !pending))) {
    const bool partly = pending && last.disk_progress != eviction::DiskProgress::kNothing;
    tell(engine::PodsMeasured{.round = *disk_work_.measuring, .under_way = partly});
    disk_work_.measuring = partly ? disk_work_.measuring : std::nullopt;
  }
}

/// What the recorded machine could do and evictd was asked for, but for what is otherwise.
void Simulation::tell_wishes() {
  const auto& recorded = last_recorded().brakes;
  const eviction::Brakes brakes = recorded ? recorded->brakes : eviction::Brakes{};
  configuration_.growth = brakes.growth;
  if (!changes_.config) {
    configuration_.max_evictions_per_minute = brakes.max_evictions_per_minute;
  }
  const engine::OperatorWishes wishes{.pauses = brakes.pauses, .dry_run = dry_run()};
  if (wishes != std::exchange(wishes_, wishes)) {
    tell(engine::WishesChanged{wishes});
  }
}

}  // namespace evictd::replay
