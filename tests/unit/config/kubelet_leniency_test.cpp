// SPDX-License-Identifier: Apache-2.0
// What the kubelet takes although it can hardly be meant: taken from its sources, with a warning.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "config/effective.h"
#include "config/pass_settings.h"
#include "kubelet_sources.h"

namespace evictd::config::test {
namespace {

using Lines = std::vector<std::string>;
using Texts = std::map<std::string, std::string>;

TEST(KubeletLeniency, SoftGraceWithoutThresholdIsLeftOutWithAWarning) {
  KubeletSources sources;
  sources
      .file(
          "evictionSoft: {memory.available: 1Gi}\n"
          "evictionSoftGracePeriod:\n  memory.available: 1m\n  nodefs.available: 2m\n")
      .drop_in("1.conf", "evictionSoftGracePeriod:\n  pid.available: 3m\n");
  const Config config = sources.config();
  EXPECT_EQ(config->eviction.soft_grace_period, (Texts{{"memory.available", "1m"}}));
  EXPECT_EQ(texts_about("evictionSoftGracePeriod", sources),
            (std::vector<std::string>{
                "kubelet.yaml:6: evictionSoftGracePeriod[nodefs.available]: no soft threshold has "
                "this signal; evictd leaves it out",
                "kubelet.d/1.conf:4: evictionSoftGracePeriod[pid.available]: no soft threshold has "
                "this signal; evictd leaves it out"}));
  // What is shown is a file that evictd's own reader takes.
  EXPECT_TRUE(parse(effective_yaml(config), "shown.yaml").has_value());
}

TEST(KubeletLeniency, AFlagMayLeaveASoftGracePeriodWithoutItsThreshold) {
  KubeletSources sources;
  sources
      .file(
          "evictionSoft: {memory.available: 1Gi}\n"
          "evictionSoftGracePeriod: {memory.available: 1m}\n")
      .flags({"--eviction-soft="});
  EXPECT_TRUE(sources.config()->eviction.soft_grace_period.empty());
  EXPECT_EQ(texts_about("evictionSoftGracePeriod", sources).size(), 1U);
  EXPECT_EQ(texts_about("evictionSoftGracePeriod",
                        KubeletSources().flags({"--eviction-soft-grace-period=pid.available=1m"})),
            (std::vector<std::string>{
                "flag --eviction-soft-grace-period: evictionSoftGracePeriod[pid.available]: no "
                "soft threshold has this signal; evictd leaves it out"}));
}

TEST(KubeletLeniency, SoftGraceWithoutThresholdInOwnFileIsAnError) {
  KubeletSources sources;
  sources.own("evictionSoftGracePeriod: {memory.available: 1m}\n").file("maxPods: 1\n");
  EXPECT_EQ(sources.error(),
            "evictd.yaml:1: evictionSoftGracePeriod[memory.available]: \"1m\": a grace period "
            "without a soft threshold; allowed: an evictionSoft for memory.available beside it");
}

/// That it is accepted, kept as it was written, and makes no threshold.
void expect_switched_off(const KubeletSources& sources, const std::string& text) {
  ASSERT_EQ(sources.error(), "");
  const Config config = sources.config();
  EXPECT_EQ(config->eviction.soft, (Texts{{"pid.available", text}}));
  EXPECT_TRUE(std::none_of(config.thresholds().begin(), config.thresholds().end(),
                           [](const eviction::Threshold& threshold) {
                             return threshold.signal == eviction::Signal::kPidAvailable;
                           }));
}

TEST(KubeletLeniency, DisabledSoftThresholdNeedsNoGraceFromAnySource) {
  for (const std::string& version : {std::string("'1.32'"), std::string("'1.26'")}) {
    for (const std::string& text : {std::string("0%"), std::string("100%")}) {
      const std::string own = "compatibility: " + version + "\n";
      const std::string field = "evictionSoft: {pid.available: " + text + "}\n";
      expect_switched_off(KubeletSources().own(own + field), text);
      expect_switched_off(KubeletSources().own(own).file(field), text);
      expect_switched_off(KubeletSources().own(own).drop_in("1.conf", field), text);
      expect_switched_off(
          KubeletSources().own(own).flags({"--eviction-soft=pid.available<" + text}), text);
    }
  }
}

TEST(KubeletLeniency, ARepeatedEnforcementCountsOnceWithAWarningAsIn126) {
  const std::string own = "compatibility: 1.26\n";
  KubeletSources sources;
  sources.own(own).file("enforceNodeAllocatable:\n- pods\n- kube-reserved\n- pods\n- pods\n");
  EXPECT_EQ(sources.config()->eviction.enforce_node_allocatable, (Lines{"pods", "kube-reserved"}));
  EXPECT_EQ(
      texts_about("enforceNodeAllocatable", sources),
      (Lines{"kubelet.yaml:6: enforceNodeAllocatable[2]: \"pods\" is given more than once; it "
             "counts once"}));
  EXPECT_EQ(
      texts_about(
          "enforceNodeAllocatable",
          KubeletSources().own(own).drop_in("1.conf", "enforceNodeAllocatable: [pods, pods]\n")),
      (Lines{"kubelet.d/1.conf:3: enforceNodeAllocatable[1]: \"pods\" is given more than once; it "
             "counts once"}));
  KubeletSources flag;
  flag.own(own).flags({"--enforce-node-allocatable=pods", "--enforce-node-allocatable=pods"});
  EXPECT_EQ(flag.config()->eviction.enforce_node_allocatable, (Lines{"pods"}));
  EXPECT_EQ(texts_about("enforceNodeAllocatable", flag),
            (Lines{"flag --enforce-node-allocatable: enforceNodeAllocatable[1]: \"pods\" is given "
                   "more than once; it counts once"}));
}

const std::string kAllowedEnforcements =
    "; allowed: a list of pods, system-reserved, kube-reserved, system-reserved-compressible, "
    "kube-reserved-compressible, none; none only alone";

TEST(KubeletLeniency, ARepeatedEnforcementIsAnErrorAsInLaterKubelets) {
  const std::string field = "enforceNodeAllocatable: [pods, pods]\n";
  const std::string problem = "enforceNodeAllocatable[1]: pods: given twice" + kAllowedEnforcements;
  EXPECT_EQ(KubeletSources().file(field).error(), "kubelet.yaml:3: " + problem);
  EXPECT_EQ(KubeletSources().own("compatibility: 1.32\n").file(field).error(),
            "kubelet.yaml:3: " + problem);
  EXPECT_EQ(KubeletSources().drop_in("1.conf", field).error(), "kubelet.d/1.conf:3: " + problem);
  const std::string flag = KubeletSources().flags({"--enforce-node-allocatable=pods,pods"}).error();
  EXPECT_TRUE(flag.starts_with("flag --enforce-node-allocatable: enforceNodeAllocatable[1]: "))
      << flag;
  EXPECT_TRUE(flag.ends_with(": given twice" + kAllowedEnforcements)) << flag;
}

TEST(KubeletLeniency, NoneTwiceAndARepeatInTheOwnFileAreErrors) {
  const std::string own = "compatibility: 1.26\n";
  EXPECT_EQ(KubeletSources().own(own).file("enforceNodeAllocatable: [none, none]\n").error(),
            "kubelet.yaml:3: enforceNodeAllocatable: a list: \"none\" beside others" +
                kAllowedEnforcements);
  EXPECT_EQ(KubeletSources().own(own + "enforceNodeAllocatable: [pods, pods]\n").error(),
            "evictd.yaml:2: enforceNodeAllocatable[1]: pods: given twice" + kAllowedEnforcements);
}

TEST(KubeletLeniency, NearlyDisabledSoftThresholdNeedsAGracePeriod) {
  for (const std::string& text : {std::string("0.0%"), std::string("100.0%"), std::string("1%")}) {
    KubeletSources sources;
    sources.flags({"--eviction-soft=pid.available<" + text});
    EXPECT_NE(sources.error().find("a soft threshold without a grace period"), std::string::npos)
        << text;
  }
}

/// The longest grace that the pass is given, and what is said about it.
void expect_no_time(const KubeletSources& sources, const std::string& origin,
                    const std::string& seconds) {
  ASSERT_EQ(sources.error(), "");
  const Config config = sources.config();
  EXPECT_EQ(config->eviction.max_pod_grace_period.count(), std::stoll(seconds));
  EXPECT_EQ(pass_settings_of(config).max_pod_grace, std::chrono::seconds(0));
  EXPECT_EQ(texts_about("evictionMaxPodGracePeriod", sources),
            (std::vector<std::string>{origin + ": evictionMaxPodGracePeriod: " + seconds +
                                      " is taken as 0: a soft eviction is SIGKILL at once"}));
}

TEST(KubeletLeniency, ANegativeLongestGraceLeavesNoTimeWhereverItIsGiven) {
  expect_no_time(KubeletSources().own("evictionMaxPodGracePeriod: -1\n"), "evictd.yaml:1", "-1");
  expect_no_time(KubeletSources().file("evictionMaxPodGracePeriod: -5\n"), "kubelet.yaml:3", "-5");
  expect_no_time(KubeletSources().drop_in("1.conf", "evictionMaxPodGracePeriod: -2147483648\n"),
                 "kubelet.d/1.conf:3", "-2147483648");
  expect_no_time(KubeletSources().flags({"--eviction-max-pod-grace-period=-7"}),
                 "flag --eviction-max-pod-grace-period", "-7");
}

TEST(KubeletLeniency, ALongestGraceOfMoreThan32BitsIsRefused) {
  for (const std::string& seconds : {std::string("2147483648"), std::string("-2147483649")}) {
    const std::string field = "evictionMaxPodGracePeriod: " + seconds + "\n";
    for (const std::string& error :
         {KubeletSources().own(field).error(), KubeletSources().file(field).error(),
          KubeletSources().flags({"--eviction-max-pod-grace-period=" + seconds}).error()}) {
      EXPECT_TRUE(error.find("out of range; allowed: a whole number from -2147483648 to "
                             "2147483647") != std::string::npos)
          << error;
    }
  }
}

TEST(KubeletLeniency, ANegativeLongestGraceIsShownAsAFileThatMeansTheSame) {
  const Config config = KubeletSources().file("evictionMaxPodGracePeriod: -5\n").config();
  const Result<Config> shown = parse(effective_yaml(config), "shown.yaml");
  ASSERT_TRUE(shown.has_value()) << shown.error().message();
  EXPECT_EQ(*shown, config);
}

TEST(KubeletLeniency, AddingMissingDefaultsIsMoreThanEitherKubeletDoes) {
  const auto said_of = [](const char* compatibility, const char* value) {
    KubeletSources sources;
    sources.own("compatibility: '" + std::string(compatibility) + "'\n")
        .file("evictionHard: {memory.available: 1Gi}\n")
        .drop_in("1.conf", "mergeDefaultEvictionSettings: " + std::string(value) + "\n");
    return texts_about("mergeDefaultEvictionSettings", sources);
  };
  EXPECT_EQ(said_of("1.32", "true"),
            (std::vector<std::string>{
                "kubelet.d/1.conf:3: mergeDefaultEvictionSettings: the kubelet of compatibility "
                "1.32 has no such field and drops the defaults that are added here"}));
  EXPECT_EQ(said_of("1.26", "yes"),
            (std::vector<std::string>{
                "kubelet.d/1.conf:3: mergeDefaultEvictionSettings: the kubelet of compatibility "
                "1.26 has no such field and drops the defaults that are added here"}));
  EXPECT_TRUE(said_of("1.32", "false").empty());
  EXPECT_TRUE(said_of("1.32", "null").empty());
}

}  // namespace
}  // namespace evictd::config::test
