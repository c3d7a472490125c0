// SPDX-License-Identifier: Apache-2.0
#include "enforce/eviction_table.h"

#include <algorithm>
#include <utility>

namespace evictd::enforce {

namespace {

/// Steps that one eviction can take: terminating, killed, exceeded, released.
constexpr std::size_t kStepsEach = 4;

Duration time_to_end(Duration grace) {
  return std::max(grace + grace / 2, kLeastTimeToEnd);
}

MonoTime stamp_of(const SignalReport& signals, MonoTime now) {
  return signals.last_at == MonoTime{} ? now : signals.last_at;
}

}  // namespace

PinnedTarget::PinnedTarget(KillTarget& target) : target_(&target) {
  target_->pins_.fetch_add(1, std::memory_order_acq_rel);
}

PinnedTarget::PinnedTarget(PinnedTarget&& other) noexcept
    : target_(std::exchange(other.target_, nullptr)) {}

PinnedTarget& PinnedTarget::operator=(PinnedTarget&& other) noexcept {
  std::swap(target_, other.target_);
  return *this;
}

PinnedTarget::~PinnedTarget() {
  if (target_ != nullptr) {
    target_->pins_.fetch_sub(1, std::memory_order_acq_rel);
  }
}

EvictionTable::EvictionTable(std::size_t capacity)
    : evictions_(capacity), steps_(capacity * kStepsEach) {}

Eviction* EvictionTable::add(KillTarget& target, Duration grace, MonoTime now) {
  const auto free = std::find_if(evictions_.begin(), evictions_.end(),
                                 [](const Eviction& eviction) { return !eviction.in_use(); });
  if (free == evictions_.end()) {
    return nullptr;
  }
  const Duration period = std::max(grace, Duration::zero());
  free->ticket = Ticket{.slot = static_cast<std::uint32_t>(free - evictions_.begin()),
                        .generation = next_generation_++};
  free->target = PinnedTarget(target);
  ++used_;
  free->state = EvictionState::kTerminating;
  free->began_at = now;
  free->killed_at = MonoTime{};
  free->kill_due_at = now + period;
  free->give_up_at = now + time_to_end(period);
  free->first_failed_at = MonoTime{};
  free->killed_by_kernel_at.reset();
  free->look_again_at.reset();
  return &*free;
}

void EvictionTable::place(Eviction& eviction, const Adoption& adoption) {
  eviction.state = adoption.state;
  eviction.began_at = adoption.began_at;
  eviction.kill_due_at = adoption.kill_due_at;
  eviction.killed_at = adoption.killed_at;
}

void EvictionTable::drop(Eviction& eviction) {
  used_ -= eviction.in_use() ? 1 : 0;
  eviction.target = PinnedTarget();
}

Eviction* EvictionTable::find(Ticket ticket) {
  if (ticket.slot >= evictions_.size()) {
    return nullptr;
  }
  Eviction& eviction = evictions_[ticket.slot];
  return eviction.in_use() && eviction.ticket == ticket ? &eviction : nullptr;
}

Eviction* EvictionTable::find_pod(const KillTarget& target) {
  if (used_ == 0) {
    return nullptr;
  }
  const auto found = std::find_if(evictions_.begin(), evictions_.end(), [&](const Eviction& each) {
    return each.in_use() && each.target.get()->uid() == target.uid();
  });
  return found == evictions_.end() ? nullptr : &*found;
}

Eviction* EvictionTable::find_same(const KillTarget& target) {
  Eviction* const eviction = find_pod(target);
  return eviction != nullptr && eviction->target.get()->id() == target.id() ? eviction : nullptr;
}

Eviction* EvictionTable::find_cgroup(CgroupId cgroup) {
  if (used_ == 0) {
    return nullptr;
  }
  const auto found = std::find_if(evictions_.begin(), evictions_.end(), [&](const Eviction& each) {
    return each.in_use() && each.target.get()->holds(cgroup);
  });
  return found == evictions_.end() ? nullptr : &*found;
}

void EvictionTable::cut_grace(Eviction& eviction, MonoTime deadline, MonoTime now) {
  eviction.kill_due_at = std::min(eviction.kill_due_at, std::max(deadline, now));
  eviction.give_up_at =
      std::min(eviction.give_up_at, now + time_to_end(eviction.kill_due_at - now));
}

bool EvictionTable::put_off(Eviction& eviction, MonoTime now) {
  if (eviction.first_failed_at == MonoTime{}) {
    eviction.first_failed_at = now;
  }
  if (now >= std::max(eviction.give_up_at, eviction.first_failed_at + kLeastTimeToEnd)) {
    return false;
  }
  eviction.kill_due_at = now + kTryAgain;
  return true;
}

std::optional<MonoTime> EvictionTable::next_deadline() const {
  std::optional<MonoTime> next;
  if (used_ == 0) {
    return next;
  }
  const auto consider = [&next](MonoTime at) { next = next ? std::min(*next, at) : at; };
  for (const Eviction& eviction : evictions_) {
    if (!eviction.in_use()) {
      continue;
    }
    if (eviction.look_again_at) {
      consider(*eviction.look_again_at);
    }
    if (eviction.state == EvictionState::kTerminating) {
      consider(eviction.kill_due_at);
    } else if (eviction.state == EvictionState::kKilled) {
      consider(eviction.give_up_at);
    }
  }
  return next;
}

void EvictionTable::mark_terminating(Eviction& eviction, const SignalReport& signals,
                                     MonoTime now) {
  eviction.state = EvictionState::kTerminating;
  report(eviction, signals, stamp_of(signals, now));
}

void EvictionTable::mark_killed(Eviction& eviction, const SignalReport& signals, MonoTime now) {
  eviction.state = EvictionState::kKilled;
  eviction.killed_at = stamp_of(signals, now);
  report(eviction, signals, eviction.killed_at);
}

void EvictionTable::mark_exceeded(Eviction& eviction, MonoTime at) {
  eviction.state = EvictionState::kExceededGrace;
  report(eviction, {}, at);
}

void EvictionTable::mark_not_killed(Eviction& eviction, std::string_view why, MonoTime at) {
  eviction.state = EvictionState::kExceededGrace;
  report(eviction, {}, at, why);
}

void EvictionTable::mark_released(Eviction& eviction, MonoTime at) {
  eviction.state = EvictionState::kReleased;
  report(eviction, {}, at);
  drop(eviction);
}

std::optional<Progress> EvictionTable::take_progress() {
  if (step_count_ == 0) {
    return std::nullopt;
  }
  const Progress step = steps_[first_step_];
  first_step_ = (first_step_ + 1) % steps_.size();
  --step_count_;
  return step;
}

std::size_t EvictionTable::in_flight(std::span<InFlight> out) const {
  std::size_t count = 0;
  for (const Eviction& eviction : evictions_) {
    if (eviction.in_use() && count < out.size()) {
      out[count++] = InFlight{.ticket = eviction.ticket,
                              .pod = eviction.target.get()->id(),
                              .state = eviction.state,
                              .began_at = eviction.began_at,
                              .killed_at = eviction.killed_at,
                              .kill_due_at = eviction.kill_due_at,
                              .usage = eviction.target.get()->usage().value_or(Bytes{-1})};
    }
  }
  std::sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count),
            [](const InFlight& a, const InFlight& b) {
              return a.ticket.generation < b.ticket.generation;
            });
  return count;
}

void EvictionTable::report(const Eviction& eviction, const SignalReport& signals, MonoTime at,
                           std::string_view not_killed) {
  if (step_count_ == steps_.size()) {
    // The steps are not taken: the oldest one matters least for the evictions in progress.
    first_step_ = (first_step_ + 1) % steps_.size();
    --step_count_;
  }
  steps_[(first_step_ + step_count_) % steps_.size()] = Progress{.ticket = eviction.ticket,
                                                                 .pod = eviction.target.get()->id(),
                                                                 .state = eviction.state,
                                                                 .at = at,
                                                                 .signals = signals,
                                                                 .not_killed = not_killed};
  ++step_count_;
}

}  // namespace evictd::enforce
