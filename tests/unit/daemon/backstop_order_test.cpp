// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/backstop_order.h"

#include <gtest/gtest.h>

#include <chrono>

#include "daemon/shared/node_memory.h"

namespace evictd::daemon {
namespace {

constexpr MonoTime kSeenAt{std::chrono::seconds(5)};

/// 1000 MiB, of which it fires between 84 and 100 MiB.
engine::BackstopPlan plan() {
  engine::BackstopPlan made;
  made.least_available = (84_MiB).value;
  made.most_available = (100_MiB).value;
  made.least_rate = 7;
  made.least_working_set = (20_MiB).value;
  made.expires_at = kSeenAt + engine::kBackstopLasts;
  return made;
}

PlannedSignal planned(eviction::Signal signal) {
  PlannedSignal made;
  made.signal = signal;
  made.seen = {.available = (110_MiB).value, .capacity = (1000_MiB).value, .time = kSeenAt};
  made.node.usage = 900_MiB;
  made.node.inactive_file = 10_MiB;
  return made;
}

TEST(BackstopOrderOf, ThePodRootCountsItsWorkingSetUpToItsLimit) {
  const auto order = order_of(plan(), planned(eviction::Signal::kAllocatableMemoryAvailable));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->signal, probe::Signal::kCgroupWorkingSet);
  EXPECT_EQ(order->slot, kPodRootSlot);
  EXPECT_EQ(order->least_value, static_cast<std::uint64_t>((900_MiB).value));
  EXPECT_EQ(order->most_value, static_cast<std::uint64_t>((916_MiB).value));
  EXPECT_EQ(order->from_value, static_cast<std::uint64_t>((890_MiB).value));
  EXPECT_EQ(order->from_at, kSeenAt);
  EXPECT_EQ(order->least_rate, 7U);
  EXPECT_EQ(order->least_working_set, static_cast<std::uint64_t>((20_MiB).value));
  EXPECT_EQ(order->expires_at, plan().expires_at);
}

TEST(BackstopOrderOf, TheNodeCountsItsWorkingSetUpToItsMemory) {
  const auto order = order_of(plan(), planned(eviction::Signal::kMemoryAvailable));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->signal, probe::Signal::kNodeWorkingSet);
  EXPECT_EQ(order->least_value, static_cast<std::uint64_t>((900_MiB).value));
}

TEST(BackstopOrderOf, AMovingSumNarrowsTheRange) {
  PlannedSignal signal = planned(eviction::Signal::kMemoryAvailable);
  signal.rules.source = eviction::MemorySource::kMemAvailable;
  signal.node.at_hand = 150_MiB;
  const auto order = order_of(plan(), signal);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->signal, probe::Signal::kNodeTaken);
  const auto width = static_cast<std::uint64_t>((16_MiB - kSumSlack - kSumSlack).value);
  EXPECT_EQ(order->most_value - order->least_value, width);
}

TEST(BackstopOrderOf, ThereIsNoneForWhatTheKernelSideCannotRead) {
  PlannedSignal signal = planned(eviction::Signal::kMemoryAvailable);
  signal.rules.source = eviction::MemorySource::kMemAvailable;
  EXPECT_FALSE(order_of(plan(), signal)) << "no memory at hand";
}

TEST(ComparedPod, HasItsSlotItsCgroupAndTheTermsOfTheRanking) {
  HotPod pod;
  pod.slot = 9;
  pod.memory_id = {.hierarchy = 4, .id = 77};
  const probe::BackstopPod compared =
      compared_pod(pod, {.priority = -5, .exceeds_from = 11, .lead = -12});
  EXPECT_EQ(compared.slot, 9U);
  EXPECT_EQ(compared.memory_id, 77U);
  EXPECT_EQ(compared.priority, -5);
  EXPECT_EQ(compared.exceeds_from, 11);
  EXPECT_EQ(compared.lead, -12);
}

}  // namespace
}  // namespace evictd::daemon
