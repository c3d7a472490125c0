// SPDX-License-Identifier: Apache-2.0
#include "cri/evicted_pods.h"

#include <gtest/gtest.h>

namespace evictd::cri {
namespace {

using std::chrono::milliseconds;

MonoTime at(int ms) {
  return MonoTime(milliseconds(ms));
}

TEST(EvictedPods, AreGivenOnceAnEviction) {
  EvictedPods pods;
  EXPECT_TRUE(pods.add({.id = 1, .uid = "a"}, at(0)));
  EXPECT_FALSE(pods.add({.id = 1, .uid = "a"}, at(1)));
  pods.succeeded(*pods.next(at(1)));
  EXPECT_FALSE(pods.add({.id = 1, .uid = "a"}, at(2)));
  EXPECT_EQ(pods.next(at(2)), std::nullopt);
  EXPECT_TRUE(pods.add({.id = 2, .uid = "a"}, at(3)));
  EXPECT_EQ(pods.counters().told, 2U);
}

TEST(EvictedPods, MayHaveTheNumberOfAnEarlierEviction) {
  const WallTime then{std::chrono::hours(1)};
  EvictedPods pods;
  EXPECT_TRUE(pods.add({.id = 1, .uid = "a", .seen_at = then}, at(0)));
  EXPECT_FALSE(pods.add({.id = 1, .uid = "a", .seen_at = then + std::chrono::seconds(30)}, at(1)));
  EXPECT_TRUE(pods.add({.id = 1, .uid = "a", .seen_at = then + std::chrono::hours(1)}, at(2)));
}

TEST(EvictedPods, AreTriedAgainLaterEachTime) {
  EvictedPods pods({.first_wait = milliseconds(100), .longest_wait = milliseconds(150)});
  pods.add({.id = 1, .uid = "a"}, at(0));
  pods.failed(*pods.next(at(0)), at(0));
  EXPECT_EQ(pods.next(at(99)), std::nullopt);
  EXPECT_EQ(pods.due(), at(100));
  pods.failed(*pods.next(at(100)), at(100));
  EXPECT_EQ(pods.due(), at(250));
  EXPECT_EQ(pods.counters().retried, 2U);
}

TEST(EvictedPods, AreGivenUpAfterTheLastAttempt) {
  EvictedPods pods({.attempts = 2});
  pods.add({.id = 1, .uid = "a"}, at(0));
  pods.failed(*pods.next(at(0)), at(0));
  pods.failed(*pods.next(*pods.due()), at(1000));
  EXPECT_EQ(pods.waiting(), 0U);
  EXPECT_EQ(pods.counters().abandoned, 1U);
}

TEST(EvictedPods, WaitInABoundedQueueThatTheOldestLeaves) {
  EvictedPods pods({.waiting = 2});
  for (int id = 1; id <= 3; ++id) {
    pods.add({.id = id, .uid = "a"}, at(0));
  }
  EXPECT_EQ(pods.waiting(), 2U);
  EXPECT_EQ(pods.next(at(0))->id, 2);
  EXPECT_EQ(pods.counters().abandoned, 1U);
}

TEST(EvictedPods, OneThatWaitsHoldsUpNoOther) {
  EvictedPods pods;
  pods.add({.id = 1, .uid = "a"}, at(0));
  pods.add({.id = 2, .uid = "b"}, at(0));
  pods.failed(*pods.next(at(0)), at(0));
  EXPECT_EQ(pods.next(at(0))->uid, "b");
}

}  // namespace
}  // namespace evictd::cri
