// SPDX-License-Identifier: Apache-2.0
#include "eviction/lazy_statistics.h"

#include <gtest/gtest.h>

#include <limits>

#include "eviction/quantity.h"

namespace evictd::eviction {
namespace {

constexpr Bytes kThreshold = 100_MiB;

Threshold threshold_of(Signal signal, Bytes value = kThreshold) {
  Threshold threshold;
  threshold.signal = signal;
  threshold.value.quantity = Quantity(value.value, QuantityFormat::kBinarySI);
  return threshold;
}

ThresholdTable table_of(Threshold threshold) {
  return ThresholdTable::create({std::move(threshold)}).value();
}

/// A pod root that may have 1 GiB.
CgroupUsage pod_root(Bytes usage, Bytes inactive_file) {
  CgroupUsage root;
  root.usage = usage;
  root.inactive_file = inactive_file;
  root.limit = 1_GiB;
  return root;
}

Observations seen(Signal signal, Bytes available) {
  Observations all;
  all[signal] = Observation{.available = available.value, .capacity = (1_GiB).value, .time = {}};
  return all;
}

NodeUsage node(Bytes inactive_file) {
  NodeUsage one;
  one.inactive_file = inactive_file;
  return one;
}

constexpr Signal kAllocatable = Signal::kAllocatableMemoryAvailable;

TEST(LazyStatistics, DoNotMatterIfThresholdIsUnmetWithoutAnyCache) {
  const ThresholdTable table = table_of(threshold_of(kAllocatable));
  for (const Bytes cache : {0_MiB, 500_MiB}) {
    EXPECT_FALSE(lazy_statistics_matter(table, {}, pod_root(1_GiB - kThreshold, cache)));
    EXPECT_TRUE(lazy_statistics_matter(table, {}, pod_root(1_GiB - kThreshold + Bytes{1}, cache)));
  }
}

TEST(LazyStatistics, MatterWhereTheMinimumReclaimIsNotMetYet) {
  Threshold threshold = threshold_of(kAllocatable);
  threshold.min_reclaim.emplace();
  threshold.min_reclaim->quantity = Quantity((50_MiB).value, QuantityFormat::kBinarySI);
  const ThresholdTable table = table_of(threshold);
  EXPECT_FALSE(lazy_statistics_matter(table, {}, pod_root(1_GiB - 150_MiB, 0_MiB)));
  EXPECT_TRUE(lazy_statistics_matter(table, {}, pod_root(1_GiB - 149_MiB, 0_MiB)));
}

TEST(LazyStatistics, MatterForTheRankingOnceTheNodesOwnThresholdIsMet) {
  const ThresholdTable table = table_of(threshold_of(Signal::kMemoryAvailable));
  const CgroupUsage full = pod_root(1_GiB, 1_GiB);
  EXPECT_FALSE(lazy_statistics_matter(table, seen(Signal::kMemoryAvailable, kThreshold), full));
  EXPECT_TRUE(
      lazy_statistics_matter(table, seen(Signal::kMemoryAvailable, kThreshold - Bytes{1}), full));
}

TEST(LazyStatistics, DoNotMatterForWhatHasNoneOrWasNotSeen) {
  EXPECT_FALSE(lazy_statistics_matter(table_of(threshold_of(Signal::kPidAvailable)),
                                      seen(Signal::kPidAvailable, 1_MiB), pod_root(1_GiB, 1_MiB)));
  EXPECT_FALSE(lazy_statistics_matter(table_of(threshold_of(Signal::kNodeFsAvailable)),
                                      seen(Signal::kNodeFsAvailable, 1_MiB),
                                      pod_root(1_GiB, 1_MiB)));
  EXPECT_FALSE(lazy_statistics_matter(table_of(threshold_of(Signal::kMemoryAvailable)), {},
                                      pod_root(1_GiB, 1_MiB)));
  const ThresholdTable table = table_of(threshold_of(kAllocatable));
  EXPECT_FALSE(lazy_statistics_matter(table, {}, CgroupUsage{}));
  CgroupUsage unlimited = pod_root(1_GiB, 1_MiB);
  unlimited.limit = Bytes{std::numeric_limits<std::int64_t>::max()};
  EXPECT_FALSE(lazy_statistics_matter(table, {}, unlimited));
}

TEST(LazyStatistics, AreWrongByAllTheCacheTheyShowOrAllTheyDoNotShowYet) {
  EXPECT_EQ(lazy_error(pod_root(500_MiB, 400_MiB), node(2_GiB)), 400_MiB);
  EXPECT_EQ(lazy_error(pod_root(500_MiB, 100_MiB), node(2_GiB)), 400_MiB);
}

TEST(LazyStatistics, AreWrongByNoMoreThanTheNodeHasInactive) {
  EXPECT_EQ(lazy_error(pod_root(500_MiB, 10_MiB), node(50_MiB)), 40_MiB);
  EXPECT_EQ(lazy_error(pod_root(500_MiB, 60_MiB), node(50_MiB)), 60_MiB)
      << "the node's has shrunk since";
  EXPECT_EQ(lazy_error(pod_root(500_MiB, 10_MiB), NodeUsage{}), 490_MiB)
      << "nobody told what the node has";
}

TEST(LazyStatistics, OfWhatWasNotReadHaveNoError) {
  EXPECT_EQ(lazy_error(CgroupUsage{}, node(1_GiB)), 0_MiB);
  EXPECT_EQ(lazy_error(pod_root(500_MiB, Bytes{-1}), node(1_GiB)), 500_MiB);
  EXPECT_EQ(lazy_error(pod_root(500_MiB, 600_MiB), node(1_GiB)), 500_MiB);
}

}  // namespace
}  // namespace evictd::eviction
