// SPDX-License-Identifier: Apache-2.0
#include "notify/reading_pace.h"

#include <gtest/gtest.h>

namespace evictd::notify {
namespace {

constexpr MonoTime kReadingBegin{std::chrono::hours(1)};
/// As no reading is: a machine that stood still.
constexpr Duration kLongReading = std::chrono::seconds(10);

TEST(ReadingPace, ReadsAllTenTimesASecondWhereThatIsCheap) {
  const Duration cost = std::chrono::microseconds(160);
  EXPECT_EQ(ReadingPace::next_turn(kReadingBegin, cost, 1, 1),
            kReadingBegin + ReadingPace::kPeriod);
  EXPECT_EQ(ReadingPace::next_turn(kReadingBegin, cost, 16, 16),
            kReadingBegin + ReadingPace::kPeriod);
  EXPECT_EQ(ReadingPace::next_turn(kReadingBegin, cost, 16, 32),
            kReadingBegin + ReadingPace::kPeriod / 2);
}

TEST(ReadingPace, TakesHalfAPercentOfACoreAtMost) {
  const Duration cost = std::chrono::milliseconds(2);
  for (const std::size_t all : {std::size_t{1}, std::size_t{1000}}) {
    EXPECT_EQ(ReadingPace::next_turn(kReadingBegin, cost, 1, all),
              kReadingBegin + std::chrono::milliseconds(400));
  }
}

TEST(ReadingPace, PutsNoTurnOffForMoreThanASecond) {
  for (const Duration cost : {Duration(std::chrono::milliseconds(20)), kLongReading}) {
    EXPECT_EQ(ReadingPace::next_turn(kReadingBegin, cost, 1, 1),
              kReadingBegin + std::chrono::seconds(1));
  }
}

/// How many of the hints that come every 10 us from `begin` on for `time` are followed.
int followed_hints(ReadingPace& pace, Allowance& own, MonoTime begin, Duration time,
                   std::size_t all) {
  constexpr Duration kEach = std::chrono::microseconds(10);
  int followed = 0;
  for (MonoTime now = begin; now < begin + time; now += kEach) {
    if (pace.may_follow(own, now, all)) {
      pace.follow(own, kEach);
      ++followed;
    }
  }
  return followed;
}

TEST(ReadingPace, FollowsHintsUntilTheirAllowanceIsSpent) {
  ReadingPace pace;
  Allowance own;
  const Duration time = std::chrono::seconds(10);
  // 5 ms that were saved and 5 ms for each second.
  EXPECT_NEAR(followed_hints(pace, own, kReadingBegin, time, 1), 5500, 5);
  EXPECT_FALSE(pace.may_follow(own, kReadingBegin + time, 1));
  EXPECT_TRUE(pace.may_follow(own, kReadingBegin + time + std::chrono::milliseconds(10), 1));
}

TEST(ReadingPace, LeavesEachValueHintsThatNoOtherCanTake) {
  ReadingPace pace;
  Allowance greedy;
  Allowance modest;
  const Duration time = std::chrono::seconds(10);
  constexpr std::size_t kAll = 10;
  EXPECT_NEAR(followed_hints(pace, greedy, kReadingBegin, time, kAll), 2750 + 275, 5);
  EXPECT_FALSE(pace.may_follow(greedy, kReadingBegin + time, kAll));
  EXPECT_NEAR(
      followed_hints(pace, modest, kReadingBegin + time, std::chrono::milliseconds(1), kAll), 26,
      2);
}

TEST(Allowance, SavesUpWhatIsTooLittleEachTime) {
  Allowance allowance;
  constexpr Duration kMost = std::chrono::microseconds(1);
  constexpr Duration kStep = std::chrono::microseconds(10);
  constexpr Duration::rep kTinyShare = 4'000'000;  // of 10 us that is no nanosecond
  allowance.refill(kReadingBegin, kMost, kTinyShare);
  allowance.pay(kMost + Duration(10));
  for (int i = 1; i < 4'000; ++i) {
    allowance.refill(kReadingBegin + i * kStep, kMost, kTinyShare);
  }
  EXPECT_FALSE(allowance.is_left());
  allowance.refill(kReadingBegin + 5'000 * kStep, kMost, kTinyShare);
  EXPECT_TRUE(allowance.is_left());
}

TEST(ReadingPace, RefusesNoHintForMoreThanASecondBecauseOneTookLong) {
  ReadingPace pace;
  Allowance own;
  MonoTime now = kReadingBegin;
  ASSERT_TRUE(pace.may_follow(own, now, 1));
  pace.follow(own, kLongReading);
  ASSERT_TRUE(pace.may_follow(own, now, 1)) << "what all share";
  pace.follow(own, kLongReading);
  EXPECT_FALSE(pace.may_follow(own, now, 1));
  now += std::chrono::milliseconds(1001);
  EXPECT_TRUE(pace.may_follow(own, now, 1));
}

}  // namespace
}  // namespace evictd::notify
