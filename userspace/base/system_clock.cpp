// SPDX-License-Identifier: Apache-2.0
#include "base/system_clock.h"

#include <ctime>

namespace evictd::base {

namespace {

Duration read_clock(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return std::chrono::seconds(ts.tv_sec) + std::chrono::nanoseconds(ts.tv_nsec);
}

}  // namespace

MonoTime SystemClock::now() const {
  return MonoTime(read_clock(CLOCK_MONOTONIC));
}

WallTime SystemClock::wall_now() const {
  return WallTime(read_clock(CLOCK_REALTIME));
}

Duration SystemClock::thread_cpu() const {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace evictd::base
