// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/time.h"

namespace evictd::core {

/// The only interface through which time is read. A pass reads it once and passes it on as `now`.
/// Thread rule: implementations may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// CLOCK_MONOTONIC now.
  [[nodiscard]] virtual MonoTime now() const = 0;
  /// CLOCK_REALTIME now.
  [[nodiscard]] virtual WallTime wall_now() const = 0;
  /// CPU time of the calling thread; only differences are meaningful. Measures cost independently
  /// of other threads' use of the CPU. A clock without CPU time returns now(), as if the thread
  /// always ran.
  [[nodiscard]] virtual Duration thread_cpu() const { return now().time_since_epoch(); }
};

/// Both clocks, read together.
struct ClockReading {
  MonoTime mono{};
  WallTime wall{};
};
[[nodiscard]] inline ClockReading read_both(const Clock& clock) {
  return {.mono = clock.now(), .wall = clock.wall_now()};
}

/// The wall clock's time at `moment`, computed from how long before `now` it was. So a late report
/// keeps the time of its event. An unknown `moment` (the epoch) or one after `now` gives
/// `now.wall`.
[[nodiscard]] constexpr WallTime wall_time_of(MonoTime moment, const ClockReading& now) {
  const bool is_past = moment != MonoTime{} && moment < now.mono;
  return is_past ? now.wall - (now.mono - moment) : now.wall;
}

}  // namespace evictd::core
