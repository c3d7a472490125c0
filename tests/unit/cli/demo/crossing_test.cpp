// SPDX-License-Identifier: Apache-2.0
#include "demo/crossing.h"

#include <gtest/gtest.h>

#include "load/stamp_log.h"

namespace evictd::demo {
namespace {

constexpr std::int64_t kLevel = 100'000'000;
constexpr std::int64_t kReach = 500'000;
constexpr std::uint64_t kLastEnd = 7'000'000'000;

load::LoadStamp batch_at(std::int64_t usage, std::uint64_t end_ns = kLastEnd) {
  return {.start_ns = end_ns - 7'000, .end_ns = end_ns, .total = 1, .usage = usage};
}

/// A hog whose last batch ended at `usage`, and of which no batch is past the threshold.
SeenOfHog ended_at(std::int64_t usage, std::int64_t witnessed) {
  return {.threshold = kLevel,
          .reach = kReach,
          .witnessed = witnessed,
          .first_past = std::nullopt,
          .last = batch_at(usage)};
}

TEST(DemoCrossing, IsTheEndOfTheFirstBatchPastTheThreshold) {
  SeenOfHog seen = ended_at(kLevel + 9'000'000, kLevel + 9'000'000);
  seen.first_past = batch_at(kLevel + 1, kLastEnd - 1'000'000);
  EXPECT_EQ(crossing_of(seen), load::to_mono_time(kLastEnd - 1'000'000));
}

TEST(DemoCrossing, IsNoneOfAHogThatDiedFarBelowTheThreshold) {
  const std::int64_t far = kLevel / 2;
  EXPECT_EQ(crossing_of(ended_at(far, far)), std::nullopt);
  EXPECT_EQ(short_of(kLevel, far), kLevel - far);
}

TEST(DemoCrossing, IsNoneWhereTheNextBatchCouldNotHaveReachedTheThreshold) {
  EXPECT_EQ(crossing_of(ended_at(kLevel - kReach, 0)), std::nullopt);
}

TEST(DemoCrossing, IsNotBeforeLastBatchEndIfTheNextMayHaveCrossed) {
  EXPECT_EQ(crossing_of(ended_at(kLevel - kReach + 1, 0)), load::to_mono_time(kLastEnd));
}

TEST(DemoCrossing, IsTakenFromTheWitnessWhereNoBatchEndedNearTheThreshold) {
  const std::int64_t far = kLevel / 2;
  EXPECT_EQ(crossing_of(ended_at(far, kLevel)), std::nullopt) << "at it is not past it";
  EXPECT_EQ(crossing_of(ended_at(far, kLevel + 1)), load::to_mono_time(kLastEnd));
}

TEST(DemoCrossing, IsOfAForkBombTheForkAfterTheOneThatReachedTheThreshold) {
  SeenOfHog forks{.threshold = 260,
                  .reach = 1,
                  .witnessed = 0,
                  .first_past = std::nullopt,
                  .last = batch_at(260)};
  EXPECT_EQ(crossing_of(forks), load::to_mono_time(kLastEnd));
  forks.last = batch_at(259);
  EXPECT_EQ(crossing_of(forks), std::nullopt);
  forks.witnessed = 261;
  EXPECT_EQ(crossing_of(forks), load::to_mono_time(kLastEnd));
}

TEST(DemoCrossing, IsNoneWithoutABatch) {
  SeenOfHog nothing = ended_at(kLevel, kLevel);
  nothing.last.reset();
  EXPECT_EQ(crossing_of(nothing), std::nullopt);
}

TEST(DemoCrossing, IsNotMissedByAnythingOnceItWasSeen) {
  EXPECT_EQ(short_of(kLevel, kLevel + 5), 0);
  EXPECT_EQ(short_of(kLevel, kLevel), 0);
}

TEST(DemoCrossing, ReachesAsFarAsTwoCpusChargeAhead) {
  EXPECT_GE(charged_ahead(), 512_KiB);
  EXPECT_EQ(charged_ahead().value % 4096, 0);
}

}  // namespace
}  // namespace evictd::demo
