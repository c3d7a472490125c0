// SPDX-License-Identifier: Apache-2.0
#include "daemon/guard_terms.h"

#include <gtest/gtest.h>

namespace evictd::daemon {
namespace {

using std::chrono::milliseconds;

constexpr MonoTime kStart{std::chrono::hours(1)};
constexpr sys::ReserveTerms kTerms{.watermarks = {.min = 40_MiB, .low = 50_MiB},
                                   .swap_permille = 500};

TEST(GuardReserve, IsWhatTheKernelCanGiveDownToItsMarks) {
  NodeUsage node;
  node.mem_free = 100_MiB;
  node.file_pages = 300_MiB;
  node.reclaimable = 20_MiB;
  node.swap_free = 200_MiB;
  // 60 free, 250 of files, half of what is reclaimable, half of the swap.
  const auto left = reserve_of(node, kTerms);
  ASSERT_TRUE(left);
  EXPECT_NEAR(static_cast<double>(left->value), static_cast<double>((420_MiB).value), 1e5);

  node.mem_free = 10_MiB;
  EXPECT_NEAR(static_cast<double>(reserve_of(node, kTerms)->value),
              static_cast<double>((360_MiB).value), 1e5);
  node.file_pages = Bytes{-1};
  EXPECT_FALSE(reserve_of(node, kTerms));
}

TEST(GuardTermsBoard, IsEmptyBeforeTheFirstTerms) {
  GuardTermsBoard board;
  EXPECT_FALSE(board.get());
  board.put(kTerms);
  EXPECT_EQ(board.get(), kTerms);
}

TEST(FallRate, IsOfTheTimeBetweenTwoReadings) {
  FallRate fall;
  EXPECT_FALSE(fall.see(1000, kStart));
  EXPECT_EQ(fall.see(500, kStart + milliseconds(500)), 1000);
  EXPECT_EQ(fall.see(100, kStart + milliseconds(505)), 1000) << "too soon to tell";
  EXPECT_EQ(fall.see(600, kStart + milliseconds(1000)), 0) << "it rises";
}

}  // namespace
}  // namespace evictd::daemon
