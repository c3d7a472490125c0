// SPDX-License-Identifier: Apache-2.0
// The brakes of a pass.
#include "eviction/brakes.h"
#include "eviction/manager.h"

namespace evictd::eviction {
namespace {

bool same_numbers(const std::optional<Observation>& a, const std::optional<Observation>& b) {
  return a && b && a->available == b->available && a->capacity == b->capacity;
}

}  // namespace

/// Contradictory numbers say nothing about a threshold, met or not. Inodes are not judged without a
/// capacity: a filesystem may have no fixed number of them.
Reason EvictionManager::nonsense(const PassInput& input, std::size_t place) const {
  const Signal signal = table_[place].signal;
  if (input.brakes == nullptr || signal == Signal::kUnknown) {
    return Reason::kNone;
  }
  const std::optional<Observation>& seen = (*input.observations)[signal];
  if (!seen || (seen->capacity == 0 && resource_of(signal) == Resource::kInodes)) {
    return Reason::kNone;
  }
  return doubt_about(*seen);
}

/// A met threshold stays met while its observation is contradictory: its timer continues, but no
/// pod is evicted for it.
void EvictionManager::keep_doubtful(const PassInput& input) {
  for (std::size_t place = 0; place < table_.size(); ++place) {
    if (state_.first_observed[place] && !decision_.met.has(place) &&
        nonsense(input, place) != Reason::kNone) {
      decision_.met.add(place);
    }
  }
}

/// A doubtful observation also holds a pass that would have nothing to do.
void EvictionManager::report_nonsense(MonoTime now, const PassInput& input) {
  for (std::size_t place = 0; place < table_.size(); ++place) {
    const Reason reason = nonsense(input, place);
    if (reason != Reason::kNone) {
      decision_.threshold = place;
      decision_.reason = reason;
      if (decision_.met.has(place)) {
        add_deadline(now + kLookAgainAfterNonsense);
      }
      return;
    }
  }
}

/// Compares the observations with those of the last pass; call before these are replaced.
void EvictionManager::doubt(MonoTime now, const PassInput& input) {
  doubts_.fill(Reason::kNone);
  for (const Signal signal : kSignals) {
    const auto i = static_cast<std::size_t>(signal);
    const std::optional<Observation>& seen = (*input.observations)[signal];
    const std::optional<Observation>& before = state_.last_observations[signal];
    if (!seen || !same_numbers(seen, before) || !state_.unchanged_since[i]) {
      state_.unchanged_since[i] = seen ? std::optional(now) : std::nullopt;
    }
    if (input.brakes == nullptr || !seen || !before) {
      continue;
    }
    doubts_[i] = doubt_about_jump(signal, *seen, *before, input.brakes->growth);
    if (doubts_[i] == Reason::kNone) {
      doubts_[i] = doubt_about_rest(signal, *seen, state_.unchanged_since[i], *input.brakes, now);
    }
  }
}

/// Holds for a pause, and for a doubtful observation. A doubtful observation soon causes another
/// reading.
Verdict EvictionManager::brake(MonoTime now, const PassInput& input, std::size_t place) const {
  const Signal signal = table_[place].signal;
  const std::optional<Observation>& seen = decision_.observations[signal];
  if (input.brakes == nullptr || !seen || signal == Signal::kUnknown) {
    return Verdict::proceed();
  }
  if (const auto end = input.brakes->pauses.until(table_[place], now)) {
    return Verdict::hold(Reason::kPaused, end);
  }
  const Reason nonsense = doubt_about(*seen);
  if (nonsense != Reason::kNone) {
    return Verdict::hold(nonsense, now + kLookAgainAfterNonsense);
  }
  const Reason doubt = doubts_[static_cast<std::size_t>(signal)];
  if (doubt == Reason::kNone) {
    return Verdict::proceed();
  }
  return Verdict::hold(doubt, now + (doubt == Reason::kUnexplainedJump ? kLookAgainAfterJump
                                                                       : kLookAgainAfterNonsense));
}

/// Holds if no eviction is left in this minute. Hard memory and pid thresholds below their floor
/// proceed all the same, because the kernel would act next.
Verdict EvictionManager::limit_rate(MonoTime now, const PassInput& input, std::size_t place) const {
  if (input.brakes == nullptr || evictions_left(*input.brakes, now).value_or(1) > 0) {
    return Verdict::proceed();
  }
  const Threshold& threshold = table_[place];
  const std::optional<Observation>& seen = decision_.observations[threshold.signal];
  const Resource resource = resource_of(threshold.signal);
  const bool vital = resource == Resource::kMemory || resource == Resource::kPids;
  if (vital && threshold.is_hard() && seen && below_floor(place, *seen)) {
    return Verdict::proceed_despite(Reason::kEvictionRate);
  }
  return Verdict::hold(Reason::kEvictionRate, next_allowance(*input.brakes, now));
}

}  // namespace evictd::eviction
