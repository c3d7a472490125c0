// SPDX-License-Identifier: Apache-2.0
#include "disk/sampling_interval.h"

#include <algorithm>

namespace evictd::disk {

namespace {

constexpr Duration kWhileMet = std::chrono::milliseconds(500);

/// By the thresholds alone.
Duration by_distance(const SamplingOptions& options, const Distance& distance) {
  const Duration shortest = std::min(options.shortest, options.longest);
  if (distance.left <= 0) {
    return std::clamp(kWhileMet, shortest, options.longest);
  }
  const std::int64_t rate = std::max({distance.rate, distance.assumed_rate, std::int64_t{1}});
  const std::chrono::duration<double> half{static_cast<double>(distance.left) /
                                           static_cast<double>(rate) / 2};
  // Compared as seconds: a far threshold is more nanoseconds away than a Duration can hold.
  if (half >= options.longest) {
    return options.longest;
  }
  return std::max(std::chrono::duration_cast<Duration>(half), shortest);
}

}  // namespace

Duration next_sample_in(const SamplingOptions& options, const Distance& distance) {
  const Duration next = by_distance(options, distance);
  if (distance.rate <= 0) {
    return next;
  }
  const std::chrono::duration<double> eighth{static_cast<double>(distance.until_full) /
                                             static_cast<double>(distance.rate) / 8};
  if (eighth >= next) {
    return next;
  }
  return std::min(next, std::max(std::chrono::duration_cast<Duration>(eighth), kFullSoon));
}

}  // namespace evictd::disk
