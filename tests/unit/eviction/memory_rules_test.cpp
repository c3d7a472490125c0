// SPDX-License-Identifier: Apache-2.0
// What memory.available is, by each rule, on one node whose numbers are all different.
#include <gtest/gtest.h>

#include "eviction/observation.h"

namespace evictd::eviction {
namespace {

/// 16 GiB, of which 10 are used and 1 of these is inactive file cache; the kernel reckons 8.5 as
/// available, for it counts active file cache too. 2 GiB are set aside as huge pages. 4 GiB of
/// swap, half of it free.
NodeUsage node() {
  NodeUsage node;
  node.memory_total = 16_GiB;
  node.usage = 10_GiB;
  node.inactive_file = 1_GiB;
  node.mem_available = 8_GiB + 512_MiB;
  node.swap_total = 4_GiB;
  node.swap_free = 2_GiB;
  node.hugetlb = 2_GiB;
  node.read_at = MonoTime(std::chrono::seconds(5));
  return node;
}

void expect(const MemoryRules& rules, Bytes available, Bytes capacity) {
  const std::optional<Observation> seen = observe_memory(node(), rules);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->available, available.value);
  EXPECT_EQ(seen->capacity, capacity.value);
  EXPECT_EQ(seen->time, node().read_at);
}

TEST(KernelAvailable, IsTheKernelsEstimateWithFreeSwapWhereThatCounts) {
  NodeUsage usage = node();
  usage.mem_available = 7_MiB;
  usage.swap_free = 5_MiB;

  EXPECT_EQ(kernel_available(usage, {}), (7_MiB).value);
  EXPECT_EQ(kernel_available(usage, {.swap_aware = true}), (12_MiB).value);
  usage.mem_available = Bytes{-1};
  EXPECT_EQ(kernel_available(usage, {}), std::nullopt);
}

TEST(MemoryRules, OfTheKubeletCountActiveFileCacheAsUsed) {
  expect({}, 7_GiB, 16_GiB);
}

TEST(MemoryRules, WithTheKernelsEstimateFileCacheThatCanBeHadIsAvailable) {
  expect({.source = MemorySource::kMemAvailable}, 8_GiB + 512_MiB, 16_GiB);
}

TEST(MemoryRules, AwareOfSwapItIsCapacityAndWhatIsFreeOfItIsAvailable) {
  expect({.swap_aware = true}, 9_GiB, 20_GiB);
  expect({.source = MemorySource::kMemAvailable, .swap_aware = true}, 10_GiB + 512_MiB, 20_GiB);
}

TEST(MemoryRules, AwareOfHugePagesTheyAreNeitherAvailableNorCapacity) {
  expect({.hugepage_aware = true}, 5_GiB, 14_GiB);
}

TEST(MemoryRules, TheKernelsEstimateNeverHadHugePages) {
  expect({.source = MemorySource::kMemAvailable, .hugepage_aware = true}, 8_GiB + 512_MiB, 14_GiB);
}

TEST(MemoryRules, AwareOfBothTheyAddUp) {
  expect({.swap_aware = true, .hugepage_aware = true}, 7_GiB, 18_GiB);
}

TEST(MemoryRules, LessThanNothingIsNotAvailable) {
  NodeUsage full = node();
  full.hugetlb = 8_GiB;
  EXPECT_EQ(observe_memory(full, {.hugepage_aware = true})->available, 0);
}

TEST(MemoryRules, WithoutWhatTheyNeedNothingIsObserved) {
  NodeUsage plain = node();
  plain.mem_available = plain.swap_total = plain.swap_free = plain.hugetlb = Bytes{-1};
  EXPECT_TRUE(observe_memory(plain));
  EXPECT_FALSE(observe_memory(plain, {.source = MemorySource::kMemAvailable}));
  EXPECT_FALSE(observe_memory(plain, {.swap_aware = true}));
  EXPECT_FALSE(observe_memory(plain, {.hugepage_aware = true}));
}

TEST(MemoryRules, KernelSideWatchesOnlyRulesOfTheWorkingSet) {
  EXPECT_TRUE(MemoryRules{}.follow_working_set());
  EXPECT_TRUE(MemoryRules{.hugepage_aware = true}.follow_working_set());
  EXPECT_FALSE(MemoryRules{.swap_aware = true}.follow_working_set());
  EXPECT_FALSE(MemoryRules{.source = MemorySource::kMemAvailable}.follow_working_set());
}

}  // namespace
}  // namespace evictd::eviction
