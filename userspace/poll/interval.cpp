// SPDX-License-Identifier: Apache-2.0
#include "poll/interval.h"

#include <algorithm>

namespace evictd::poll {
namespace {

/// `distance` and `rate` in one unit and in that unit a second; `rate` is above 0.
Duration half_of_time_left(const IntervalOptions& options, std::int64_t distance,
                           std::int64_t rate) {
  switch (options.mode) {
    case IntervalMode::kFixed:
      return options.longest;
    case IntervalMode::kAdaptive:
      break;
  }
  const Duration shortest = std::min(options.shortest, options.longest);
  if (distance <= 0) {
    return shortest;
  }
  // Half of the time to the threshold, so that doubled growth is still seen before it.
  const std::chrono::duration<double> half{static_cast<double>(distance) /
                                           static_cast<double>(rate) / 2};
  // Compared as seconds: a far threshold is more nanoseconds away than a Duration can hold.
  if (half >= options.longest) {
    return options.longest;
  }
  return std::max(std::chrono::duration_cast<Duration>(half), shortest);
}

}  // namespace

Duration next_interval(const IntervalOptions& options, const Approach& approach) {
  const Bytes rate = std::max({approach.rate, options.assumed_rate, Bytes{1}});
  return half_of_time_left(options, approach.distance.value, rate.value);
}

Duration next_interval(const IntervalOptions& options, const TaskApproach& approach) {
  const std::int64_t rate = std::max({approach.rate, options.assumed_task_rate, std::int64_t{1}});
  return half_of_time_left(options, approach.distance, rate);
}

}  // namespace evictd::poll
