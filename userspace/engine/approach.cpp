// SPDX-License-Identifier: Apache-2.0
#include "engine/approach.h"

#include <cstddef>
#include <optional>
#include <ratio>

#include "core/stand_by.h"
#include "engine/backstop.h"
#include "eviction/quantity.h"
#include "eviction/signal.h"

namespace evictd::engine {

namespace {

// What is prepared lasts no longer.
constexpr Duration kPrepared = kBackstopLasts;
static_assert(kPrepared >= core::StandBy::kLongest);

/// Not met, and met once `reach` less is available.
bool is_within(const eviction::ThresholdTable& thresholds, std::size_t place,
               const eviction::Observation& seen, eviction::Wide reach) {
  return thresholds[place].op == eviction::ThresholdOperator::kLessThan &&
         !thresholds.met(place, seen, eviction::MinReclaim::kIgnored) &&
         eviction::Wide{seen.available} - reach <
             thresholds.limit(place, seen.capacity, eviction::MinReclaim::kIgnored);
}

/// Whether it has no grace period, or one that is remembered and over by `at`.
bool is_past_grace(const eviction::Threshold& threshold, const std::optional<MonoTime>& since,
                   MonoTime at) {
  return threshold.is_hard() || (since && at - *since >= threshold.grace_period);
}

}  // namespace

bool only_begins_grace(const eviction::ThresholdTable& thresholds, const eviction::PassState& state,
                       const eviction::Observations& seen, const Approaching& approaching) {
  const eviction::Wide reach =
      eviction::Wide{approaching.rate} * kPrepared.count() / std::nano::den;
  bool soft = false;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const std::optional<eviction::Observation>& one = seen[thresholds[i].signal];
    if (!eviction::is_memory(thresholds[i].signal) || !one ||
        !is_within(thresholds, i, *one, reach)) {
      continue;
    }
    if (is_past_grace(thresholds[i], state.first_observed[i], approaching.now + kPrepared)) {
      return false;
    }
    soft = true;
  }
  return soft;
}

}  // namespace evictd::engine
