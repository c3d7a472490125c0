// SPDX-License-Identifier: Apache-2.0
#include "core/stand_by.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonoTime kNow{std::chrono::hours(1)};

TEST(StandBy, LastsUntilItsLongestTimeIsOver) {
  StandBy stand_by;
  EXPECT_FALSE(stand_by.under_way());
  stand_by.begin(kNow, StandBy::kLongest);
  EXPECT_TRUE(stand_by.under_way());
  EXPECT_TRUE(stand_by.lasts(kNow + StandBy::kLongest - Duration{1}));
  EXPECT_FALSE(stand_by.lasts(kNow + StandBy::kLongest));
  stand_by.end(kNow + StandBy::kLongest);
  EXPECT_FALSE(stand_by.under_way());
}

TEST(StandBy, LastsNotMuchLongerThanTheThresholdSeemsToBeAway) {
  StandBy stand_by;
  stand_by.begin(kNow, milliseconds(1));
  EXPECT_TRUE(stand_by.lasts(kNow + milliseconds(1)));
  EXPECT_FALSE(stand_by.lasts(kNow + milliseconds(2)));
  stand_by.end(kNow);
  stand_by.begin(kNow, Duration{0});
  EXPECT_TRUE(stand_by.lasts(kNow + StandBy::kShortest - Duration{1}));
  EXPECT_FALSE(stand_by.lasts(kNow + StandBy::kShortest));
}

TEST(StandBy, GrowthThatNeverCrossesCostsNoMoreThanTheAllowance) {
  StandBy stand_by;
  Duration spent{0};
  // A hint every 100 ms for 100 s, each waited for in vain.
  for (int i = 0; i < 1000; ++i) {
    const MonoTime now = kNow + milliseconds(100) * i;
    stand_by.begin(now, StandBy::kLongest);
    if (!stand_by.under_way()) {
      continue;
    }
    MonoTime end = now;
    while (stand_by.lasts(end)) {
      end += std::chrono::microseconds(10);
    }
    stand_by.end(end);
    spent += end - now;
  }
  EXPECT_GE(spent, StandBy::kPerSecond * 90);
  EXPECT_LE(spent, StandBy::kPerSecond * 100 + StandBy::kMostSaved + milliseconds(10));
}

TEST(StandBy, WhatWasNotSpentIsSavedUpToABound) {
  StandBy stand_by;
  for (int i = 0; i < StandBy::kMostSaved / StandBy::kLongest; ++i) {
    stand_by.begin(kNow, StandBy::kLongest);
    stand_by.end(kNow + StandBy::kLongest);
  }
  stand_by.begin(kNow, StandBy::kLongest);
  EXPECT_FALSE(stand_by.under_way()) << "all of it was spent";
  stand_by.begin(kNow + std::chrono::hours(1000), StandBy::kLongest);
  EXPECT_TRUE(stand_by.under_way());
}

TEST(StandBy, ASecondHintPaysForTheFirst) {
  StandBy stand_by;
  stand_by.begin(kNow, StandBy::kLongest);
  const MonoTime later = kNow + milliseconds(2);
  stand_by.begin(later, StandBy::kLongest);
  EXPECT_TRUE(stand_by.lasts(later + StandBy::kLongest - Duration{1}));
  EXPECT_FALSE(stand_by.lasts(later + StandBy::kLongest));
}

}  // namespace
}  // namespace evictd::core
