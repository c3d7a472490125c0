// SPDX-License-Identifier: Apache-2.0
#include "base/timer.h"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

namespace evictd::base {
namespace {

/// What the kernel says of a descriptor. Source: /proc/self/fdinfo (proc.rst, 3.8).
std::string told_of(int fd) {
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(fd));
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Timer, MonotonicClockMakesItImmuneToWallClockSteps) {
  const Timer timer = Timer::create().value();
  EXPECT_NE(told_of(timer.descriptor()).find("clockid: " + std::to_string(CLOCK_MONOTONIC) + "\n"),
            std::string::npos)
      << told_of(timer.descriptor());
}

TEST(Timer, IsArmedForAMomentAndNotForAPeriod) {
  Timer timer = Timer::create().value();
  timer.arm(MonoTime(std::chrono::hours(1'000'000)));
  // 1 is TFD_TIMER_ABSTIME: the kernel holds the moment itself, whenever it was asked.
  EXPECT_NE(told_of(timer.descriptor()).find("settime flags: 01\n"), std::string::npos)
      << told_of(timer.descriptor());
}

}  // namespace
}  // namespace evictd::base
