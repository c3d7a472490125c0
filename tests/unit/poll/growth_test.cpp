// SPDX-License-Identifier: Apache-2.0
#include "poll/growth.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::poll {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonoTime kStart{seconds{100}};

TEST(GrowthPerSecond, IsTheDifferenceOverTheTimeBetween) {
  EXPECT_EQ(growth_per_second(Bytes{0}, kStart, 1_MiB, kStart + milliseconds{500}), 2 << 20);
}

TEST(GrowthPerSecond, IsOfAnyAmount) {
  EXPECT_EQ(growth_per_second(std::int64_t{100}, kStart, std::int64_t{1100}, kStart + seconds{2}),
            500);
  EXPECT_EQ(growth_per_second(std::int64_t{-1}, kStart, std::int64_t{5}, kStart + seconds{1}), 0);
}

TEST(GrowthPerSecond, IsNegativeWhileUsageFalls) {
  EXPECT_EQ(growth_per_second(Bytes{3000}, kStart, Bytes{1000}, kStart + seconds{2}), -1000);
}

TEST(GrowthPerSecond, TakesReadingsCloseTogetherAsAMillisecondApart) {
  EXPECT_EQ(growth_per_second(Bytes{0}, kStart, Bytes{1000}, kStart + microseconds{10}), 1'000'000);
}

TEST(GrowthPerSecond, IsZeroWithoutSomethingToCompareWith) {
  EXPECT_EQ(growth_per_second(Bytes{-1}, kStart, 1_GiB, kStart + seconds{1}), 0);
  EXPECT_EQ(growth_per_second(Bytes{0}, kStart, Bytes{-1}, kStart + seconds{1}), 0);
  EXPECT_EQ(growth_per_second(Bytes{0}, kStart, 1_GiB, kStart), 0);
}

TEST(GrowthPerSecond, FitsItsTypeWhateverIsRead) {
  EXPECT_EQ(growth_per_second(Bytes{0}, kStart, Bytes{INT64_MAX}, kStart + microseconds{1}),
            1'000'000'000'000'000'000);
}

}  // namespace
}  // namespace evictd::poll
