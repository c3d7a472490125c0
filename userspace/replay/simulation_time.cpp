// SPDX-License-Identifier: Apache-2.0
// When there is something to look at: what the engine waits for, and what happens to the node by
// itself.
#include <algorithm>

#include "replay/simulation.h"

namespace evictd::replay {

namespace {

/// A timer may fire so much late.
constexpr Duration kTimerSlack = std::chrono::milliseconds(10);
/// How far pods are followed that nothing ends.
constexpr Duration kLongestGrowth = std::chrono::minutes(10);

/// The end of a stretch that goes to `moment`: whoever is gone then still holds what it had.
MonoTime right_before(MonoTime moment) {
  return moment - Duration(1);
}

}  // namespace

bool Simulation::has_ticks() const {
  return changes_.without_events || changes_.interval;
}

bool Simulation::dry_run() const {
  return changes_.config ? (*changes_.config)->dry_run : last_recorded().dry_run;
}

/// Memory that is used up, or still is, in the stretch since the last moment.
std::optional<OutOfMemory> Simulation::first_oom(MonoTime until) const {
  std::optional<OutOfMemory> first;
  for (const eviction::Signal signal : eviction::kSignals) {
    const std::optional<double> from = world_.available(signal, last_);
    if (!eviction::is_memory(signal) || !from) {
      continue;
    }
    const std::optional<MonoTime> at =
        *from <= 0 ? last_ : world_.falls_below(signal, 0, last_, until);
    if (at && (!first || *at < first->at)) {
      first = OutOfMemory{.at = *at, .signal = std::string(eviction::to_string(signal))};
    }
  }
  return first;
}

void Simulation::find_ooms() {
  if (waiting_.empty() || last_ == MonoTime{}) {
    return;
  }
  const std::optional<OutOfMemory> oom = first_oom(right_before(now_));
  for (auto pod = waiting_.begin(); oom && pod != waiting_.end(); ++pod) {
    if (!world_.is_gone(*pod, oom->at)) {
      ooms_.emplace(*pod, *oom);
    }
  }
}

std::optional<OutOfMemory> Simulation::oom_of(std::size_t pod) const {
  const auto found = ooms_.find(pod);
  return found == ooms_.end() ? std::nullopt : std::optional(found->second);
}

eviction::Wide Simulation::amount_of(Level kind, const eviction::EvictionManager& manager,
                                     std::size_t place, std::int64_t capacity) {
  return kind == Level::kFloor
             ? manager.floor_of(place, capacity)
             : manager.thresholds().limit(place, capacity, eviction::MinReclaim::kIgnored);
}

/// Whether a pass was recorded where `signal` fell below `level`: as long as all is as recorded, at
/// what the recorded configuration had there.
bool Simulation::is_noticed(Level kind, eviction::Signal signal, eviction::Wide level,
                            std::int64_t capacity) const {
  if (differs_) {
    return false;
  }
  const std::size_t last = next_pass_ == 0 ? 0 : next_pass_ - 1;
  const eviction::EvictionManager& was = (*options_.recorded)[parts_.config_of[last]];
  for (std::size_t place = 0; place < was.thresholds().size(); ++place) {
    if (was.thresholds()[place].signal == signal &&
        amount_of(kind, was, place, capacity) == level) {
      return true;
    }
  }
  return false;
}

void Simulation::consider_crossing(Level kind, std::size_t place, MonoTime until) {
  const eviction::Signal signal = manager().thresholds()[place].signal;
  const auto& seen = manager().state().last_observations[signal];
  if (!seen) {
    return;
  }
  const eviction::Wide level = amount_of(kind, manager(), place, seen->capacity);
  // Nothing is seen below nothing.
  if (level <= 0 || is_noticed(kind, signal, level, seen->capacity)) {
    return;
  }
  // The floor is one of what the kernel can give, which is less than is available by so much.
  const std::int64_t kept_back = kind == Level::kFloor ? seen->available - seen->left() : 0;
  const std::optional<MonoTime> at =
      world_.falls_below(signal, static_cast<double>(level + kept_back), now_, until);
  if (at && (!crossing_ || *at + kPast < crossing_->at)) {
    crossing_ = Crossing{.at = *at + kPast, .place = place};
  }
}

/// When a threshold that is not met would be crossed before `until`, in a straight line. While a
/// victim is in its hard grace, the same for the floor below which it loses it.
void Simulation::find_crossing(MonoTime until) {
  crossing_.reset();
  if (changes_.without_events) {
    return;
  }
  const auto victims = engine_.victims().all();
  const bool cuts = std::any_of(victims.begin(), victims.end(), [](const engine::Victim& victim) {
    return victim.phase == engine::VictimPhase::kHardGrace && !victim.dry_run;
  });
  const eviction::ThresholdTable& table = manager().thresholds();
  for (std::size_t place = 0; place < table.size(); ++place) {
    consider_crossing(Level::kThreshold, place, until);
    if (cuts && table[place].is_hard()) {
      consider_crossing(Level::kFloor, place, until);
    }
  }
}

/// When the pods that live on will have used up what they take, going on from `from`; what takes
/// longer than kLongestGrowth is left out.
MonoTime Simulation::used_up(MonoTime from) const {
  MonoTime last = from;
  for (const eviction::Threshold& threshold : manager().thresholds().all()) {
    last = std::max(
        last, world_.falls_below(threshold.signal, 1, from, from + kLongestGrowth).value_or(from));
  }
  return last;
}

/// The end of what is looked at. With pods that live on it comes so long after the recording and
/// the last end of one that every way to end them has had its turn. Where they grow, that is after
/// they have used up what there is.
MonoTime Simulation::horizon() const {
  const MonoTime end = parts_.passes.back()->now;
  if (!world_.any_spared()) {
    return end;
  }
  Duration longest = 2 * options_.interval;
  for (const eviction::Threshold& threshold : manager().thresholds().all()) {
    longest = std::max(longest, std::min<Duration>(threshold.grace_period, std::chrono::hours(24)) +
                                    2 * options_.interval);
  }
  const MonoTime quiet =
      std::max({end, world_.last_end().value_or(end), disk_wait_.last_release().value_or(end)});
  return (world_.any_living_on() ? used_up(quiet) : quiet) + longest;
}

/// Whether the recorded daemon awaited the same deadline: its next pass then came as soon as the
/// machine let it.
bool Simulation::awaited_as_recorded() const {
  if (differs_ || next_pass_ == 0 || parts_.passes[next_pass_]->missed != 0) {
    return false;
  }
  const Json& decision = last_recorded().decision;
  const auto recorded = decision.find("next_deadline");
  return recorded != decision.end() && recorded->is_number_integer() &&
         recorded->get<std::int64_t>() == wait_.until.time_since_epoch().count();
}

/// When the engine wants its next turn. Where a recorded pass came because of the same deadline,
/// one pass is run for both.
MonoTime Simulation::wakes_at() const {
  if (wait_.until != engine_.decision().next_deadline || changes_.without_events ||
      next_pass_ == parts_.passes.size()) {
    return wait_.until;
  }
  const MonoTime recorded = parts_.passes[next_pass_]->now;
  const bool came_for_it =
      recorded >= wait_.until && (recorded - wait_.until <= kTimerSlack || awaited_as_recorded());
  return came_for_it ? recorded : wait_.until;
}

std::optional<MonoTime> Simulation::next_moment() {
  const MonoTime end = horizon();
  std::optional<MonoTime> next;
  const auto consider = [&](const std::optional<MonoTime>& moment) {
    if (moment && *moment > now_ && *moment <= end && (!next || *moment < *next)) {
      next = moment;
    }
  };
  if (next_pass_ < parts_.passes.size()) {
    consider(parts_.passes[next_pass_]->now);
  }
  consider(wakes_at());
  consider(disk_work_.collected_at);
  consider(world_.next_end(now_));
  if (tells_at_once()) {
    consider(disk_wait_.next_release(now_));
    // Who is gone at the moment of its end is so in the next one.
    consider(happened().empty() ? std::nullopt : std::optional(now_ + kPast));
  }
  if (!waiting_.empty()) {
    consider(end);  // Memory may be used up before.
  }
  find_crossing(right_before(next.value_or(end)));
  if (crossing_) {
    consider(crossing_->at);
  }
  return next;
}

}  // namespace evictd::replay
