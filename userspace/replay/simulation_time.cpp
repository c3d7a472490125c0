// SPDX-License-Identifier: Apache-2.0
// When passes are run, and what happens to the node between them.
#include <algorithm>

#include "replay/simulation.h"

namespace evictd::replay {

namespace {

/// A timer may fire so much late.
constexpr Duration kTimerSlack = std::chrono::milliseconds(10);

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
  if (deadline_ && now >= *deadline_) {
    deadline_.reset();
    cadence_ = eviction::Cadence::kRegular;
    due = true;
  }
  if (crossing_ && now >= *crossing_) {
    crossing_.reset();
    cadence_ = eviction::Cadence::kEventOnly;
    due = true;
  }
  return due;
}

/// Memory that goes below nothing since the last moment.
void Simulation::note_oom(MonoTime now) {
  for (const eviction::Signal signal : eviction::kSignals) {
    if (!eviction::is_memory(signal) || waiting_.empty() || last_ == MonoTime{}) {
      continue;
    }
    const std::optional<double> from = world_.available(signal, last_);
    const std::optional<double> to = world_.available(signal, now);
    if (!from || !to || *from <= 0 || *to > 0) {
      continue;
    }
    const auto share = *from / (*from - *to);
    const auto after = std::chrono::duration<double>(now - last_) * share;
    ooms_.emplace_back(OutOfMemory{.at = last_ + std::chrono::duration_cast<Duration>(after),
                                   .signal = std::string(eviction::to_string(signal))},
                       waiting_);
  }
}

/// When a threshold that is not met would be crossed before `until`, in a straight line.
void Simulation::find_crossing(MonoTime now, MonoTime until) {
  crossing_.reset();
  if (changes_.without_events || !world_.any_spared()) {
    return;
  }
  const eviction::ThresholdTable& table = manager_.thresholds();
  for (std::size_t place = 0; place < table.size(); ++place) {
    const auto& seen = manager_.state().last_observations[table[place].signal];
    const auto from = world_.available(table[place].signal, now);
    const auto to = world_.available(table[place].signal, until);
    if (!seen || !from || !to) {
      continue;
    }
    const auto limit =
        static_cast<double>(table.limit(place, seen->capacity, eviction::MinReclaim::kIgnored));
    if (*from < limit || *to >= limit) {
      continue;
    }
    const auto after =
        std::chrono::duration<double>(until - now) * ((*from - limit) / (*from - *to));
    const MonoTime at =
        now + std::chrono::duration_cast<Duration>(after) + std::chrono::microseconds(1);
    if (!crossing_ || at < *crossing_) {
      crossing_ = at;
    }
  }
}

/// The end of what is looked at: with pods that live on, so long after the recording that every
/// way to end them has had its turn.
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
  return end + longest;
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
  consider(resume_at_);
  consider(world_.next_end(now));
  find_crossing(now, next.value_or(end));
  consider(crossing_);
  return next;
}

}  // namespace evictd::replay
