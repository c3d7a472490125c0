// SPDX-License-Identifier: Apache-2.0
#include "scale/growth.h"

#include <gtest/gtest.h>

namespace evictd::bench {
namespace {

Growth growth(std::vector<std::pair<int, double>> values, double least = 0) {
  return {.measure = "pass", .least = least, .values = std::move(values)};
}

TEST(Growth, InProportionToThePodsIsOne) {
  EXPECT_DOUBLE_EQ(times_linear(growth({{100, 3}, {200, 6}, {2000, 60}})), 1);
}

TEST(Growth, OnTopOfWhatIsSpentInAnyCaseIsLess) {
  EXPECT_LT(times_linear(growth({{100, 110}, {1000, 200}})), 1);
}

TEST(Growth, WithTheSquareOfThePodsShowsHoweverTheyAreOrdered) {
  EXPECT_DOUBLE_EQ(times_linear(growth({{1000, 100}, {100, 1}})), 10);
  EXPECT_DOUBLE_EQ(times_linear(growth({{100, 1}, {200, 4}})), 2);
}

TEST(Growth, IsSeenBetweenAnyTwoNumbersOfPods) {
  // From the first to the last it is linear.
  EXPECT_DOUBLE_EQ(times_linear(growth({{100, 10}, {1000, 30}, {2000, 200}})), 200.0 / 30 / 2);
}

TEST(Growth, OfNoiseIsNone) {
  EXPECT_LE(times_linear(growth({{110, 0.001}, {2000, 0.04}}, 0.05)), 1);
  EXPECT_GT(times_linear(growth({{110, 0.001}, {220, 0.4}}, 0.05)), kLinearWithin);
}

TEST(Growth, IsJudgedByEveryMeasureAndNamesThoseThatFail) {
  const Growth good = growth({{100, 1}, {1000, 10}});
  Growth bad = growth({{100, 1}, {200, 4}});
  bad.measure = "start_cpu";
  EXPECT_TRUE(judge({good}));
  EXPECT_TRUE(judge({}));
  const Result<> judged = judge({good, bad});
  ASSERT_FALSE(judged);
  EXPECT_NE(judged.error().message().find("start_cpu 2.00 times"), std::string::npos);
  EXPECT_EQ(judged.error().message().find("pass"), std::string::npos);
}

TEST(Growth, OfOneNumberOfPodsIsNotJudged) {
  EXPECT_EQ(times_linear(growth({{100, 5}})), 0);
}

}  // namespace
}  // namespace evictd::bench
