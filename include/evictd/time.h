// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace evictd {

using Duration = std::chrono::nanoseconds;

/// CLOCK_MONOTONIC as this process reads it: stops while the machine is suspended and ignores steps
/// of the wall clock. base/kernel_clock.h converts times from bpf_ktime_get_ns(). This type is only
/// a tag without now(), so pure code cannot read the clock. See core/clock.h.
struct Monotonic {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Monotonic, Duration>;
  static constexpr bool is_steady = true;
};

/// A time on CLOCK_MONOTONIC. evictd measures all timers and periods with it.
using MonoTime = Monotonic::time_point;

/// `at` + `by`, or the end of the clock if the sum overflows: configured periods have no bound.
/// `by` is not negative.
[[nodiscard]] constexpr MonoTime moment_after(MonoTime at, Duration by) {
  return by > MonoTime::max() - at ? MonoTime::max() : at + by;
}

/// A time on the wall clock, for people and for the API. Never subtract two to get a period.
using WallTime = std::chrono::sys_time<Duration>;

}  // namespace evictd
