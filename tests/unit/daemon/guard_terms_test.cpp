// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/guard_terms.h"

#include <gtest/gtest.h>

namespace evictd::daemon {
namespace {

using std::chrono::milliseconds;

constexpr MonoTime kFirstLook{std::chrono::hours(1)};
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
  EXPECT_NEAR(static_cast<double>(left->left.value), static_cast<double>((420_MiB).value), 1e5);

  node.mem_free = 10_MiB;
  EXPECT_NEAR(static_cast<double>(reserve_of(node, kTerms)->left.value),
              static_cast<double>((360_MiB).value), 1e5);
  node.file_pages = Bytes{-1};
  EXPECT_FALSE(reserve_of(node, kTerms));
}

TEST(GuardReserve, DoesNotFallWhereFilesAreRead) {
  NodeUsage node;
  node.mem_free = 500_MiB;
  node.file_pages = 10_MiB;
  node.reclaimable = 20_MiB;
  node.swap_free = Bytes{0};
  const auto before = reserve_of(node, kTerms);
  node.mem_free = 410_MiB;
  node.file_pages = 100_MiB;
  const auto after = reserve_of(node, kTerms);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(after->sum, before->sum);
  EXPECT_LT(after->left, before->left);
}

TEST(GuardTermsBoard, IsEmptyBeforeTheFirstTerms) {
  GuardTermsBoard board;
  EXPECT_FALSE(board.get());
  board.put(kTerms);
  EXPECT_EQ(board.get(), kTerms);
}

TEST(FallRate, IsOfTheTimeBetweenTwoReadings) {
  FallRate fall;
  EXPECT_FALSE(fall.see(1000, kFirstLook));
  EXPECT_EQ(fall.see(500, kFirstLook + milliseconds(500)), 0) << "a step, so far";
  EXPECT_EQ(fall.see(0, kFirstLook + milliseconds(1000)), 1000);
  EXPECT_EQ(fall.see(-400, kFirstLook + milliseconds(1005)), 1000) << "too soon to tell";
  EXPECT_EQ(fall.see(600, kFirstLook + milliseconds(1500)), 0) << "it rises";
}

TEST(FallRate, TakesNoSingleStepForARate) {
  FallRate fall;
  static_cast<void>(fall.see(1000, kFirstLook));
  static_cast<void>(fall.see(990, kFirstLook + milliseconds(500)));
  EXPECT_EQ(fall.see(100, kFirstLook + milliseconds(1000)), 20);
  EXPECT_EQ(fall.see(90, kFirstLook + milliseconds(1500)), 20);
}

}  // namespace
}  // namespace evictd::daemon
