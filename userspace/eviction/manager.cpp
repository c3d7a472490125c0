// SPDX-License-Identifier: Apache-2.0
// One pass over all thresholds, in the order in which the kubelet goes through them.
#include "eviction/manager.h"

#include <algorithm>
#include <cassert>

#include "evictd/try.h"
#include "eviction/forecast.h"
#include "eviction/steps.h"

namespace evictd::eviction {
namespace {

/// How often the kubelet moves its kernel notifiers; inclusive, so more than this must have passed.
constexpr Duration kWatchPointAge = std::chrono::seconds(10);

/// Most thresholds that the disk layout adds.
constexpr std::size_t kDerivedThresholds = 4;

}  // namespace

Result<EvictionManager> EvictionManager::create(PassSettings settings) {
  EvictionManager manager(std::move(settings));
  if (manager.settings_.thresholds.size() + kDerivedThresholds > kMaxThresholds) {
    return fail(Errc::kInvalid,
                std::to_string(manager.settings_.thresholds.size()) + " thresholds, at most " +
                    std::to_string(kMaxThresholds - kDerivedThresholds) + " are allowed");
  }
  EVICTD_ASSIGN_OR_RETURN(manager.table_, ThresholdTable::create(manager.settings_.thresholds));
  return manager;
}

const Decision& EvictionManager::synchronize(MonoTime now, const PassInput& input) {
  begin_decision();
  if (table_.empty() && !settings_.local_storage_isolation) {
    return decision_;
  }
  // Thresholds that the layout adds are checked from the next pass on, as in the kubelet.
  const ThresholdList looked_for = table_.places();
  if (!state_.layout && input.layout) {
    learn_layout(*input.layout);
  }
  if (!state_.layout) {
    decision_.outcome = Outcome::kFailed;
    decision_.reason = Reason::kNoLayout;
    return decision_;
  }
  if (input.observations == nullptr) {
    decision_.outcome = Outcome::kFailed;
    decision_.reason = Reason::kNoStatistics;
    return decision_;
  }
  if (!state_.watch_points_refreshed_at ||
      now - *state_.watch_points_refreshed_at > kWatchPointAge) {
    state_.watch_points_refreshed_at = now;
    decision_.refresh_watch_points = true;
  }
  update_state(now, input, looked_for);
  if (settings_.local_storage_isolation) {
    // A hold stops nobody else: the pass may have more urgent things to do.
    const Verdict local = find_local_victims(now, input, decision_.local_victims);
    decision_.reason = local.reason();
    // The kubelet's own override; hardEvictionGracePeriodSeconds applies to node pressure.
    decision_.grace = std::chrono::seconds(settings_.compat == Compat::k1_26 ? 0 : 1);
    add_deadline(local.until());
  }
  if (!decision_.local_victims.empty()) {
    decision_.outcome = Outcome::kEvicted;
  } else if (!decision_.actionable.empty()) {
    act(now, input);
  } else if (!decision_.met.empty()) {
    decision_.outcome = decision_.past_grace.empty() ? Outcome::kInGrace : Outcome::kStale;
  }
  if (decision_.reason == Reason::kNone &&
      (decision_.outcome == Outcome::kNothingMet || decision_.outcome == Outcome::kInGrace)) {
    report_nonsense(now, input);
  }
  if (is_brake(decision_.reason)) {
    decision_.outcome = Outcome::kHeld;
  }
  find_deadlines(now);
  return decision_;
}

const Decision& EvictionManager::resume(MonoTime now, const PassInput& input) {
  begin_decision();
  if (!suspended_) {
    return decision_;
  }
  const std::size_t place = suspended_->threshold;
  decision_.threshold = place;
  decision_.met = suspended_->met;
  decision_.past_grace = suspended_->past_grace;
  decision_.actionable = suspended_->actionable;
  decision_.observations = suspended_->observations;
  suspended_.reset();
  // Every configured threshold must be satisfied, grace or not, minimum reclaim included.
  if (input.observations != nullptr &&
      thresholds_met(table_, table_.places(), *input.observations, MinReclaim::kEnforced).empty()) {
    decision_.outcome = Outcome::kReclaimed;
  } else if (const Verdict verdict = judge(now, input, place); !verdict.proceeds()) {
    settle(verdict);
  } else {
    // A measurement without a result by now will not produce one.
    PassInput known = input;
    known.disk_usage_pending =
        input.disk_usage_pending && input.disk_progress != DiskProgress::kNothing;
    choose_victim(now, known, place);
  }
  find_deadlines(now);
  return decision_;
}

void EvictionManager::begin_decision() {
  std::vector<LocalStorageVictim> kept = std::move(decision_.local_victims);
  kept.clear();
  decision_ = Decision{};
  decision_.local_victims = std::move(kept);
  decision_.conditions = state_.conditions;
}

void EvictionManager::learn_layout(const DiskLayout& layout) {
  state_.layout = layout;
  derive_thresholds();
  decision_.learnt_layout = true;
}

void EvictionManager::derive_thresholds() {
  if (settings_.compat == Compat::k1_26) {
    state_.layout->split_container_fs = false;
    return;
  }
  Result<ThresholdTable> table = ThresholdTable::create(
      derive_containerfs_thresholds(settings_.thresholds, *state_.layout).thresholds);
  assert(table);  // create() left room for what is added
  table_ = *std::move(table);
}

void EvictionManager::update_state(MonoTime now, const PassInput& input,
                                   const ThresholdList& looked_for) {
  const Observations& seen = *input.observations;
  decision_.observations = seen;
  decision_.met = merge(table_, thresholds_met(table_, looked_for, seen, MinReclaim::kIgnored),
                        thresholds_met(table_, state_.past_grace, seen, MinReclaim::kEnforced));
  keep_doubtful(input);
  update_guard(now, seen);

  FirstObserved since = first_observed(decision_.met, state_.first_observed, now);
  if (input.cadence == Cadence::kEventOnly) {
    for (std::size_t place = 0; place < since.size(); ++place) {
      if (!since[place]) {
        since[place] = state_.first_observed[place];
      }
    }
  }
  state_.first_observed = since;

  const ConditionSet observed = conditions_of(table_, decision_.met);
  state_.conditions_last_observed = last_observed(observed, state_.conditions_last_observed, now);
  state_.conditions =
      observed_since(state_.conditions_last_observed, settings_.pressure_transition_period, now);
  decision_.conditions = state_.conditions;

  decision_.past_grace = past_grace(table_, decision_.met, state_.first_observed, now);
  state_.past_grace = without_guarded(decision_.past_grace);
  decision_.actionable = in_order(
      table_, with_fresh_statistics(table_, decision_.past_grace, seen, state_.last_observations));
  doubt(now, input);
  state_.last_observations = seen;
}

bool EvictionManager::has_guard_at(std::size_t place) const {
  const Threshold& threshold = table_[place];
  return settings_.oom_guard && threshold.signal == Signal::kMemoryAvailable &&
         threshold.is_hard() && threshold.op != ThresholdOperator::kNone;
}

bool EvictionManager::guard_meets(std::size_t place, const Observation& seen) const {
  return has_guard_at(place) && seen.reserve && guard_is_due(*seen.reserve);
}

bool EvictionManager::has_guard() const {
  const ThresholdList places = table_.places();
  return std::any_of(places.begin(), places.end(),
                     [this](std::size_t place) { return has_guard_at(place); });
}

/// No event reports changes of the reserve that the guard watches, so it plans another reading.
void EvictionManager::update_guard(MonoTime now, const Observations& seen) {
  const std::optional<Observation>& memory = seen[Signal::kMemoryAvailable];
  if (!memory || !memory->reserve || !has_guard()) {
    return;
  }
  for (const std::size_t place : table_.places()) {
    if (!guard_meets(place, *memory)) {
      continue;
    }
    decision_.oom_guard = true;
    if (!decision_.met.has(place)) {
      decision_.guarded.add(place);
    }
  }
  decision_.met = merge(table_, decision_.met, decision_.guarded);
  if (const std::optional<Duration> look = next_guard_look(*memory->reserve)) {
    add_deadline(now + *look);
  }
}

/// Thresholds that only the guard meets end with the guard: minimum reclaim does not apply.
ThresholdList EvictionManager::without_guarded(const ThresholdList& places) const {
  ThresholdList left;
  for (const std::size_t place : places) {
    if (!decision_.guarded.has(place)) {
      left.add(place);
    }
  }
  return left;
}

void EvictionManager::restore(const PassState& state,
                              const std::optional<SuspendedPass>& suspended) {
  state_ = state;
  suspended_.reset();
  if (state_.layout) {
    derive_thresholds();
  }
  state_.past_grace = known_places(state.past_grace);
  if (suspended && state_.layout && suspended->threshold < table_.size()) {
    suspended_ = suspended;
    suspended_->met = known_places(suspended->met);
    suspended_->past_grace = known_places(suspended->past_grace);
    suspended_->actionable = known_places(suspended->actionable);
  }
}

ThresholdList EvictionManager::known_places(const ThresholdList& places) const {
  ThresholdList known;
  for (const std::size_t place : places) {
    if (place < table_.size()) {
      known.add(place);
    }
  }
  return known;
}

void EvictionManager::inherit(const EvictionManager& before) {
  PassState state = before.state_;
  state.first_observed = {};
  state.past_grace = {};
  state_.layout = state.layout;
  if (state_.layout) {
    derive_thresholds();
  }
  for (std::size_t place = 0; place < table_.size(); ++place) {
    for (std::size_t old = 0; old < before.table_.size(); ++old) {
      if (!same_threshold(table_[place], before.table_[old]) || state.first_observed[place]) {
        continue;
      }
      state.first_observed[place] = before.state_.first_observed[old];
      if (before.state_.past_grace.has(old)) {
        state.past_grace.add(place);
      }
    }
  }
  state_ = state;
}

void EvictionManager::add_deadline(const std::optional<MonoTime>& at) {
  if (at && (!decision_.next_deadline || *at < *decision_.next_deadline)) {
    decision_.next_deadline = at;
  }
}

void EvictionManager::find_deadlines(MonoTime now) {
  for (const std::size_t place : decision_.met) {
    if (!decision_.past_grace.has(place) && state_.first_observed[place]) {
      add_deadline(moment_after(*state_.first_observed[place], table_[place].grace_period));
    }
  }
  const ConditionSet observed = conditions_of(table_, decision_.met);
  for (const Condition condition : kConditions) {
    const std::optional<MonoTime>& last =
        state_.conditions_last_observed[static_cast<std::size_t>(condition)];
    if (state_.conditions.has(condition) && !observed.has(condition) && last) {
      add_deadline(std::max(now, moment_after(*last, settings_.pressure_transition_period)));
    }
  }
}

}  // namespace evictd::eviction
