// SPDX-License-Identifier: Apache-2.0
#include "sys/reserve_terms.h"

#include <gtest/gtest.h>

#include "support/fake_tree.h"

namespace evictd::sys {
namespace {

constexpr const char* kZones = R"(Node 0, zone      DMA
  pages free     3840
        boost    0
        min      23
        low      28
        high     33
        spanned  4095
Node 0, zone    DMA32
  pages free     762117
        boost    0
        min      4760
        low      5950
        high     7140
  pagesets
    cpu: 0
              count: 371
              high:  1787
)";
constexpr const char* kSwaps =
    "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
    "/dev/zram0                              partition\t524284\t\t100000\t\t-2\n"
    "/swapfile                               file\t\t424284\t\t0\t\t-3\n";

TEST(ReserveTerms, WatermarksAreThoseOfAllZones) {
  const auto sum = parse_watermarks(kZones, 4096);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->min, Bytes{(23 + 4760) * 4096});
  EXPECT_EQ(sum->low, Bytes{(28 + 5950) * 4096});
  EXPECT_FALSE(parse_watermarks("Node 0, zone DMA\n", 4096));
}

TEST(ReserveTerms, WhatALowZoneKeepsFromProcessesIsNoReserve) {
  constexpr const char* kKept =
      "Node 0, zone      DMA\n"
      "        min      23\n        low      28\n        managed  3840\n"
      "        protection: (0, 2976, 32061, 32061, 32061)\n"
      "Node 0, zone    DMA32\n"
      "        min      4760\n        low      5950\n        managed  762117\n"
      "        protection: (0, 0, 1000, 1000, 1000)\n"
      "Node 0, zone  Movable\n"
      "        min      0\n        low      0\n        managed  0\n"
      "        protection: (0, 0, 0, 0, 0)\n";
  const auto sum = parse_watermarks(kKept, 4096);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->min, Bytes{(3840 + 4760 + 1000) * 4096}) << "no more than a zone has";
  EXPECT_EQ(sum->low, Bytes{(28 + 5950) * 4096});
}

TEST(ReserveTerms, SwapAreasAreKnownByTheirDevice) {
  const auto areas = parse_swaps(kSwaps);
  ASSERT_EQ(areas.size(), 2U);
  EXPECT_EQ(areas[0].zram, "zram0");
  EXPECT_EQ(areas[0].used, Bytes{100000 * 1024});
  EXPECT_EQ(areas[1].zram, "");
}

TEST(ReserveTerms, CompressedSwapIsWorthWhatItFrees) {
  EXPECT_EQ(swap_worth_permille({.stored = 100_MiB, .taken = 30_MiB}), 700);
  EXPECT_EQ(swap_worth_permille({.stored = 100_MiB, .taken = 110_MiB}), 0);
  EXPECT_EQ(swap_worth_permille({.stored = 1_MiB, .taken = 1_MiB}), 500) << "too little to know";
}

TEST(ReserveTerms, FreeSwapIsWeighedByWhereItIs) {
  const test::FakeTree tree;
  tree.write("/proc/zoneinfo", kZones);
  tree.write("/proc/meminfo", "MemTotal: 1024000 kB\n");
  tree.write("/proc/swaps", kSwaps);
  tree.write("/sys/block/zram0/mm_stat", "104857600 30000000 41943040 0 41943040 0 0 0 0\n");
  const auto terms = read_reserve_terms(Root::open(tree.path()).value());
  ASSERT_TRUE(terms) << terms.error().message();
  EXPECT_EQ(terms->swap_permille, 800) << "half at 600, half whole";
}

TEST(ReserveTerms, WithoutSwapThereIsNothingToWeigh) {
  const test::FakeTree tree;
  tree.write("/proc/zoneinfo", kZones);
  tree.write("/proc/meminfo", "MemTotal: 1024000 kB\n");
  EXPECT_EQ(read_reserve_terms(Root::open(tree.path()).value())->swap_permille, 0);
}

TEST(ReserveTerms, SwapThatIsFullKeepsItsWorthForWhatAVictimGivesBack) {
  const test::FakeTree tree;
  tree.write("/proc/zoneinfo", kZones);
  tree.write("/proc/meminfo", "MemTotal: 1024000 kB\n");
  tree.write("/proc/swaps", "Filename Type Size Used Priority\n/swapfile file 1024 1024 -3\n");
  EXPECT_EQ(read_reserve_terms(Root::open(tree.path()).value())->swap_permille, 1000);
}

TEST(ReserveTerms, PagesInZswapStayInMemory) {
  const test::FakeTree tree;
  tree.write("/proc/zoneinfo", kZones);
  tree.write("/proc/meminfo", "Zswap: 30720 kB\nZswapped: 102400 kB\n");
  tree.write("/proc/swaps", "Filename Type Size Used Priority\n/swapfile file 424284 0 -3\n");
  EXPECT_EQ(read_reserve_terms(Root::open(tree.path()).value())->swap_permille, 700);
}

}  // namespace
}  // namespace evictd::sys
