// SPDX-License-Identifier: Apache-2.0
#include "notify/request_budget.h"

#include <gtest/gtest.h>

namespace evictd::notify {
namespace {

constexpr MonoTime kBudgetBegin{std::chrono::hours(1)};
constexpr Duration kRequestCost = std::chrono::microseconds(150);
constexpr uid_t kFloodingUid = 1000;
constexpr uid_t kModestUid = 1001;

/// CPU time that a user gets who asks without a pause from `begin` on for `time`, by a thread that
/// does nothing else.
Duration taken_by_a_flood(RequestBudget& budget, uid_t uid, MonoTime begin, Duration time) {
  Duration taken{};
  for (MonoTime now = begin; now < begin + time;) {
    if (budget.is_left(uid, now)) {
      budget.pay(uid, kRequestCost);
      taken += kRequestCost;
      now += kRequestCost;
    } else {
      now += RequestBudget::kPause;
    }
  }
  return taken;
}

TEST(RequestBudget, TakesEverythingThatAUserMayRegisterInOneGo) {
  RequestBudget budget;
  for (int i = 0; i < 1024; ++i) {
    ASSERT_TRUE(budget.is_left(kModestUid, kBudgetBegin)) << i;
    budget.pay(kModestUid, kRequestCost);
  }
}

TEST(RequestBudget, GivesAFloodNoMoreThanItsShareOfTheTime) {
  RequestBudget budget;
  const Duration time = std::chrono::seconds(100);
  const Duration most = time / RequestBudget::kShare + 2 * RequestBudget::kMostSaved;
  const Duration taken = taken_by_a_flood(budget, kFloodingUid, kBudgetBegin, time);
  EXPECT_LE(taken, most + 2 * RequestBudget::kPause);
  EXPECT_GE(taken, most / 2) << "and that it gets";
}

TEST(RequestBudget, EndsAFloodBeforeAThreadHasRunForASecond) {
  RequestBudget budget;
  const Duration taken =
      taken_by_a_flood(budget, kFloodingUid, kBudgetBegin, std::chrono::seconds(1));
  EXPECT_LE(taken, std::chrono::milliseconds(500));
}

TEST(RequestBudget, HasSomethingLeftForAnotherUserWhileOneFloods) {
  RequestBudget budget;
  const Duration time = std::chrono::seconds(10);
  taken_by_a_flood(budget, kFloodingUid, kBudgetBegin, time);
  const MonoTime now = kBudgetBegin + time;
  while (budget.is_left(kFloodingUid, now)) {
    budget.pay(kFloodingUid, kRequestCost);
  }
  EXPECT_TRUE(budget.is_left(kModestUid, now));
  EXPECT_FALSE(budget.is_left(kFloodingUid, now));
}

TEST(RequestBudget, LeavesAUserPartOfItsOwnAmongManyWhoFlood) {
  RequestBudget budget;
  ASSERT_TRUE(budget.is_left(kModestUid, kBudgetBegin));
  budget.pay(kModestUid, kRequestCost);
  for (uid_t uid = 2000; uid < 2100; ++uid) {
    while (budget.is_left(uid, kBudgetBegin)) {
      budget.pay(uid, kRequestCost);
    }
  }
  EXPECT_TRUE(budget.is_left(kModestUid, kBudgetBegin));
}

TEST(RequestBudget, RefusesNobodyForLongBecauseOneRequestTookLong) {
  RequestBudget budget;
  ASSERT_TRUE(budget.is_left(kModestUid, kBudgetBegin));
  budget.pay(kModestUid, std::chrono::seconds(2));
  ASSERT_TRUE(budget.is_left(kModestUid, kBudgetBegin)) << "what all share";
  budget.pay(kModestUid, std::chrono::seconds(2));
  EXPECT_FALSE(budget.is_left(kModestUid, kBudgetBegin));
  EXPECT_TRUE(budget.is_left(kModestUid, kBudgetBegin + std::chrono::seconds(1)));
}

TEST(RequestBudget, RemembersWhatAUserHasSpentUntilItIsSavedUpAgain) {
  RequestBudget budget;
  while (budget.is_left(kFloodingUid, kBudgetBegin)) {
    budget.pay(kFloodingUid, kRequestCost);
  }
  ASSERT_TRUE(budget.is_left(kModestUid, kBudgetBegin));
  EXPECT_EQ(budget.users(), 2U);
  EXPECT_FALSE(budget.is_left(kFloodingUid, kBudgetBegin));
  ASSERT_TRUE(budget.is_left(3000, kBudgetBegin + std::chrono::seconds(100)));
  EXPECT_EQ(budget.users(), 1U);
}

TEST(RequestBudget, LetsThoseWhoConnectInForAShareOfTheTime) {
  RequestBudget budget;
  const Duration cost = std::chrono::microseconds(20);
  const Duration time = std::chrono::seconds(10);
  Duration taken{};
  for (MonoTime now = kBudgetBegin; now < kBudgetBegin + time; now += cost) {
    if (budget.may_connect(now)) {
      budget.pay_connecting(cost);
      taken += cost;
    }
  }
  EXPECT_LE(taken,
            time / RequestBudget::kConnectingShare + RequestBudget::kMostSavedToConnect + cost);
  EXPECT_GE(taken, time / RequestBudget::kConnectingShare);
}

}  // namespace
}  // namespace evictd::notify
