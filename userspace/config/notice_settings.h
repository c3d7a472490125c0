// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "evictd/bytes.h"
#include "evictd/time.h"

namespace evictd::config {

// How, and how soon, evictd notices a change.

/// Polls more often as the estimated time to a threshold shrinks.
struct AdaptivePolling {
  bool enabled = false;
  Duration min = std::chrono::milliseconds(100);
  Duration max = std::chrono::seconds(10);

  bool operator==(const AdaptivePolling&) const = default;
};

/// The in-kernel timer that watches threshold counters; probe::SweepOptions explains the defaults.
struct SweepSettings {
  /// Period while nothing is near a threshold.
  Duration base_period = std::chrono::milliseconds(100);
  /// Shortest period of the fast ticks after a kick.
  Duration floor = std::chrono::microseconds(20);
  /// Charges kick the timer only within this distance of a threshold.
  Bytes near_distance = 4_MiB;
  /// Fastest growth and fall assumed, in bytes a second.
  Bytes rate_up{32'000'000'000};
  Bytes rate_down{64'000'000'000};
  /// How long one kick lasts.
  Duration kick_window = std::chrono::milliseconds(10);
  /// Fast ticks allowed in a row, and per second in any steady state.
  std::uint32_t fast_tick_burst = 256;
  std::uint32_t fast_ticks_per_second = 400;

  bool operator==(const SweepSettings&) const = default;
};

/// How far a signal must recover before its next crossing wakes a pass again. Limits wake-ups,
/// never decisions.
struct HysteresisSettings {
  Bytes memory = 1_MiB;
  std::int64_t tasks = 16;

  bool operator==(const HysteresisSettings&) const = default;
};

/// When memory stall time wakes a pass: `notice` of it within one `window`.
struct StallSettings {
  Duration notice = std::chrono::milliseconds(50);
  Duration window = std::chrono::seconds(1);

  bool operator==(const StallSettings&) const = default;
};

}  // namespace evictd::config
