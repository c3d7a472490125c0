// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/node_memory.h"

#include <gtest/gtest.h>

namespace evictd::daemon {
namespace {

using eviction::MemoryRules;
using eviction::MemorySource;

/// 1000 MiB, of which 700 are used, 100 of these inactive file cache; of 420 MiB at hand the kernel
/// keeps 20 back. Half of 200 MiB of swap is free.
NodeUsage node_with_swap() {
  NodeUsage node;
  node.memory_total = 1000_MiB;
  node.usage = 700_MiB;
  node.inactive_file = 100_MiB;
  node.mem_available = 400_MiB;
  node.at_hand = 420_MiB;
  node.swap_total = 200_MiB;
  node.swap_free = 100_MiB;
  node.hugetlb = 0_MiB;
  return node;
}

NodeMemory watched_of(const NodeUsage& node, const MemoryRules& rules) {
  const std::optional<eviction::Observation> seen = eviction::observe_memory(node, rules);
  return seen ? node_memory(node, *seen, rules) : NodeMemory{};
}

probe::Ladder ladder_with(std::initializer_list<probe::Purpose> served) {
  probe::Ladder ladder;
  for (const probe::Purpose purpose : served) {
    probe::PurposeReport report;
    report.purpose = purpose;
    report.rows.push_back({.row = "row", .hook = "hook", .chosen = true, .reason = ""});
    ladder.purposes.push_back(report);
  }
  return ladder;
}

TEST(NodeMemory, OfTheKubeletIsTheCapacityAndDoesNotMove) {
  const NodeMemory watched = watched_of(node_with_swap(), {});
  EXPECT_EQ(watched, (NodeMemory{.capacity = 1000_MiB,
                                 .signal = probe::Signal::kNodeWorkingSet,
                                 .sum = 1000_MiB,
                                 .slack = Bytes{0}}));
}

TEST(NodeMemory, OfTheKernelsEstimateIsLessByWhatItKeepsBack) {
  const NodeMemory watched = watched_of(node_with_swap(), {.source = MemorySource::kMemAvailable});
  EXPECT_EQ(watched.capacity, 1000_MiB);
  EXPECT_EQ(watched.signal, probe::Signal::kNodeTaken);
  EXPECT_EQ(watched.sum, Bytes{probe::kNodeCeiling} - 20_MiB);
}

TEST(NodeMemory, HasFreeSwapInItsSum) {
  const NodeMemory estimate =
      watched_of(node_with_swap(), {.source = MemorySource::kMemAvailable, .swap_aware = true});
  EXPECT_EQ(estimate.capacity, 1200_MiB);
  EXPECT_EQ(estimate.sum, Bytes{probe::kNodeCeiling} - 20_MiB + 100_MiB);
  const NodeMemory working_set = watched_of(node_with_swap(), {.swap_aware = true});
  EXPECT_EQ(working_set.signal, probe::Signal::kNodeWorkingSet);
  EXPECT_EQ(working_set.capacity, 1200_MiB);
  EXPECT_EQ(working_set.sum, 1100_MiB);
}

TEST(NodeMemory, IsNotWatchedWhereNobodyTellsWhatIsAtHand) {
  NodeUsage old = node_with_swap();
  old.at_hand = Bytes{-1};
  EXPECT_EQ(watched_of(old, {.source = MemorySource::kMemAvailable}), NodeMemory{});
  EXPECT_EQ(watched_of(old, {.swap_aware = true}).sum, 1100_MiB);
}

TEST(NodeMemory, StaysAsItWasToldWhileTheSumMovesByLessThanTheSlack) {
  const MemoryRules rules{.source = MemorySource::kMemAvailable};
  const NodeMemory told = watched_of(node_with_swap(), rules);
  NodeMemory told_last = told;
  for (const std::int64_t back : {19, 21, 17, 23}) {
    NodeUsage moved = node_with_swap();
    moved.mem_available = moved.at_hand - Bytes{back << 20};
    told_last = steadied(told_last, watched_of(moved, rules));
    EXPECT_EQ(told_last, told) << back;
  }
  NodeUsage far = node_with_swap();
  far.mem_available = far.at_hand - 24_MiB;
  EXPECT_EQ(steadied(told, watched_of(far, rules)).sum, told.sum - 4_MiB);
}

TEST(NodeMemory, IsToldAnewWhateverElseChanges) {
  const MemoryRules rules{.source = MemorySource::kMemAvailable};
  const NodeMemory told = watched_of(node_with_swap(), rules);
  NodeMemory plugged = told;
  plugged.capacity = told.capacity + 1_MiB;
  EXPECT_EQ(steadied(told, plugged), plugged);
  EXPECT_EQ(steadied({}, told), told);
  const NodeMemory of_kubelet = watched_of(node_with_swap(), {});
  NodeMemory one_more = of_kubelet;
  one_more.sum = of_kubelet.sum + Bytes{1};
  EXPECT_EQ(steadied(of_kubelet, one_more), one_more) << "a sum without slack is exact";
}

TEST(MemoryWatcher, IsTheKernelAloneWhereTheWorkingSetIsAllThatCounts) {
  const probe::Ladder ladder = ladder_with(
      {probe::Purpose::kNodeMemory, probe::Purpose::kNodeAvailable, probe::Purpose::kSweepTimer});
  EXPECT_EQ(memory_watcher(ladder, {}), Watcher::kKernel);
  EXPECT_EQ(memory_watcher(ladder, {.hugepage_aware = true}), Watcher::kKernel);
  EXPECT_EQ(memory_watcher(ladder, {.swap_aware = true}), Watcher::kKernelAndPolling);
  EXPECT_EQ(memory_watcher(ladder, {.source = MemorySource::kMemAvailable}),
            Watcher::kKernelAndPolling);
}

TEST(MemoryWatcher, NeedsTheHookOfItsSource) {
  const probe::Ladder working_set =
      ladder_with({probe::Purpose::kNodeMemory, probe::Purpose::kSweepTimer});
  EXPECT_EQ(memory_watcher(working_set, {.source = MemorySource::kMemAvailable}),
            Watcher::kPolling);
  const probe::Ladder estimate =
      ladder_with({probe::Purpose::kNodeAvailable, probe::Purpose::kSweepTimer});
  EXPECT_EQ(memory_watcher(estimate, {}), Watcher::kPolling);
  EXPECT_EQ(memory_watcher(ladder_with({probe::Purpose::kNodeMemory}), {}),
            Watcher::kKernelAndPolling)
      << "without the timer polling stays";
}

}  // namespace
}  // namespace evictd::daemon
