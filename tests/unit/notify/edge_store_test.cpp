// SPDX-License-Identifier: Apache-2.0
#include "notify/edge_store.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace evictd::notify {
namespace {

TEST(EdgeStore, IsWholeAgainWhenEverythingWasGivenBackInAnyOrder) {
  EdgeStore store(1000);
  std::minstd_rand random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<EdgeRange> taken;
    while (const auto range = store.take(1 + static_cast<std::uint32_t>(random() % 100))) {
      taken.push_back(*range);
    }
    std::shuffle(taken.begin(), taken.end(), random);
    for (const EdgeRange range : taken) {
      store.give_back(range);
    }
  }
  const auto all = store.take(1000);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->first, 0U);
}

TEST(EdgeStore, RefusesWhatDoesNotFit) {
  EdgeStore store(10);
  ASSERT_TRUE(store.take(4));
  EXPECT_FALSE(store.take(7));
  EXPECT_TRUE(store.take(6));
  EXPECT_FALSE(store.take(1));
  EXPECT_TRUE(store.take(0));
}

}  // namespace
}  // namespace evictd::notify
