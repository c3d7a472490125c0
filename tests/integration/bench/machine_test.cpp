// SPDX-License-Identifier: Apache-2.0
#include "harness/machine.h"

#include <gtest/gtest.h>

namespace evictd::bench {
namespace {

constexpr const char* kText =
    "MemTotal:        2025936 kB\n"
    "SwapCached:            7 kB\n"
    "SwapTotal:        524284 kB\n"
    "SwapFree:         524280 kB\n";

TEST(Meminfo, HasTheAmountOfALineByItsWholeName) {
  EXPECT_EQ(meminfo_amount(kText, "MemTotal").value(), 2025936_KiB);
  EXPECT_EQ(meminfo_amount(kText, "SwapFree").value(), 524280_KiB);
  EXPECT_FALSE(meminfo_amount(kText, "Swap"));
  EXPECT_FALSE(meminfo_amount(kText, "SwapTota"));
}

TEST(Meminfo, ALineWithoutANumberIsMalformed) {
  const Result<Bytes> amount = meminfo_amount("SwapTotal: kB\n", "SwapTotal");
  ASSERT_FALSE(amount);
  EXPECT_EQ(amount.error().code, Errc::kMalformed);
}

TEST(Meminfo, OfThisMachineHasMemoryAndNoMoreSwapInUseThanThereIs) {
  EXPECT_GT(memory_total().value(), Bytes{0});
  EXPECT_GE(swap_used().value(), Bytes{0});
}

}  // namespace
}  // namespace evictd::bench
