// SPDX-License-Identifier: Apache-2.0
// The story of one node whose memory runs short twice.
#include <gtest/gtest.h>

#include "builders.h"
#include "eviction/admit.h"
#include "eviction/message.h"
#include "eviction/ranking.h"
#include "node.h"

namespace evictd::eviction {
namespace {

constexpr std::int32_t kLow = -1000;
constexpr std::int32_t kDefault = 0;
constexpr std::int32_t kHigh = 1000;

PassSettings hard_1gi_soft_2gi(Compat compat) {
  PassSettings settings;
  settings.compat = compat;
  settings.thresholds = thresholds({.hard = {{"memory.available", "1Gi"}},
                                    .soft = {{"memory.available", "2Gi"}},
                                    .soft_grace_period = {{"memory.available", "2m"}},
                                    .minimum_reclaim = {},
                                    .enforce_node_allocatable = {}});
  settings.pressure_transition_period = 5min;
  settings.max_pod_grace = 5s;
  return settings;
}

Node busy_node(Compat compat) {
  Node node(hard_1gi_soft_2gi(compat));
  node.with(pod("guaranteed-low-priority-high-usage").priority(kLow).cpu("1").memory("1Gi", "1Gi"),
            900_MiB)
      .with(pod("burstable-below-requests").priority(kDefault).memory("100Mi", "1Gi"), 50_MiB)
      .with(pod("burstable-above-requests").priority(kDefault).memory("100Mi", "1Gi"), 400_MiB)
      .with(pod("best-effort-high-priority-high-usage").priority(kHigh), 400_MiB)
      .with(pod("best-effort-low-priority-low-usage").priority(kLow), 100_MiB);
  return node;
}

bool under_pressure(const Node& node) {
  return node.last().conditions.has(Condition::kMemoryPressure);
}

bool admits(const Node& node, const Pod& pod) {
  return admit(facts_of(pod, Compat::k1_32), node.last().conditions).admitted;
}

class MemoryPressure : public testing::TestWithParam<Compat> {};

TEST_P(MemoryPressure, RunsItsCourseFromSoftToHardToGone) {
  Node node = busy_node(GetParam());

  EXPECT_EQ(node.pass_with_memory(2_GiB).outcome, Outcome::kNothingMet);
  EXPECT_FALSE(under_pressure(node));

  node.pass_time(1min);
  EXPECT_EQ(node.pass_with_memory(1500_MiB).outcome, Outcome::kInGrace);
  EXPECT_TRUE(under_pressure(node));
  EXPECT_EQ(node.victim(), "nobody");

  node.pass_time(3min);
  EXPECT_EQ(node.pass_with_memory(1500_MiB).outcome, Outcome::kEvicted);
  EXPECT_EQ(node.victim(), "best-effort-low-priority-low-usage");
  EXPECT_EQ(node.last().grace, 5s);
  EXPECT_TRUE(under_pressure(node));

  node.pass_time(20min);
  EXPECT_EQ(node.pass_with_memory(3_GiB).outcome, Outcome::kNothingMet);
  EXPECT_FALSE(under_pressure(node));

  node.pass_time(1min);
  EXPECT_EQ(node.pass_with_memory(500_MiB).outcome, Outcome::kEvicted);
  EXPECT_EQ(node.victim(), "best-effort-low-priority-low-usage");
  EXPECT_EQ(node.last().grace, GetParam() == Compat::k1_26 ? 0s : 1s);
  EXPECT_TRUE(under_pressure(node));

  node.pass_time(1min);
  EXPECT_EQ(node.pass_with_memory(2_GiB).outcome, Outcome::kNothingMet);
  EXPECT_TRUE(under_pressure(node));
  EXPECT_EQ(node.victim(), "nobody");

  node.pass_time(5min);
  EXPECT_EQ(node.pass_with_memory(2_GiB).outcome, Outcome::kNothingMet);
  EXPECT_FALSE(under_pressure(node));
}

TEST_P(MemoryPressure, RefusesBestEffortAndAdmitsBurstablePods) {
  Node node = busy_node(GetParam());
  const Pod best_effort = pod("best-effort");
  const Pod burstable = pod("burstable").request("memory", "100Mi");

  node.pass_with_memory(2_GiB);
  EXPECT_TRUE(admits(node, best_effort));
  EXPECT_TRUE(admits(node, burstable));

  node.pass_time(1min);
  node.pass_with_memory(1500_MiB);
  EXPECT_FALSE(admits(node, best_effort));
  EXPECT_TRUE(admits(node, burstable));

  node.pass_time(5min);
  node.pass_with_memory(2_GiB);
  EXPECT_TRUE(admits(node, best_effort));
}

TEST_P(MemoryPressure, SaysOfTheVictimWhatTheKubeletSays) {
  Node node = busy_node(GetParam());
  node.pass_with_memory(500_MiB);
  PodStatistics statistics;
  statistics.containers.push_back({"main", (100_MiB).value, {}, {}});
  const PassPod& victim = node.pods()[*node.last().victim];

  const EvictionText text =
      eviction_text({Resource::kMemory, *victim.pod, &statistics, node.manager().thresholds(),
                     node.last().actionable, node.last().observations},
                    GetParam());

  EXPECT_EQ(text.message,
            "The node was low on resource: memory. Threshold quantity: 1Gi, available: 500Mi. "
            "Container main was using 100Mi, request is 0, has larger consumption of memory. ");
}

INSTANTIATE_TEST_SUITE_P(Versions, MemoryPressure, testing::Values(Compat::k1_26, Compat::k1_32),
                         [](const auto& version) {
                           return version.param == Compat::k1_26 ? "Kubelet126" : "Kubelet132";
                         });

}  // namespace
}  // namespace evictd::eviction
