// SPDX-License-Identifier: Apache-2.0
// What the engine wants done, as what it does to the world.
#include <algorithm>
#include <utility>
#include <variant>

#include "replay/simulation.h"

namespace evictd::replay {

namespace {

template <typename... Kinds>
struct Performing : Kinds... {
  using Kinds::operator()...;
};
template <typename... Kinds>
Performing(Kinds...) -> Performing<Kinds...>;

}  // namespace

void Simulation::tell(const engine::Event& event) {
  using Answer = std::optional<engine::Event>;
  const Performing perform{
      [](const auto& /*other*/) -> Answer { return {}; },
      [](const engine::GoOnWith& /*found*/) -> Answer { return engine::WentOn{}; },
      [this](const engine::Read& read) -> Answer { return look(read.at); },
      [this](const engine::LookAgain& again) -> Answer { return next_look(again.at); },
      [this](const engine::Signal& signal) -> Answer { return evict(signal); },
      [this](const engine::CutGrace& cut) -> Answer { return cut_grace(cut); },
      [this](const engine::Wait& wait) -> Answer {
        wait_ = wait;
        return {};
      },
      [this](const engine::MeasurePods& measure) -> Answer {
        disk_work_.measuring = measure.round;
        return {};
      },
      [this](const engine::RunCollectors& run) -> Answer {
        disk_work_.collecting = run.round;
        return {};
      },
      [this](const engine::AskFilesystem& ask) -> Answer {
        turns_again_ = turns_again_ || !ask.role;  // It answers at once.
        return {};
      },
      [this](const engine::Report& report) -> Answer {
        record_pass(report.at);
        return {};
      }};
  Answer next = event;
  while (next) {
    const engine::Effects effects = engine_.on(*next, now_);
    next.reset();
    for (const engine::Effect& effect : effects) {
      if (Answer answer = std::visit(perform, effect)) {
        next = std::move(answer);
      }
    }
  }
}

/// At a recorded pass to the byte what that was given, as long as nothing differs.
engine::ReadingsTaken Simulation::look(MonoTime at) {
  const RecordedPass* const exact = exact_at(at);
  differs_ = differs_ || (exact != nullptr && names_otherwise(*exact));
  const World::Seen& seen =
      exact != nullptr && !differs_ ? world_.look_at(*exact) : world_.look(at);
  shown_ = {.observations = seen.observations, .pods = {}, .identities = {}};
  shown_slots_.clear();
  usages_.clear();
  for (std::size_t i = 0; i < seen.pods.size(); ++i) {
    // Whoever has come since the turn began is seen in the next one.
    if (const auto slot = slots_.find(seen.identities[i]); slot != slots_.end()) {
      const eviction::PodReading& reading = seen.pods[i].reading;
      shown_.pods.push_back(seen.pods[i]);
      shown_.identities.push_back(slot->first);
      shown_slots_.push_back(slot->second);
      usages_.push_back({.usage = Bytes{reading.working_set_bytes}, .tasks = reading.processes});
    }
  }
  followed_.clear();
  for (const std::uint32_t slot : engine_.followed()) {
    const auto pod = std::find_if(slots_.begin(), slots_.end(),
                                  [slot](const auto& one) { return one.second == slot; });
    engine::FollowedPod& followed = followed_.emplace_back();
    if (const eviction::ReleasingPod* const held = held_as_recorded(pod->first)) {
      followed.usage.usage = held->memory + held->left;
      followed.usage.tasks = held->tasks;
    }
  }
  engine::ReadingsTaken taken;
  taken.observations = last_recorded().observations ? &shown_.observations : nullptr;
  taken.pods = shown_.pods;
  taken.slots = shown_slots_;
  taken.usages = usages_;
  taken.followed = followed_;
  taken.disks_asked_at = at;
  if (next_pass_ < parts_.passes.size() &&
      parts_.passes[next_pass_]->disk_progress == eviction::DiskProgress::kTimeIsUp) {
    taken.full_at.fill(at);  // When they would have been full is not recorded.
  }
  return taken;
}

/// Regular passes come as recorded, but for an interval that is otherwise.
engine::LookedAgain Simulation::next_look(MonoTime at) const {
  const Duration since_tick =
      has_ticks() ? (at - parts_.passes.front()->now) % options_.interval : Duration{0};
  return {.next_look = has_ticks() ? options_.interval - since_tick : MonoTime::max() - at};
}

engine::Signalled Simulation::evict(const engine::Signal& signal) {
  Eviction eviction =
      begin_eviction(parts_, shown_.identities[signal.pod], signal.at, signal.grace);
  eviction.dry_run = signal.dry_run;
  if (signal.local) {
    const auto& breach = engine_.decision().local_victims[*signal.local].breach;
    eviction.local_limit = eviction::to_string(breach.limit);
  } else {
    name_threshold(eviction);
  }
  return end(std::move(eviction));
}

engine::Signalled Simulation::cut_grace(const engine::CutGrace& cut) {
  Eviction eviction =
      begin_eviction(parts_, shown_.identities[cut.pod], cut.at, engine_.decision().grace);
  eviction.escalated = true;
  name_threshold(eviction);
  return end(std::move(eviction));
}

void Simulation::name_threshold(Eviction& eviction) const {
  const eviction::Threshold& threshold = manager().thresholds()[*engine_.decision().threshold];
  eviction.signal = eviction::to_string(threshold.signal);
  eviction.threshold = eviction::to_string(threshold.value);
  // Not the decision's: where collectors ran, those were made before.
  const auto& seen = shown_.observations[threshold.signal];
  eviction.available = seen ? seen->available : 0;
}

engine::Signalled Simulation::end(Eviction eviction) {
  const bool as_recorded = is_recorded(eviction);
  engine::Signalled signalled{.refused = {}, .ticket = {}, .last_at = eviction.at};
  if (as_recorded && eviction.local_limit.empty()) {
    signalled.last_at = exact_->signal_at.value_or(eviction.at);
  }
  differs_ = differs_ || !as_recorded;
  if (!eviction.dry_run) {
    const MonoTime kill_at = kill_after(eviction.at, eviction.grace);
    world_.end(eviction.pod, kill_at, as_recorded ? World::Fate::kAsRecorded : World::Fate::kOther);
    if (is_of_disk(eviction)) {
      disk_wait_.begin(eviction.pod, kill_at,
                       as_recorded ? DiskWait::End::kAsRecorded : DiskWait::End::kOther);
    }
    if (engine_.decision().cut_at_once) {
      go_on_at_once();
    }
  }
  evictions_.push_back(std::move(eviction));
  return signalled;
}

/// The engine passes again at once; where all is as recorded that pass is in the recording.
void Simulation::go_on_at_once() {
  const bool is_recorded =
      !differs_ && !changes_.without_events && next_pass_ < parts_.passes.size() &&
      parts_.passes[next_pass_]->trigger == engine::to_string(engine::PassTrigger::kRequest);
  exact_ = is_recorded ? parts_.passes[next_pass_++] : nullptr;
  now_ = is_recorded ? exact_->now : now_ + kPast;
}

void Simulation::record_pass(MonoTime at) {
  last_pass_ = at;
  if (engine_.decision().outcome == eviction::Outcome::kReclaiming) {
    disk_work_.collected_at = at + world_.disk().begin_reclaim(at);
    turns_again_ = turns_again_ || *disk_work_.collected_at <= now_;
  }
}

}  // namespace evictd::replay
