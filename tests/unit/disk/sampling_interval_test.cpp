// SPDX-License-Identifier: Apache-2.0
#include "disk/sampling_interval.h"

#include <gtest/gtest.h>

namespace evictd::disk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

Duration next(std::int64_t left, std::int64_t rate) {
  return next_sample_in({}, {.left = left, .rate = rate});
}

TEST(SamplingInterval, AFarThresholdIsLookedAtAsRarelyAsAllowed) {
  EXPECT_EQ(next(20 * kGiB, 0), seconds(10));
  EXPECT_EQ(next(std::int64_t{1} << 62, 0), seconds(10));
}

TEST(SamplingInterval, HalfOfTheTimeThatIsLeftAtTheAssumedRate) {
  EXPECT_EQ(next(4 * kGiB, 0), seconds(2));
  EXPECT_EQ(next(4 * kGiB, -kGiB), seconds(2));
}

TEST(SamplingInterval, AFasterGrowthThanAssumedIsBelieved) {
  EXPECT_EQ(next(4 * kGiB, 4 * kGiB), milliseconds(500));
}

TEST(SamplingInterval, NearAThresholdTheShortestIntervalHolds) {
  EXPECT_EQ(next(1, 0), milliseconds(80));
  EXPECT_EQ(next(kGiB / 100, kGiB), milliseconds(80));
}

TEST(SamplingInterval, MetThresholdIsSampledTwiceASecondWithinBounds) {
  EXPECT_EQ(next(0, 0), milliseconds(500));
  EXPECT_EQ(next(-kGiB, kGiB), milliseconds(500));
  const SamplingOptions quick{.shortest = milliseconds(10), .longest = milliseconds(20)};
  EXPECT_EQ(next_sample_in(quick, {.left = -1}), milliseconds(20));
}

TEST(SamplingInterval, FillingFilesystemIsSampledEachEighthOfItsTimeLeft) {
  const auto at_rate = [](std::int64_t left, std::int64_t until_full) {
    return next_sample_in({}, {.left = left, .rate = kGiB, .until_full = until_full});
  };
  EXPECT_EQ(at_rate(-1, 2 * kGiB), milliseconds(250));
  EXPECT_EQ(at_rate(kGiB / 100, kGiB / 4), std::chrono::microseconds(31'250));
  EXPECT_EQ(at_rate(-1, kGiB / 1000), kFullSoon);
  EXPECT_EQ(at_rate(-1, 0), kFullSoon);
  EXPECT_EQ(next_sample_in({}, {.left = -1, .rate = 0, .until_full = 1}), milliseconds(500));
}

TEST(SamplingInterval, AFillingDiskIsNoticedWithinTheShortestInterval) {
  for (const std::int64_t rate : {kGiB / 2, kGiB, 2 * kGiB}) {
    // It fills from the first look on, which saw it at rest.
    double left = 3.0 * kGiB;
    double seen_rate = 0;
    while (left > 0) {
      const Duration wait =
          next(static_cast<std::int64_t>(left), static_cast<std::int64_t>(seen_rate));
      const double passed = std::chrono::duration<double>(wait).count();
      left -= static_cast<double>(rate) * passed;
      seen_rate = static_cast<double>(rate);
    }
    EXPECT_LE(-left / static_cast<double>(rate), 0.080) << "seconds late at " << rate;
  }
}

}  // namespace
}  // namespace evictd::disk
