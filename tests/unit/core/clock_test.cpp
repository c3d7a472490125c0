// SPDX-License-Identifier: Apache-2.0
#include "core/clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::core {
namespace {

constexpr ClockReading kRead{.mono = MonoTime(std::chrono::seconds(100)),
                             .wall = WallTime(std::chrono::hours(24 * 365 * 50))};

TEST(WallTimeOf, AMomentIsAsFarBeforeNowOnTheWallClock) {
  EXPECT_EQ(wall_time_of(MonoTime(std::chrono::seconds(96)), kRead),
            kRead.wall - std::chrono::seconds(4));
  EXPECT_EQ(wall_time_of(kRead.mono, kRead), kRead.wall);
}

TEST(WallTimeOf, AMomentThatIsNotKnownOrToComeIsNow) {
  EXPECT_EQ(wall_time_of(MonoTime{}, kRead), kRead.wall);
  EXPECT_EQ(wall_time_of(MonoTime(std::chrono::seconds(101)), kRead), kRead.wall);
}

}  // namespace
}  // namespace evictd::core
