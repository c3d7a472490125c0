// SPDX-License-Identifier: Apache-2.0
#include "notify/ring_turn.h"

#include <gtest/gtest.h>

namespace evictd::notify {
namespace {

/// Takes up to `there` records as libbpf does; returns how many it took.
int consume(RingTurn& turn, int there) {
  int taken = 0;
  while (taken < there) {
    ++taken;
    if (turn.take() < 0) {
      break;
    }
  }
  return taken;
}

TEST(RingTurn, TakesAllOfAFewRecords) {
  RingTurn turn;
  turn.begin();
  EXPECT_EQ(consume(turn, RingTurn::kRecords - 1), RingTurn::kRecords - 1);
  EXPECT_FALSE(turn.is_cut());
}

TEST(RingTurn, EndsWhereRecordsComeAsFastAsTheyAreTaken) {
  RingTurn turn;
  for (int i = 0; i < 3; ++i) {
    turn.begin();
    EXPECT_EQ(consume(turn, 100 * RingTurn::kRecords), RingTurn::kRecords);
    EXPECT_TRUE(turn.is_cut());
  }
  turn.begin();
  EXPECT_FALSE(turn.is_cut());
}

TEST(RingTurn, EndsWithARecordAfterWhichThereIsEnoughToDo) {
  RingTurn turn;
  turn.begin();
  EXPECT_EQ(turn.take(false), 0);
  EXPECT_FALSE(turn.is_cut());
  EXPECT_LT(turn.take(true), 0);
  EXPECT_TRUE(turn.is_cut());
}

}  // namespace
}  // namespace evictd::notify
