// SPDX-License-Identifier: Apache-2.0
#include "config/kubelet_flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kubelet_sources.h"

namespace evictd::config::test {
namespace {

using std::chrono_literals::operator""s;
using Texts = std::map<std::string, std::string>;
using Arguments = std::vector<std::string>;

TEST(KubeletFlags, AreTakenOutOfACommandLine) {
  const Result<FlagSplit> split =
      split_flags(Arguments{"check-config", "--eviction-hard=memory.available<1Gi", "--json",
                            "--kernel-memcg-notification", "FILE", "--eviction_soft",
                            "pid.available<9", "--", "--cgroup-root=/x"});
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->rest, (Arguments{"check-config", "--json", "FILE", "--", "--cgroup-root=/x"}));
  EXPECT_EQ(split->flags, (std::vector<GivenFlag>{{"--eviction-hard", "memory.available<1Gi"},
                                                  {"--kernel-memcg-notification", "true"},
                                                  {"--eviction-soft", "pid.available<9"}}));
}

TEST(KubeletFlags, AFlagWithoutItsValueIsAnError) {
  EXPECT_EQ(split_flags(Arguments{"--system-reserved"}).error().message(),
            "flag --system-reserved: no value; allowed: NAME=VALUE,...");
}

TEST(KubeletFlags, EachSetsItsKey) {
  KubeletSources sources;
  sources.flags({"--eviction-hard=memory.available<100Mi,nodefs.available<10%", "--eviction-soft",
                 "memory.available< 1Gi", "--eviction-soft-grace-period", "memory.available=1m30s",
                 "--eviction-minimum-reclaim=nodefs.available=2Gi",
                 "--eviction-pressure-transition-period=30s",
                 "--eviction-max-pod-grace-period=0x10", "--enforce-node-allocatable=none",
                 "--experimental-allocatable-ignore-eviction",
                 "--system-reserved=memory=1Gi,ephemeral-storage=1Gi,cpu=500m,pid=1000",
                 "--kube-reserved=memory=2Gi", "--kernel-memcg-notification=false",
                 "--cgroup-root=mine", "--cgroups-per-qos=false", "--keep-terminated-pod-volumes"});
  const Config config = sources.config();
  EXPECT_EQ(config->eviction.hard,
            (Texts{{"memory.available", "100Mi"}, {"nodefs.available", "10%"}}));
  EXPECT_EQ(config->eviction.soft, (Texts{{"memory.available", "1Gi"}}));
  EXPECT_EQ(config->eviction.soft_grace_period, (Texts{{"memory.available", "1m30s"}}));
  EXPECT_EQ(config->eviction.minimum_reclaim, (Texts{{"nodefs.available", "2Gi"}}));
  EXPECT_EQ(config->eviction.pressure_transition_period, 30s);
  EXPECT_EQ(config->eviction.max_pod_grace_period, 16s);
  EXPECT_EQ(config->eviction.enforce_node_allocatable, (Arguments{"none"}));
  EXPECT_TRUE(config->node_allocatable.ignore_eviction);
  EXPECT_FALSE(config->node_allocatable.cgroups_per_qos);
  EXPECT_EQ(
      config->node_allocatable.system_reserved,
      (Texts{{"cpu", "500m"}, {"ephemeral-storage", "1Gi"}, {"memory", "1Gi"}, {"pid", "1000"}}));
  EXPECT_EQ(config->node_allocatable.kube_reserved, (Texts{{"memory", "2Gi"}}));
  EXPECT_EQ(config->cgroup_root, "/mine");
  EXPECT_EQ(to_string(config.ignored()),
            "kernelMemcgNotification (flag --kernel-memcg-notification), keepTerminatedPodVolumes "
            "(flag --keep-terminated-pod-volumes)");
  EXPECT_EQ(sources.origin("evictionHard[memory.available]"), "flag --eviction-hard");
}

TEST(KubeletFlags, TheFirstUseDropsTheDefaultsAndLaterOnesAdd) {
  KubeletSources sources;
  sources.flags({"--eviction-hard=memory.available<1Gi", "--eviction-hard=pid.available<7",
                 "--enforce-node-allocatable=pods", "--enforce-node-allocatable=\"kube-reserved\"",
                 "--eviction-max-pod-grace-period=1", "--eviction-max-pod-grace-period=2"});
  EXPECT_EQ(sources.config()->eviction.hard,
            (Texts{{"memory.available", "1Gi"}, {"pid.available", "7"}}));
  EXPECT_EQ(sources.config()->eviction.enforce_node_allocatable,
            (Arguments{"pods", "kube-reserved"}));
  EXPECT_EQ(sources.config()->eviction.max_pod_grace_period, 2s);
}

TEST(KubeletFlags, OfAPairGivenTwiceTheLastHoldsWithAWarning) {
  KubeletSources sources;
  sources.flags({"--eviction-hard=memory.available<1Gi,memory.available<2Gi"});
  EXPECT_EQ(sources.config()->eviction.hard, (Texts{{"memory.available", "2Gi"}}));
  EXPECT_EQ(sources.config().warnings().front().text,
            "flag --eviction-hard: evictionHard[memory.available]: given more than once; the last "
            "one holds");
}

TEST(KubeletFlags, AnEmptyValueMeansNone) {
  KubeletSources sources;
  sources.flags({"--eviction-hard=", "--enforce-node-allocatable", "", "--cgroup-root="});
  EXPECT_TRUE(sources.config().thresholds().empty());
  EXPECT_TRUE(sources.config()->eviction.enforce_node_allocatable.empty());
  EXPECT_EQ(sources.config()->cgroup_root, "/");
}

TEST(KubeletFlags, AnEmptyCgroupRootTakesThePlaceOfWhatAFileSaid) {
  KubeletSources sources;
  sources.own("cgroupRoot: /own\n").file("cgroupRoot: /x\n").flags({"--cgroup-root="});
  EXPECT_EQ(sources.config()->cgroup_root, "/");
  EXPECT_EQ(sources.origin("cgroupRoot"), "flag --cgroup-root");
}

TEST(KubeletFlags, AMalformedOneIsOneErrorThatNamesItAndWhatIsAllowed) {
  const auto error = [](const std::string& flag) { return KubeletSources().flags({flag}).error(); };
  EXPECT_EQ(error("--eviction-hard=memory.available=100Mi"),
            "flag --eviction-hard: evictionHard: \"memory.available=100Mi\": not a pair of a name "
            "and a value; allowed: NAME<VALUE,NAME<VALUE,...");
  EXPECT_EQ(error("--eviction-hard=memory.available<lots"),
            "flag --eviction-hard: evictionHard[memory.available]: \"lots\": " +
                std::string("quantities must match the regular expression "
                            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'") +
                "; allowed: a quantity above 0 such as \"100Mi\", or a percentage such as \"10%\"");
  EXPECT_EQ(
      error("--eviction-hard=memory.avail<1Gi").substr(0, 94),
      "flag --eviction-hard: evictionHard[memory.avail]: \"1Gi\": unknown signal, the nearest "
      "is memory");
  EXPECT_EQ(error("--eviction-soft=memory.available<1Gi"),
            "flag --eviction-soft: evictionSoft[memory.available]: \"1Gi\": a soft threshold "
            "without a grace period; allowed: an evictionSoftGracePeriod for memory.available "
            "beside it");
  EXPECT_EQ(
      error("--system-reserved=disk=1Gi"),
      "flag --system-reserved: systemReserved[disk]: \"1Gi\": cannot be reserved, the nearest "
      "resource is pid; allowed: cpu, memory, ephemeral-storage, pid");
  EXPECT_EQ(
      error("--kube-reserved=memory=-1Gi"),
      "flag --kube-reserved: kubeReserved[memory]: \"-1Gi\": negative; allowed: a quantity of "
      "at least 0 such as \"500m\" or \"1Gi\"");
  EXPECT_EQ(error("--eviction-max-pod-grace-period=soon"),
            "flag --eviction-max-pod-grace-period: evictionMaxPodGracePeriod: \"soon\": not a "
            "whole number; allowed: a whole number");
  EXPECT_EQ(error("--cgroups-per-qos=maybe"),
            "flag --cgroups-per-qos: cgroupsPerQOS: \"maybe\": expected a boolean; allowed: true "
            "or false");
  EXPECT_EQ(error("--cgroups-per-qos=false"),
            "flag --cgroups-per-qos: cgroupsPerQOS: false: enforceNodeAllocatable has \"pods\"; "
            "allowed: true, or an enforceNodeAllocatable that is empty or none");
  EXPECT_NE(error("--enforce-node-allocatable=none,pods"), "");
  EXPECT_NE(error("--enforce-node-allocatable=\"pods"), "");
  EXPECT_NE(error("--eviction-pressure-transition-period=5"), "");
  EXPECT_NE(error("--eviction-hard=memory.available<\xff"), "");
  EXPECT_EQ(error("--cgroup-root=/a\xc2\x9b"),
            "flag --cgroup-root: cgroupRoot: \"\": bytes that are not printable UTF-8; allowed: "
            "printable UTF-8 text");
}

TEST(KubeletFlags, IgnoringEvictionLeavesTheAllocatableMemoryAlone) {
  const Config config =
      KubeletSources().flags({"--experimental-allocatable-ignore-eviction"}).config();
  EXPECT_EQ(config.thresholds().size(), 5U);
}

TEST(ConfigSources, OverrideEachOtherInTheirOrder) {
  KubeletSources sources;
  sources.own(
      "evictionMaxPodGracePeriod: 1\nevictionPressureTransitionPeriod: 1s\n"
      "evictionHard: {pid.available: \"1\"}\ncgroupRoot: /own\ndryRun: true\n");
  sources.file(
      "evictionMaxPodGracePeriod: 2\nevictionPressureTransitionPeriod: 2s\n"
      "evictionHard: {pid.available: \"2\"}\n");
  sources.drop_in("1.conf", "evictionMaxPodGracePeriod: 3\nevictionPressureTransitionPeriod: 3s\n");
  sources.flags({"--eviction-max-pod-grace-period=4"});
  const Config config = sources.config();
  EXPECT_EQ(config->eviction.max_pod_grace_period, 4s);
  EXPECT_EQ(config->eviction.pressure_transition_period, 3s);
  EXPECT_EQ(config->eviction.hard, (Texts{{"pid.available", "2"}}));
  EXPECT_EQ(config->cgroup_root, "/own");
  EXPECT_TRUE(config->dry_run);
  EXPECT_EQ(sources.origin("evictionMaxPodGracePeriod"), "flag --eviction-max-pod-grace-period");
  EXPECT_EQ(sources.origin("evictionPressureTransitionPeriod"), "kubelet.d/1.conf:4");
  EXPECT_EQ(sources.origin("evictionHard[pid.available]"), "kubelet.yaml:5");
  EXPECT_EQ(sources.origin("cgroupRoot"), "evictd.yaml:4");
  EXPECT_EQ(sources.origin("pollInterval"), "default");
}

TEST(ConfigSources, AFlagReplacesAMappingOfAFileAsAWhole) {
  KubeletSources sources;
  sources.file("evictionHard: {memory.available: 1Gi, pid.available: \"2\"}\n")
      .flags({"--eviction-hard=memory.available<2Gi"});
  EXPECT_EQ(sources.config()->eviction.hard, (Texts{{"memory.available", "2Gi"}}));
  EXPECT_EQ(sources.origin("evictionHard[pid.available]"), "default");
}

TEST(ConfigSources, TheOlderKubeletJudgesTheKubeletsFileByItsOwnRules) {
  KubeletSources sources;
  sources.own("compatibility: 1.26\n").file("evictionHard: {containerfs.available: 1Gi}\n");
  EXPECT_NE(sources.error().find("unknown signal"), std::string::npos);
}

}  // namespace
}  // namespace evictd::config::test
