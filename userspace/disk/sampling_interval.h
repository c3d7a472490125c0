// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include "evictd/time.h"

namespace evictd::disk {

/// How often a filesystem is looked at.
struct SamplingOptions {
  /// Also the longest time that a crossing goes unseen. 80 ms leave room for a late wake-up where
  /// 100 ms are promised, and are 12 looks a second where a threshold is near.
  Duration shortest = std::chrono::milliseconds(80);
  /// The kubelet's housekeeping period.
  Duration longest = std::chrono::seconds(10);
};

/// Growth that is reckoned with where less is seen, because a disk at rest may be written to at
/// once: what one fast disk takes a second.
inline constexpr std::int64_t kAssumedBytesPerSecond = std::int64_t{1} << 30;
/// Small files that a fast filesystem makes a second, several times over.
inline constexpr std::int64_t kAssumedInodesPerSecond = 500'000;

/// The shortest time between two looks at a filesystem that is about to be full.
inline constexpr Duration kFullSoon = std::chrono::milliseconds(10);

/// How a signal stands to one threshold. Units: bytes or inodes.
struct Distance {
  /// Left until the threshold is met; zero or less when it is met.
  std::int64_t left = 0;
  /// What is used up a second, as last seen; negative while more becomes free.
  std::int64_t rate = 0;
  std::int64_t assumed_rate = kAssumedBytesPerSecond;
  /// Left until nothing is.
  std::int64_t until_full = std::numeric_limits<std::int64_t>::max();
};

/// When to look again: half of the time that is left at the larger of the rates, so that a growth
/// that doubles is still seen in time. A threshold that is met is looked at every half second: what
/// happens then is recovery, or a further fall that a hold waits for. While it fills so fast that
/// nothing is left soon, a look comes in every eighth of the time until then, down to kFullSoon:
/// how much time a choice may take is told by it. With several thresholds the caller takes the
/// smallest answer.
[[nodiscard]] Duration next_sample_in(const SamplingOptions& options, const Distance& distance);

}  // namespace evictd::disk
