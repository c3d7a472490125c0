// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace evictd {

using Duration = std::chrono::nanoseconds;

/// CLOCK_MONOTONIC as this process reads it: stands still while the machine is suspended and does
/// not follow steps of the wall clock. What bpf_ktime_get_ns() returns is turned into it by
/// base/kernel_clock.h. Only a tag: it cannot be read from here, so pure code cannot read it. See
/// core/clock.h.
struct Monotonic {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Monotonic, Duration>;
  static constexpr bool is_steady = true;
};

/// A moment on CLOCK_MONOTONIC; all timers and periods of evictd are measured between these.
using MonoTime = Monotonic::time_point;

/// `by` after `at`; the end of the clock where that is beyond it, since a period may be configured
/// without a bound. `by` is not negative.
[[nodiscard]] constexpr MonoTime moment_after(MonoTime at, Duration by) {
  return by > MonoTime::max() - at ? MonoTime::max() : at + by;
}

/// A moment on the wall clock, for people and for the API; never subtracted to get a period.
using WallTime = std::chrono::sys_time<Duration>;

}  // namespace evictd
