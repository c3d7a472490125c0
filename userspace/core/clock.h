// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/time.h"

namespace evictd::core {

/// The one seam through which time is read. Read once per pass, then passed down as `now`.
/// Thread rule: implementations may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// CLOCK_MONOTONIC now.
  [[nodiscard]] virtual MonoTime now() const = 0;
  /// CLOCK_REALTIME now.
  [[nodiscard]] virtual WallTime wall_now() const = 0;
  /// CPU time of the calling thread, of which only differences mean something: what something
  /// costs, whoever else had the CPU meanwhile. As though it always had it, where a clock knows of
  /// no other time.
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

/// What the wall clock said at `moment`, by how long before `now` that was: what is told late keeps
/// the time at which it happened. A moment that is not known (the epoch) or after `now` is now.
[[nodiscard]] constexpr WallTime wall_time_of(MonoTime moment, const ClockReading& now) {
  const bool is_past = moment != MonoTime{} && moment < now.mono;
  return is_past ? now.wall - (now.mono - moment) : now.wall;
}

}  // namespace evictd::core
