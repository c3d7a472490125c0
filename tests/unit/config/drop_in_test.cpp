// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "kubelet_sources.h"

namespace evictd::config::test {
namespace {

using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using Texts = std::map<std::string, std::string>;

TEST(KubeletDropIn, AMappingIsMergedEntryByEntry) {
  KubeletSources sources;
  sources.file("evictionHard: {memory.available: 500Mi, nodefs.available: 10%}\n")
      .drop_in("10.conf", "evictionHard:\n  memory.available: 600Mi\n  pid.available: \"5\"\n");
  EXPECT_EQ(
      sources.config()->eviction.hard,
      (Texts{{"memory.available", "600Mi"}, {"nodefs.available", "10%"}, {"pid.available", "5"}}));
  EXPECT_EQ(sources.origin("evictionHard[memory.available]"), "kubelet.d/10.conf:4");
  EXPECT_EQ(sources.origin("evictionHard[nodefs.available]"), "kubelet.yaml:3");
}

TEST(KubeletDropIn, AMappingIsMergedIntoTheDefaultsWhereTheFileHasNone) {
  KubeletSources sources;
  sources.file("maxPods: 1\n").drop_in("10.conf", "evictionHard: {memory.available: 600Mi}\n");
  EXPECT_EQ(sources.config()->eviction.hard.size(), 5U);
  EXPECT_EQ(sources.config()->eviction.hard.at("memory.available"), "600Mi");
}

TEST(KubeletDropIn, DefaultsThatAreDroppedWereDroppedByWhoGaveTheMapping) {
  KubeletSources sources;
  sources.file("evictionHard: {memory.available: 500Mi}\n")
      .drop_in("10.conf", "maxPods: 1\nevictionHard: {nodefs.available: 10%}\n");
  EXPECT_EQ(texts_about("evictionHard", sources),
            (std::vector<std::string>{
                "kubelet.yaml:3: evictionHard: drops the kubelet's other defaults: "
                "imagefs.available 15%, imagefs.inodesFree 5%, nodefs.inodesFree 5%"}));
}

TEST(KubeletDropIn, NullTakesBackWhatEarlierDropInsSaid) {
  KubeletSources sources;
  sources
      .file(
          "evictionHard: {memory.available: 500Mi, nodefs.available: 10%}\n"
          "evictionSoft: {memory.available: 1Gi}\n"
          "evictionSoftGracePeriod: {memory.available: 1m}\n"
          "evictionPressureTransitionPeriod: 1m\n")
      .drop_in("10.conf",
               "evictionHard: {memory.available: 600Mi, pid.available: \"5\"}\n"
               "evictionPressureTransitionPeriod: 2m\nevictionMaxPodGracePeriod: 3\n")
      .drop_in("20.conf",
               "evictionHard: null\nevictionSoft: null\nevictionPressureTransitionPeriod: null\n"
               "evictionMaxPodGracePeriod: null\n");
  const Config config = sources.config();
  EXPECT_EQ(config->eviction.hard,
            (Texts{{"memory.available", "500Mi"}, {"nodefs.available", "10%"}}));
  EXPECT_EQ(config->eviction.soft, (Texts{{"memory.available", "1Gi"}}));
  EXPECT_EQ(config->eviction.pressure_transition_period, 1min);
  EXPECT_EQ(config->eviction.max_pod_grace_period, 0s);
  EXPECT_EQ(sources.origin("evictionHard[memory.available]"), "kubelet.yaml:3");
  EXPECT_EQ(sources.origin("evictionHard[pid.available]"), "default");
  EXPECT_EQ(sources.origin("evictionPressureTransitionPeriod"), "kubelet.yaml:6");
  EXPECT_EQ(sources.origin("evictionMaxPodGracePeriod"), "default");
}

TEST(KubeletDropIn, NullTakesOneEntryBackAndLeavesWhatTheFileSaid) {
  KubeletSources sources;
  sources.file("evictionHard: {memory.available: 500Mi, nodefs.available: 10%}\n")
      .drop_in("10.conf", "evictionHard: {memory.available: 600Mi, pid.available: \"5\"}\n")
      .drop_in("20.conf",
               "evictionHard: {memory.available: null, nodefs.available: null, pid.available: "
               "null}\n");
  EXPECT_EQ(sources.config()->eviction.hard,
            (Texts{{"memory.available", "500Mi"}, {"nodefs.available", "10%"}}));
  EXPECT_EQ(sources.origin("evictionHard[memory.available]"), "kubelet.yaml:3");
}

TEST(KubeletDropIn, NullNeverLeavesANodeWithoutItsHardThresholds) {
  const auto hard_of = [](std::string_view file, std::string_view drop_in) {
    return KubeletSources().file(file).drop_in("10.conf", drop_in).config()->eviction.hard;
  };
  const Texts defaults = Config::defaults()->eviction.hard;
  EXPECT_EQ(defaults.size(), 5U);
  for (const char* nothing : {"maxPods: 1\n", "evictionHard: null\n"}) {
    EXPECT_EQ(hard_of(nothing, "evictionHard: null\n"), defaults);
    EXPECT_EQ(hard_of(nothing, "evictionHard: {memory.available: null}\n"), defaults);
  }
  EXPECT_EQ(hard_of("evictionHard: {memory.available: 1Gi}\n", "evictionHard: null\n"),
            (Texts{{"memory.available", "1Gi"}}));
  KubeletSources own;
  own.own("evictionHard: {memory.available: 2Gi}\n").drop_in("10.conf", "evictionHard: null\n");
  EXPECT_EQ(own.config()->eviction.hard, (Texts{{"memory.available", "2Gi"}}));
  EXPECT_EQ(own.origin("evictionHard"), "evictd.yaml:1");
  // Two in a row, and one without anything below it.
  KubeletSources bare;
  bare.drop_in("10.conf", "evictionHard: {pid.available: \"5\"}\n")
      .drop_in("20.conf", "evictionHard: null\n")
      .drop_in("30.conf", "evictionHard: null\n");
  EXPECT_EQ(bare.config()->eviction.hard, defaults);
  EXPECT_EQ(bare.origin("evictionHard[memory.available]"), "default of compatibility 1.32");
}

TEST(KubeletDropIn, NullResetsMergeDefaultsToTheFilesValue) {
  const auto hard_of = [](std::string_view file, std::string_view drop_in) {
    return KubeletSources()
        .file("evictionHard: {memory.available: 1Gi}\n" + std::string(file))
        .drop_in("10.conf", drop_in)
        .drop_in("20.conf", "mergeDefaultEvictionSettings: null\n")
        .config()
        ->eviction.hard.size();
  };
  EXPECT_EQ(hard_of("mergeDefaultEvictionSettings: true\n", "maxPods: 1\n"), 5U);
  EXPECT_EQ(hard_of("maxPods: 2\n", "mergeDefaultEvictionSettings: true\n"), 1U);
}

TEST(KubeletDropIn, ATransitionPeriodOfZeroStaysZero) {
  KubeletSources sources;
  sources.file("evictionPressureTransitionPeriod: 1m\n")
      .drop_in("10.conf", "evictionPressureTransitionPeriod: 0s\n");
  EXPECT_EQ(sources.config()->eviction.pressure_transition_period, 0s);
  EXPECT_EQ(sources.origin("evictionPressureTransitionPeriod"), "kubelet.d/10.conf:3");
  EXPECT_EQ(texts_about("evictionPressureTransitionPeriod", sources), std::vector<std::string>{});
}

TEST(KubeletDropIn, IgnoredFieldSetToNullIsStillListedFromTheFile) {
  KubeletSources sources;
  sources.file("maxPods: 1\n").drop_in("10.conf", "maxPods: null\n");
  EXPECT_EQ(sources.without_directory(to_string(sources.config().ignored())),
            "maxPods (kubelet.yaml:3)");
}

TEST(KubeletDropIn, AListAndAScalarAreReplaced) {
  KubeletSources sources;
  sources.file("enforceNodeAllocatable: [pods]\nevictionMaxPodGracePeriod: 5\n")
      .drop_in("10.conf", "enforceNodeAllocatable: [none]\nevictionMaxPodGracePeriod: 7\n");
  EXPECT_EQ(sources.config()->eviction.enforce_node_allocatable,
            (std::vector<std::string>{"none"}));
  EXPECT_EQ(sources.config()->eviction.max_pod_grace_period, 7s);
}

TEST(KubeletDropIn, AnEmptyTextTakesThePlaceOfWhatTheFileSaid) {
  KubeletSources sources;
  sources.own("cgroupRoot: /own\ncgroupDriver: cgroupfs\n")
      .file("cgroupRoot: /x\ncgroupDriver: systemd\n")
      .drop_in("10.conf", "cgroupRoot: \"\"\ncgroupDriver: \"\"\n");
  const Config config = sources.config();
  EXPECT_EQ(config->cgroup_root, "/");
  EXPECT_EQ(config->cgroup_driver, CgroupDriver::kAuto);
  EXPECT_EQ(sources.origin("cgroupRoot"), "kubelet.d/10.conf:3");
  EXPECT_EQ(sources.origin("cgroupDriver"), "kubelet.d/10.conf:4");
  sources.drop_in("20.conf", "cgroupRoot: null\ncgroupDriver: null\n");
  EXPECT_EQ(sources.config()->cgroup_root, "/x");
  EXPECT_EQ(sources.config()->cgroup_driver, CgroupDriver::kSystemd);
}

TEST(KubeletDropIn, AnEmptyTextOfTheFileItselfIsNotSet) {
  KubeletSources sources;
  sources.own("cgroupRoot: /own\ncgroupDriver: systemd\n")
      .file("cgroupRoot: \"\"\ncgroupDriver: \"\"\n");
  EXPECT_EQ(sources.config()->cgroup_root, "/own");
  EXPECT_EQ(sources.config()->cgroup_driver, CgroupDriver::kSystemd);
  EXPECT_EQ(sources.origin("cgroupRoot"), "evictd.yaml:1");
}

TEST(KubeletDropIn, AnEmptyDirectoryOfLogsIsRefusedAsByTheKubelet) {
  KubeletSources sources;
  sources.file("podLogsDir: /data/logs\n").drop_in("10.conf", "podLogsDir: \"\"\n");
  EXPECT_EQ(
      sources.error(),
      "kubelet.d/10.conf:3: podLogsDir: \"\": empty; allowed: text of at least one character");
}

TEST(KubeletDropIn, FilesAreTakenByNameAndOthersPassedOver) {
  KubeletSources sources;
  sources.drop_in("20-b.conf", "evictionMaxPodGracePeriod: 20\n")
      .drop_in("10-a.conf", "evictionMaxPodGracePeriod: 10\nevictionHard: {pid.available: \"3\"}\n")
      .drop_in("9.conf.bak", "evictionMaxPodGracePeriod: 99\n")
      .raw_drop_in("README", "no yaml: [")
      .drop_in("15/more.conf", "evictionMaxPodGracePeriod: 15\n");
  EXPECT_EQ(sources.config()->eviction.max_pod_grace_period, 20s);
  EXPECT_EQ(sources.origin("evictionMaxPodGracePeriod"), "kubelet.d/20-b.conf:3");
  // "3..." sorts behind "20-b.conf", and a directory stands by its own name.
  sources.drop_in("3/x.conf", "evictionMaxPodGracePeriod: 3\n");
  EXPECT_EQ(sources.config()->eviction.max_pod_grace_period, 3s);
}

TEST(KubeletDropIn, EveryFileNeedsKindAndVersion) {
  KubeletSources sources;
  sources.raw_drop_in("10.conf", "evictionMaxPodGracePeriod: 10\n");
  EXPECT_EQ(sources.error(),
            "kubelet.d/10.conf:1: kind: is not there; allowed: KubeletConfiguration");
  EXPECT_NE(KubeletSources().raw_drop_in("10.conf", "").error(), "");
}

TEST(KubeletDropIn, AnErrorNamesTheDropInFile) {
  KubeletSources sources;
  sources.file("evictionHard: {memory.available: 1Gi}\n")
      .drop_in("10.conf", "evictionHard:\n  memory.available: 1Gigabyte\n");
  EXPECT_TRUE(sources.error().starts_with(
      "kubelet.d/10.conf:4: evictionHard[memory.available]: 1Gigabyte: "))
      << sources.error();
}

TEST(KubeletDropIn, AMissingDirectoryIsAnErrorAndAnEmptyOneIsNot) {
  Sources sources;
  sources.kubelet_config_dir = "/nonexistent/kubelet.d";
  EXPECT_EQ(load(sources).error().message(),
            "read directory /nonexistent/kubelet.d: No such file or directory");
  KubeletSources empty;
  empty.raw_drop_in("README", "");
  EXPECT_EQ(empty.error(), "");
}

TEST(KubeletDropIn, ALinkToAFileIsFollowed) {
  KubeletSources sources;
  sources.drop_in("README", "evictionMaxPodGracePeriod: 11\n");
  sources.tree().link("/kubelet.d/10.conf", "README");
  EXPECT_EQ(sources.config()->eviction.max_pod_grace_period, 11s);
}

}  // namespace
}  // namespace evictd::config::test
