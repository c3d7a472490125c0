// SPDX-License-Identifier: Apache-2.0
#include "eviction/pod_facts.h"

#include <gtest/gtest.h>

#include <limits>

#include "builders.h"
#include "eviction/admit.h"
#include "eviction/threshold_table.h"
#include "eviction/watch_point.h"
#include "support/kubernetes/memcg_notifier.h"

namespace evictd::eviction {
namespace {

Container init_container(std::string_view memory, bool sidecar) {
  Container container;
  container.name = "init";
  container.requests["memory"] = amount(memory);
  container.limits["ephemeral-storage"] = amount(memory);
  container.restarts_always = sidecar;
  return container;
}

TEST(Qos, IsComputedFromAllContainers) {
  EXPECT_EQ(computed_qos(pod("p")), QosClass::kBestEffort);
  EXPECT_EQ(computed_qos(pod("p").cpu("1").memory("1Gi", "1Gi")), QosClass::kGuaranteed);
  EXPECT_EQ(computed_qos(pod("p").memory("1Gi", "1Gi")), QosClass::kBurstable);
  EXPECT_EQ(computed_qos(pod("p").init(init_container("1Mi", false))), QosClass::kBurstable);
  EXPECT_EQ(computed_qos(pod("p").request("memory", "0")), QosClass::kBestEffort);
}

TEST(Qos, OfTheStatusIsBelievedSince132) {
  Pod subject = pod("p");
  subject.status_qos_class = "Guaranteed";
  EXPECT_EQ(qos_of(subject, Compat::k1_32), QosClass::kGuaranteed);
  EXPECT_EQ(qos_of(subject, Compat::k1_26), QosClass::kBestEffort);
}

TEST(Qos, OfAPodWithoutManifestIsThatOfItsCgroup) {
  Pod subject;
  subject.qos_from_cgroup = QosClass::kBurstable;
  EXPECT_EQ(qos_of(subject, Compat::k1_32), QosClass::kBurstable);
}

TEST(CriticalPods, AreStaticMirrorOrOfHighPriority) {
  EXPECT_FALSE(is_critical(pod("p").annotation("kubernetes.io/config.source", "api")));
  EXPECT_TRUE(is_critical(pod("p").annotation("kubernetes.io/config.source", "")));
  EXPECT_TRUE(is_critical(pod("p").annotation("kubernetes.io/config.mirror", "")));
  EXPECT_TRUE(is_critical(pod("p").priority(kCriticalPriority)));
  EXPECT_FALSE(is_critical(pod("p").priority(kCriticalPriority - 1)));
  Pod from_directory = pod("p");
  from_directory.from_static_source = true;
  EXPECT_TRUE(is_critical(from_directory));
}

TEST(EffectiveRequest, IsTheSumOrTheLargestInitContainerPlusOverhead) {
  Pod subject = pod("p").request("memory", "100Mi");
  EXPECT_EQ(effective_request(subject, "memory").to_string(), "100Mi");
  subject = pod("p").request("memory", "100Mi").init(init_container("300Mi", true));
  EXPECT_EQ(effective_request(subject, "memory").to_string(), "300Mi");
  subject.overhead["memory"] = amount("10Mi");
  EXPECT_EQ(effective_request(subject, "memory").to_string(), "310Mi");
  Pod nothing = pod("p");
  nothing.overhead["memory"] = amount("10Mi");
  EXPECT_EQ(effective_request(nothing, "memory").sign(), 0);
}

TEST(EffectiveLimit, CountsSidecarsSince132) {
  const Pod subject = pod("p")
                          .limit("ephemeral-storage", "1Gi")
                          .init(init_container("1Gi", true))
                          .init(init_container("1500Mi", false));
  EXPECT_EQ(effective_ephemeral_limit(subject, Compat::k1_26)->to_string(), "1500Mi");
  EXPECT_EQ(effective_ephemeral_limit(subject, Compat::k1_32)->to_string(), "2524Mi");
  EXPECT_FALSE(effective_ephemeral_limit(pod("p"), Compat::k1_32));
}

TEST(Admission, UnderMemoryPressureLooksAtQosAndTolerations) {
  ConditionSet memory;
  memory.add(Condition::kMemoryPressure);
  const auto admitted = [&](const Pod& pod) {
    return admit(facts_of(pod, Compat::k1_32), memory).admitted;
  };
  EXPECT_FALSE(admitted(pod("p")));
  EXPECT_TRUE(admitted(pod("p").request("cpu", "1m")));
  EXPECT_TRUE(admitted(pod("p").priority(kCriticalPriority)));
  EXPECT_TRUE(admitted(
      pod("p").toleration({"node.kubernetes.io/memory-pressure", "Exists", "", "NoSchedule"})));
  EXPECT_FALSE(admitted(
      pod("p").toleration({"node.kubernetes.io/memory-pressure", "Exists", "", "NoExecute"})));
}

TEST(Admission, UnderAnyOtherPressureTakesCriticalPodsOnly) {
  ConditionSet both;
  both.add(Condition::kMemoryPressure);
  both.add(Condition::kDiskPressure);
  const Admission refused =
      admit(facts_of(pod("p").cpu("1").memory("1Gi", "1Gi"), Compat::k1_32), both);
  EXPECT_EQ(refused, (Admission{false, "Evicted",
                                "The node had condition: [DiskPressure MemoryPressure]. "}));
  EXPECT_TRUE(admit(facts_of(pod("p").priority(kCriticalPriority), Compat::k1_32), both).admitted);
}

Threshold below(Signal signal, std::string_view value) {
  Threshold threshold;
  threshold.signal = signal;
  threshold.value.quantity = amount(value);
  return threshold;
}

TEST(WatchPoint, IsTheFirstLevelAtWhichTheThresholdIsMet) {
  for (const Signal signal : {Signal::kMemoryAvailable, Signal::kPidAvailable}) {
    for (const std::string_view text : {"1", "100", "99500m"}) {
      const Threshold threshold = below(signal, text);
      const ThresholdTable table = ThresholdTable::create({threshold}).value();
      const std::int64_t use = use_at_crossing(threshold, 1000).value();
      const auto met_at = [&](std::int64_t used) {
        return table.met(0, {1000 - used, 1000, std::nullopt}, MinReclaim::kIgnored);
      };
      EXPECT_TRUE(met_at(use)) << text;
      EXPECT_FALSE(met_at(use - 1)) << text;
    }
  }
}

TEST(WatchPoint, IsNoneForDiskSignals) {
  EXPECT_FALSE(use_at_crossing(below(Signal::kNodeFsAvailable, "1Gi"), 100));
}

TEST(WatchPoint, IsOneAboveTheKubeletsNotifier) {
  NodeStatistics statistics;
  statistics.memory = MemoryStatistics{std::nullopt, (3_GiB).value, (2_GiB).value, (1_GiB).value};
  const Threshold threshold = below(Signal::kMemoryAvailable, "1Gi");
  EXPECT_EQ(test::memcg_notifier(threshold, statistics)->threshold_bytes + 1,
            *use_at_crossing(threshold, (4_GiB).value) + (1_GiB).value);
}

TEST(MemcgNotifier, WrapsWhereTheKubeletsLevelLeavesInt64) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  NodeStatistics statistics;
  const auto level = [&](std::string_view threshold) {
    return test::memcg_notifier(below(Signal::kMemoryAvailable, threshold), statistics)
        ->threshold_bytes;
  };
  statistics.memory = MemoryStatistics{std::nullopt, kMost, 2, 0};
  EXPECT_EQ(level("2"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(level("1"), std::numeric_limits<std::int64_t>::min());
  statistics.memory = MemoryStatistics{std::nullopt, 1000, 0, 0};
  EXPECT_EQ(level("10E"), 8'446'744'073'709'552'616);
  EXPECT_EQ(level("100.5E"), -8'266'279'631'452'240'920);
  // A text of nineteen digits is held in units of 1e-9, whose low bits are not those of the bytes.
  EXPECT_EQ(level("9223372036854775808"), 1000);
}

TEST(Observation, ComesFromReadingsOfTheKernel) {
  NodeUsage node;
  EXPECT_FALSE(observe_memory(node));
  node.memory_total = 16_GiB;
  node.usage = 10_GiB;
  node.inactive_file = 1_GiB;
  EXPECT_EQ(observe_memory(node)->available, (7_GiB).value);
  node.max_pid = 1000;
  node.tasks = 10;
  EXPECT_EQ(observe_pids(node)->available, 990);

  CgroupUsage root;
  root.usage = 3_GiB;
  root.inactive_file = 1_GiB;
  EXPECT_FALSE(observe_allocatable_memory(root));
  root.limit = 4_GiB;
  EXPECT_EQ(observe_allocatable_memory(root)->available, (2_GiB).value);
  root.tasks = 7;
  EXPECT_EQ(observe_pids(root, 10)->available, 3);
}

}  // namespace
}  // namespace evictd::eviction
