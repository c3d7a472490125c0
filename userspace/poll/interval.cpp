// SPDX-License-Identifier: Apache-2.0
#include "poll/interval.h"

#include <algorithm>

namespace evictd::poll {

Duration next_interval(const IntervalOptions& options, const Approach& approach) {
  switch (options.mode) {
    case IntervalMode::kFixed:
      return options.longest;
    case IntervalMode::kAdaptive:
      break;
  }
  const Duration shortest = std::min(options.shortest, options.longest);
  if (approach.distance.value <= 0) {
    return shortest;
  }
  const Bytes rate = std::max({approach.rate, options.assumed_rate, Bytes{1}});
  // Half of the time to the threshold, so that a growth that doubles is still seen before it.
  const std::chrono::duration<double> half{static_cast<double>(approach.distance.value) /
                                           static_cast<double>(rate.value) / 2};
  // Compared as seconds: a far threshold is more nanoseconds away than a Duration can hold.
  if (half >= options.longest) {
    return options.longest;
  }
  return std::max(std::chrono::duration_cast<Duration>(half), shortest);
}

}  // namespace evictd::poll
