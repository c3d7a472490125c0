// SPDX-License-Identifier: Apache-2.0
#include "cli/record_source.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::cli {
namespace {

constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

TEST(MomentOf, ADurationIsSoLongAgoWhateverItsSign) {
  EXPECT_EQ(moment_of("5m", kNow).value(), kNow - std::chrono::minutes(5));
  EXPECT_EQ(moment_of("-5m", kNow).value(), kNow - std::chrono::minutes(5));
  EXPECT_EQ(moment_of("0", kNow).value(), kNow);
}

TEST(MomentOf, TheLongestDurationsOfEitherSignAreLongAgo) {
  constexpr Duration kLongest = Duration::max();
  EXPECT_EQ(moment_of("2562047h47m16.854775807s", kNow).value(), kNow - kLongest);
  EXPECT_EQ(moment_of("-2562047h47m16.854775808s", kNow).value(), kNow - kLongest - Duration(1));
}

TEST(MomentOf, ATimeIsThatTime) {
  EXPECT_EQ(moment_of("1970-01-01T00:01:00Z", kNow).value(), WallTime(std::chrono::minutes(1)));
}

TEST(MomentOf, WhatIsNeitherIsAnErrorThatSaysWhatIs) {
  const Result<WallTime> moment = moment_of("yesterday", kNow);
  ASSERT_FALSE(moment);
  EXPECT_EQ(moment.error().message(),
            "\"yesterday\" is no time; allowed: 2026-01-31T12:00:00Z, or a duration like 5m for so "
            "long ago");
}

}  // namespace
}  // namespace evictd::cli
