// SPDX-License-Identifier: Apache-2.0
#include "demo/hog_rate.h"

#include <gtest/gtest.h>

namespace evictd::demo {
namespace {

/// 64 batches of 1000 units, a microsecond each; every `nth` takes a hundred times as long.
std::vector<load::LoadStamp> run_with_a_pause_every(int nth) {
  std::vector<load::LoadStamp> batches;
  std::uint64_t now = 1'000'000;
  for (int i = 1; i <= 64; ++i) {
    load::LoadStamp batch;
    batch.start_ns = now;
    now += i % nth == 0 ? 100'000 : 1000;
    batch.end_ns = now;
    batch.total = static_cast<std::uint64_t>(i) * 1000;
    batches.push_back(batch);
  }
  return batches;
}

TEST(DemoHogRate, IsThatOfAnUndisturbedPart) {
  EXPECT_DOUBLE_EQ(typical_rate(run_with_a_pause_every(20)), 1e9);
}

TEST(DemoHogRate, FallsWhenEveryPartIsHeldBack) {
  EXPECT_LT(typical_rate(run_with_a_pause_every(2)), 1e8);
}

TEST(DemoHogRate, IsZeroWithoutBatches) {
  EXPECT_EQ(typical_rate({}), 0);
  EXPECT_EQ(typical_rate({load::LoadStamp{}}), 0);
}

TEST(DemoHogRate, IsHalfTheMachinesRateIfThatIsBelowTwiceTheWish) {
  EXPECT_DOUBLE_EQ(rate_with_room(64, 1000), 64);
  EXPECT_DOUBLE_EQ(rate_with_room(64, 128), 64);
  EXPECT_DOUBLE_EQ(rate_with_room(64, 100), 50);
}

}  // namespace
}  // namespace evictd::demo
