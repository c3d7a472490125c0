// SPDX-License-Identifier: Apache-2.0
#include "poll/interval.h"

#include <gtest/gtest.h>

namespace evictd::poll {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr IntervalOptions kAdaptive{IntervalMode::kAdaptive, seconds{10}, milliseconds{100},
                                    100_MiB};

TEST(NextInterval, IsTheKubeletsTenSecondsByDefault) {
  EXPECT_EQ(next_interval({}, {Bytes{1}, 1_GiB}), seconds{10});
}

TEST(NextInterval, IsHalfOfTheTimeThatTheGrowthLeaves) {
  EXPECT_EQ(next_interval(kAdaptive, {1_GiB, 512_MiB}), seconds{1});
}

TEST(NextInterval, ReckonsWithGrowthThatIsNotYetSeen) {
  EXPECT_EQ(next_interval(kAdaptive, {1000_MiB, Bytes{0}}), seconds{5});
  EXPECT_EQ(next_interval(kAdaptive, {1000_MiB, -1_GiB}), seconds{5});
}

TEST(NextInterval, StaysWithinItsBounds) {
  EXPECT_EQ(next_interval(kAdaptive, {1_MiB, 1_GiB}), milliseconds{100});
  EXPECT_EQ(next_interval(kAdaptive, {1024_GiB, Bytes{0}}), seconds{10});
  EXPECT_EQ(next_interval(kAdaptive, {Bytes{INT64_MAX}, Bytes{0}}), seconds{10});
}

TEST(NextInterval, IsTheShortestWhileAThresholdIsMet) {
  EXPECT_EQ(next_interval(kAdaptive, {Bytes{0}, Bytes{0}}), milliseconds{100});
  EXPECT_EQ(next_interval(kAdaptive, {-1_GiB, Bytes{0}}), milliseconds{100});
}

TEST(NextInterval, IsSoonerTheNearerAThresholdOfTasks) {
  EXPECT_EQ(next_interval(kAdaptive, TaskApproach{.distance = 1000, .rate = 0}), milliseconds{500});
  EXPECT_EQ(next_interval(kAdaptive, TaskApproach{.distance = 4000, .rate = 0}), seconds{2});
  EXPECT_EQ(next_interval(kAdaptive, TaskApproach{.distance = 4000, .rate = 8000}),
            milliseconds{250});
  EXPECT_EQ(next_interval(kAdaptive, TaskApproach{.distance = 4'000'000, .rate = -1}), seconds{10});
  EXPECT_EQ(next_interval(kAdaptive, TaskApproach{.distance = -1, .rate = 0}), milliseconds{100});
  EXPECT_EQ(next_interval({}, TaskApproach{.distance = 1, .rate = 8000}), seconds{10});
}

TEST(NextInterval, NeverExceedsTheLongestEvenIfTheShortestDoes) {
  IntervalOptions options = kAdaptive;
  options.shortest = seconds{60};
  EXPECT_EQ(next_interval(options, {1_MiB, 1_GiB}), seconds{10});
}

}  // namespace
}  // namespace evictd::poll
