// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <variant>

namespace evictd::engine {

namespace {

bool may_be_evicted(const PodView* pod) {
  return pod != nullptr && pod->occupancy == Occupancy::kRunning && pod->evictable();
}

/// A finished victim stays so until the pod is read again, which is now. A pod without a target
/// stays refused: otherwise every reading would lead to another refusal.
void update_known_pod(const PodView& known, const PodView& newer, MonoTime now, Victims& victims,
                      RefusedPods& refused) {
  if (known.occupancy == Occupancy::kEmpty && newer.occupancy == Occupancy::kRunning) {
    victims.mark_populated(known.id, now);
  }
  const bool is_new = known.has_target || newer.has_target || known.id != newer.id;
  if (is_new) {
    refused.forget(known);
  }
  const Victim* victim = victims.find(known.id);
  if (victim == nullptr) {
    return;
  }
  const bool owes = victim->left != Left::kNothingSeen && newer.occupancy != Occupancy::kRunning;
  if ((victim->phase == VictimPhase::kOver && is_new && !owes) ||
      (victim->observed_only && newer.occupancy == Occupancy::kEmpty)) {
    victims.remove(known.id);
  }
}

}  // namespace

Engine::Engine(const Options& options, MonoTime now)
    : options_(options),
      configuration_(options.configuration),
      agenda_(now),
      growth_(kMaxPods),
      times_(options.eviction_times) {
  followed_.reserve(kMaxPods);
  releasing_.reserve(Victims::kCapacity);
  local_signalled_.reserve(Victims::kCapacity);
  agenda_.want(PassTrigger::kRequest);
}

Effects Engine::on(const Event& event, MonoTime now) {
  Effects effects;
  effects_ = &effects;
  now_ = now;
  std::visit([this](const auto& one) { take(one); }, event);
  effects_ = nullptr;
  return effects;
}

const PodView* Engine::pod_at(std::size_t place) const {
  return pods_.at(readings_.slots[place]);
}

const eviction::ThresholdTable& Engine::thresholds() const {
  return configuration_->manager.thresholds();
}

bool Engine::dry_run() const {
  return wishes_.dry_run.value_or(configuration_->dry_run);
}

eviction::Brakes Engine::brakes() const {
  return {.max_evictions_per_minute = configuration_->max_evictions_per_minute,
          .recent = times_.all(),
          .pauses = wishes_.pauses,
          .growth = configuration_->growth,
          .released_at = released_at_,
          .released_below_pod_root_at = released_below_pod_root_at_};
}

/// What comes next may change what the plan relies on.
void Engine::take(const Woken& woken) {
  agenda_.wake(woken.at);
  if (backstop_armed_) {
    order(DisarmBackstop{});
  }
}

void Engine::take(const PodPlaced& placed) {
  const PodView* known = pods_.at(placed.pod.slot);
  if (no_victim_found_ && may_be_evicted(&placed.pod) && !may_be_evicted(known)) {
    want(PassTrigger::kRequest);  // A late found pod must not be skipped for an interval.
  }
  if (known != nullptr) {
    update_known_pod(*known, placed.pod, agenda_.turn_at(), victims_, refused_);
  }
  pods_.place(placed.pod);
}

void Engine::take(const PodRemoved& removed) {
  const PodView* known = pods_.at(removed.slot);
  if (known == nullptr) {
    return;
  }
  if (const Victim* gone = victims_.find(known->id); gone != nullptr && gone->dry_run) {
    order(EndPretended{.ticket = gone->ticket, .at = agenda_.turn_at()});
  } else if (gone != nullptr && gone->left != Left::kNothingSeen) {
    want(PassTrigger::kRelease);  // The rest is no longer charged to any pod.
  }
  victims_.mark_cgroup_gone(known->id, agenda_.turn_at());
  refused_.forget_all(*known);
  pods_.remove(removed.slot);
}

void Engine::take(const ConfigurationChanged& changed) {
  changed.configuration->manager.inherit(configuration_->manager);
  configuration_ = changed.configuration;
  crossings_.clear();
  disk_work_.end_reclaim();
  if (!dry_run()) {
    end_dry_runs(DryRuns::kAll);
    times_.forget_dry_runs();
  }
  agenda_.look_now();
}

void Engine::take(const WishesChanged& changed) {
  const bool was_dry = dry_run();
  wishes_ = changed.wishes;
  if (was_dry && !dry_run()) {
    end_dry_runs(DryRuns::kAll);
    times_.forget_dry_runs();
  }
  // A held eviction may continue now, and another one may have to be held.
  want(PassTrigger::kRequest);
}

void Engine::take(const SourceChanged& /*changed*/) {
  agenda_.look_now();
}

void Engine::take(const Crossed& crossed) {
  if (!crossed.recovered) {
    crossings_.note(crossed.threshold, crossed.at);
    want(PassTrigger::kCrossing);
  } else if (!victims_.empty()) {
    want(PassTrigger::kCrossing);  // Memory freed by a victim may end a hold.
  }
}

void Engine::take(const Approached& approached) {
  want(PassTrigger::kApproach);
  approached_ = approached;
  if (approached.may_stand_by) {
    // A hint that comes during a stand-by prolongs it.
    stand_by_.begin(now_, approached.away);
  }
}

void Engine::take(const Populated& populated) {
  victims_.mark_populated(populated.pod, populated.at);
  const PodView* pod = pods_.find(populated.pod);
  if (no_victim_found_ && pod != nullptr && pod->occupancy == Occupancy::kEmpty &&
      pod->evictable()) {
    want(PassTrigger::kRequest);  // As for a placed pod; no other event may report it.
  }
}

void Engine::take(const OomKilled& /*killed*/) {
  ++counters_.oom_kills;
  want(PassTrigger::kRequest);
}

void Engine::take(const EventsLost& lost) {
  scans_.record_loss();
  if (lost.passes) {
    want(PassTrigger::kRequest);
  }
}

void Engine::take(const StandByOver& over) {
  ++counters_.stand_bys;
  if (agenda_.wanted() == PassTrigger::kApproach && over.rehearsal_holds) {
    // Another hint: it has prolonged the stand-by, and the rehearsal is as good, except that the
    // turn ends the plan of the kernel side. A turn comes between, as messages and deadlines do not
    // wait for a chain of hints.
    if (!configuration_->backstop_margin) {
      agenda_.forget();
    }
    return;
  }
  stand_by_.end(now_);
}

}  // namespace evictd::engine
