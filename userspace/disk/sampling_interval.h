// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include "evictd/time.h"

namespace evictd::disk {

/// How often a filesystem is read.
struct SamplingOptions {
  /// Also the longest time that a crossing goes unseen. 80 ms leave room for a late wake-up within
  /// the promised 100 ms, and mean 12 readings a second near a threshold.
  Duration shortest = std::chrono::milliseconds(80);
  /// The kubelet's housekeeping period.
  Duration longest = std::chrono::seconds(10);
};

/// Assumed minimum growth, because writes to an idle disk may start at any time: what one fast disk
/// writes a second.
inline constexpr std::int64_t kAssumedBytesPerSecond = std::int64_t{1} << 30;
/// Several times the small files that a fast filesystem creates a second.
inline constexpr std::int64_t kAssumedInodesPerSecond = 500'000;

/// Shortest time between two readings of a filesystem that is about to be full.
inline constexpr Duration kFullSoon = std::chrono::milliseconds(10);

/// Distance of a signal to one threshold. Units: bytes or inodes.
struct Distance {
  /// Left until the threshold is met; zero or less when it is met.
  std::int64_t left = 0;
  /// Last usage growth per second; negative while space is freed.
  std::int64_t rate = 0;
  std::int64_t assumed_rate = kAssumedBytesPerSecond;
  /// Left until the filesystem is full.
  std::int64_t until_full = std::numeric_limits<std::int64_t>::max();
};

/// Time until the next reading: half of the time left at the larger of the two rates, so that
/// doubled growth is still seen in time. A met threshold is read every half second: only recovery,
/// or a further fall that a hold waits for, can follow. If the filesystem is full soon, it is read
/// every eighth of the time until then, at least kFullSoon apart; this tells how much time a choice
/// may take. With several thresholds the caller takes the smallest result.
[[nodiscard]] Duration next_sample_in(const SamplingOptions& options, const Distance& distance);

}  // namespace evictd::disk
