// SPDX-License-Identifier: Apache-2.0
// When passes are run, and what happens to the node between them.
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

bool is_regular(const RecordedPass& pass) {
  return pass.trigger == "regular";
}

}  // namespace

bool Simulation::has_ticks() const {
  return changes_.without_events || changes_.interval;
}

/// Whether a pass is run at `now`, and takes what is due off the list.
bool Simulation::is_due(MonoTime now) {
  bool due = false;
  exact_ = nullptr;
  while (next_pass_ < parts_.passes.size() && parts_.passes[next_pass_]->now <= now) {
    const RecordedPass& pass = *parts_.passes[next_pass_++];
    exact_ = pass.now == now ? &pass : nullptr;
    if (pass.resumed) {
      continue;  // It comes when collectors are done here.
    }
    cadence_ = pass.cadence;
    due = due || (!changes_.without_events && !(has_ticks() && is_regular(pass)));
  }
  if (has_ticks() && now >= next_tick_) {
    next_tick_ = now + options_.interval;
    cadence_ = eviction::Cadence::kRegular;
    due = true;
  }
  for (std::optional<MonoTime>* moment : {&deadline_, &release_at_}) {
    if (*moment && now >= **moment) {
      moment->reset();
      cadence_ = eviction::Cadence::kRegular;
      due = true;
    }
  }
  for (std::optional<MonoTime>* moment : {&crossing_, &again_at_}) {
    if (*moment && now >= **moment) {
      moment->reset();
      cadence_ = eviction::Cadence::kEventOnly;
      due = true;
    }
  }
  return due;
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

void Simulation::note_oom(MonoTime now) {
  if (waiting_.empty() || last_ == MonoTime{}) {
    return;
  }
  const std::optional<OutOfMemory> oom = first_oom(right_before(now));
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

void Simulation::consider_crossing(Level kind, std::size_t place, MonoTime now, MonoTime until) {
  const eviction::Signal signal = manager_.thresholds()[place].signal;
  const auto& seen = manager_.state().last_observations[signal];
  if (!seen) {
    return;
  }
  const eviction::Wide level = amount_of(kind, manager_, place, seen->capacity);
  // Nothing is seen below nothing.
  if (level <= 0 || is_noticed(kind, signal, level, seen->capacity)) {
    return;
  }
  // The floor is one of what the kernel can give, which is less than is available by so much.
  const std::int64_t kept_back = kind == Level::kFloor ? seen->available - seen->left() : 0;
  const std::optional<MonoTime> at =
      world_.falls_below(signal, static_cast<double>(level + kept_back), now, until);
  if (at && (!crossing_ || *at + kPast < *crossing_)) {
    crossing_ = *at + kPast;
  }
}

/// When a threshold that is not met would be crossed before `until`, in a straight line; or while a
/// victim is in its hard grace, the floor below which it loses it.
void Simulation::find_crossing(MonoTime now, MonoTime until) {
  crossing_.reset();
  if (changes_.without_events) {
    return;
  }
  const bool cuts = world_.any_in_hard_grace(now) && !dry_run();
  const eviction::ThresholdTable& table = manager_.thresholds();
  for (std::size_t place = 0; place < table.size(); ++place) {
    consider_crossing(Level::kThreshold, place, now, until);
    if (cuts && table[place].is_hard()) {
      consider_crossing(Level::kFloor, place, now, until);
    }
  }
}

/// When the pods that live on will have used up what they take, going on from `from`; what takes
/// longer than kLongestGrowth is left out.
MonoTime Simulation::used_up(MonoTime from) const {
  MonoTime last = from;
  for (const eviction::Threshold& threshold : manager_.thresholds().all()) {
    last = std::max(
        last, world_.falls_below(threshold.signal, 1, from, from + kLongestGrowth).value_or(from));
  }
  return last;
}

/// The end of what is looked at: with pods that live on, so long after the recording and the last
/// end of one that every way to end them has had its turn; with their growth, where they grow.
MonoTime Simulation::horizon() const {
  const MonoTime end = parts_.passes.back()->now;
  if (!world_.any_spared()) {
    return end;
  }
  Duration longest = 2 * options_.interval;
  for (const eviction::Threshold& threshold : manager_.thresholds().all()) {
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
         recorded->get<std::int64_t>() == deadline_->time_since_epoch().count();
}

/// A recorded pass that came because of a deadline: one pass is run for both.
void Simulation::await_recorded_deadline() {
  if (!deadline_ || changes_.without_events || next_pass_ == parts_.passes.size()) {
    return;
  }
  const MonoTime recorded = parts_.passes[next_pass_]->now;
  if (recorded >= *deadline_ && (recorded - *deadline_ <= kTimerSlack || awaited_as_recorded())) {
    deadline_ = recorded;
  }
}

std::optional<MonoTime> Simulation::next_moment(MonoTime now) {
  const MonoTime end = horizon();
  std::optional<MonoTime> next;
  const auto consider = [&](const std::optional<MonoTime>& moment) {
    if (moment && *moment > now && *moment <= end && (!next || *moment < *next)) {
      next = moment;
    }
  };
  await_recorded_deadline();
  if (next_pass_ < parts_.passes.size()) {
    consider(parts_.passes[next_pass_]->now);
  }
  if (has_ticks()) {
    consider(next_tick_);
  }
  consider(deadline_);
  consider(again_at_);
  consider(resume_at_);
  consider(world_.next_end(now));
  // As long as nothing differs that pass is in the recording.
  release_at_ = differs_ && !changes_.without_events ? disk_wait_.next_release(now) : std::nullopt;
  consider(release_at_);
  if (!waiting_.empty()) {
    consider(end);  // Memory may be used up before.
  }
  find_crossing(now, right_before(next.value_or(end)));
  consider(crossing_);
  return next;
}

}  // namespace evictd::replay
