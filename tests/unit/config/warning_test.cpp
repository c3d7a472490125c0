// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/config.h"

namespace evictd::config {
namespace {

/// Texts of the warnings of a file that knows pods, so that it has no warning of its own.
std::vector<std::string> warnings_of(const std::string& text) {
  const Result<Config> config = parse(text + "\nevictUnknownPods: true\n", "evictd.yaml");
  EXPECT_TRUE(config.has_value()) << config.error().message();
  std::vector<std::string> texts;
  if (config) {
    for (const Warning& warning : config->warnings()) {
      texts.push_back(warning.text);
    }
  }
  return texts;
}

using Warnings = std::vector<std::string>;

TEST(ConfigWarning, NothingToWarnOf) {
  EXPECT_EQ(warnings_of(""), Warnings{});
}

TEST(ConfigWarning, OneHardThresholdDropsTheOtherDefaults) {
  EXPECT_EQ(warnings_of("evictionHard:\n  memory.available: 1Gi"),
            (Warnings{"evictd.yaml:1: evictionHard: drops the kubelet's other defaults: "
                      "imagefs.available 15%, imagefs.inodesFree 5%, nodefs.available 10%, "
                      "nodefs.inodesFree 5%"}));
}

TEST(ConfigWarning, ASoftThresholdAtOrBelowTheHardOne) {
  const std::string grace = "\nevictionSoftGracePeriod: {memory.available: 1m}";
  EXPECT_EQ(warnings_of("evictionSoft: {memory.available: 100Mi}" + grace),
            (Warnings{"evictd.yaml:1: evictionSoft[memory.available]: 100Mi is not above the hard "
                      "threshold 100Mi: the hard one always acts first"}));
  EXPECT_EQ(warnings_of("evictionSoft: {memory.available: 101Mi}" + grace), Warnings{});
  EXPECT_EQ(warnings_of("evictionSoft: {memory.available: 1%}" + grace), Warnings{});
}

TEST(ConfigWarning, AShareThatIsNoNumber) {
  EXPECT_EQ(
      warnings_of("evictionHard: {memory.available: NaN%, nodefs.available: 10%, "
                  "nodefs.inodesFree: 5%, imagefs.available: 15%, imagefs.inodesFree: 5%}\n"
                  "evictionSoft: {nodefs.available: nan%}\n"
                  "evictionSoftGracePeriod: {nodefs.available: 1m}"),
      (Warnings{"evictd.yaml:1: evictionHard[memory.available]: NaN% is not a percentage: the "
                "threshold can never be met",
                "evictd.yaml:2: evictionSoft[nodefs.available]: NaN% is not a percentage: the "
                "threshold can never be met"}));
}

TEST(ConfigWarning, AThresholdOfContainerfsIsNotUsed) {
  EXPECT_EQ(
      warnings_of("evictionHard: {memory.available: 100Mi, nodefs.available: 10%, "
                  "nodefs.inodesFree: 5%, imagefs.available: 15%, imagefs.inodesFree: 5%, "
                  "containerfs.available: 1Gi}\n"
                  "evictionSoft: {containerfs.inodesFree: 7%}\n"
                  "evictionSoftGracePeriod: {containerfs.inodesFree: 1m}"),
      (Warnings{"evictd.yaml:1: evictionHard[containerfs.available]: 1Gi is not used: as with the "
                "kubelet, containerfs takes the thresholds of the filesystem that it is on",
                "evictd.yaml:2: evictionSoft[containerfs.inodesFree]: 7% is not used: as with the "
                "kubelet, containerfs takes the thresholds of the filesystem that it is on"}));
}

TEST(ConfigWarning, AMinimumReclaimWithoutAThreshold) {
  EXPECT_EQ(warnings_of("evictionMinimumReclaim: {pid.available: \"10\"}"),
            (Warnings{"evictd.yaml:1: evictionMinimumReclaim[pid.available]: no threshold has this "
                      "signal"}));
}

TEST(ConfigWarning, ATransitionPeriodOfZeroIsNotWhatTheKubeletReads) {
  EXPECT_EQ(
      warnings_of("evictionPressureTransitionPeriod: 0s"),
      (Warnings{"evictd.yaml:1: evictionPressureTransitionPeriod: 0s is taken as written; the "
                "kubelet reads it in a file as 5m"}));
}

TEST(ConfigWarning, AFloorThatCannotMatter) {
  EXPECT_EQ(warnings_of("hardEvictionGracePeriodSeconds: 0\nhardEvictionFloor: 20%\n"
                        "maxEvictionsPerMinute: 0"),
            (Warnings{"evictd.yaml:2: hardEvictionFloor: has no effect while "
                      "hardEvictionGracePeriodSeconds and maxEvictionsPerMinute are both 0"}));
}

TEST(ConfigWarning, FloorThatPassesABrakeOrCutsGraceGivesNoWarning) {
  EXPECT_EQ(warnings_of("hardEvictionGracePeriodSeconds: 0\nhardEvictionFloor: 20%"), Warnings{});
  EXPECT_EQ(warnings_of("maxEvictionsPerMinute: 0\nhardEvictionFloor: 20%"), Warnings{});
}

TEST(ConfigWarning, NoPodCanBeEvicted) {
  const Result<Config> config = parse("", "evictd.yaml");
  ASSERT_TRUE(config.has_value());
  ASSERT_EQ(config->warnings().size(), 1U);
  EXPECT_EQ(config->warnings()[0].key, "evictUnknownPods");
  EXPECT_EQ(config->warnings()[0].text,
            "evictUnknownPods: no pod can be evicted: neither manifestDirectories nor podGlobs is "
            "set, and unknown pods are never evicted");
}

TEST(ConfigWarning, AFaultForTestsIsOn) {
  EXPECT_EQ(
      warnings_of("faults: {dropKernelEvents: true}"),
      (Warnings{"evictd.yaml:1: faults.dropKernelEvents: a fault for tests is on: kernel events "
                "are ignored"}));
}

TEST(ConfigWarning, AKeyOfTheKubeletThatMeansNothingHere) {
  EXPECT_EQ(
      warnings_of("kernelMemcgNotification: true"),
      (Warnings{"evictd.yaml:1: kernelMemcgNotification means nothing here: eventSource decides "
                "how crossings are noticed"}));
}

}  // namespace
}  // namespace evictd::config
