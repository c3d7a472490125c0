// SPDX-License-Identifier: Apache-2.0
#include "config/change.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "parsed.h"

namespace evictd::config {
namespace {

TEST(ConfigChange, EqualConfigurationsDifferInNothing) {
  EXPECT_TRUE(diff(parsed(""), parsed("# a comment\npollInterval: 10000ms\n")).empty());
}

TEST(ConfigChange, AThresholdTakesEffectAtAReload) {
  const std::vector<Change> changes =
      diff(parsed("evictionHard: {memory.available: 1Gi}"), parsed("evictionHard: {}"));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0], (Change{.key = "evictionHard",
                                .effect = Effect::kReload,
                                .before = R"({"memory.available":"1Gi"})",
                                .after = "{}"}));
  EXPECT_TRUE(
      check_reload(parsed("evictionHard: {memory.available: 1Gi}"), parsed("evictionHard: {}")));
}

/// What is said of a reload that leads from the first text to the second.
std::string refusal(std::string_view before, std::string_view after) {
  const Result<> checked = check_reload(parsed(before), parsed(after));
  return checked ? std::string() : checked.error().message();
}

TEST(ConfigChange, RestartRefusalNamesPlaceKeyValuesAndAllowed) {
  EXPECT_EQ(
      refusal("", "dryRun: true\neventSource: poll\n"),
      "evictd.yaml:2: eventSource: \"poll\": a change needs a restart, until then \"auto\" holds; "
      "allowed: \"auto\", or a restart");
  EXPECT_EQ(refusal("realtime: {priority: 12}", "realtime:\n  priority: 11"),
            "evictd.yaml:2: realtime.priority: 11: a change needs a restart, until then 12 holds; "
            "allowed: 12, or a restart");
  EXPECT_EQ(refusal("", "nodeName: here"),
            "evictd.yaml:1: nodeName: \"here\": a change needs a restart, until then unset holds; "
            "allowed: unset, or a restart");
}

TEST(ConfigChange, OfAKeyThatIsNotGivenAnyMoreNamesTheFileThatHadIt) {
  EXPECT_EQ(refusal("lockMemory: false", "dryRun: true"),
            "evictd.yaml: lockMemory: true (default, no longer given): a change needs a restart, "
            "until then false holds; allowed: false, or a restart");
}

TEST(ConfigChange, NamesTheOtherKeysThatNeedARestart) {
  EXPECT_EQ(refusal("", "nodeName: here\neventSource: poll\ndryRun: true\nlockMemory: false"),
            "evictd.yaml:1: nodeName: \"here\": a change, as of eventSource, lockMemory, needs a "
            "restart, "
            "until then unset holds; allowed: unset, or a restart");
}

TEST(ConfigChange, ABrakeThatStaysAsItIsNeedsNoRestart) {
  constexpr std::string_view kLater = "hardEvictionGracePeriodSeconds: 30\n";
  constexpr std::string_view kAtOnce = "hardEvictionGracePeriodSeconds: 0\n";
  constexpr std::string_view kAtOnceOff = "hardEvictionGracePeriodSeconds: 0\ninKernelBrake: off\n";
  EXPECT_EQ(refusal(kLater, kAtOnceOff), "") << "off stays off";
  EXPECT_EQ(refusal(kAtOnceOff, kLater), "");
  EXPECT_EQ(refusal(kAtOnce, "hardEvictionGracePeriodSeconds: 0\ninKernelBrake: backstop\n"), "");
  EXPECT_NE(refusal(kAtOnce, kAtOnceOff), "");
  EXPECT_NE(refusal(kAtOnceOff, kAtOnce), "");
}

TEST(ConfigChange, TheSocketsNeedARestart) {
  EXPECT_NE(refusal("", "notifySocket: /a/n"), "");
  EXPECT_NE(refusal("", "controlSocket: /a/c"), "");
}

TEST(ConfigChange, AnUnsetValueIsNull) {
  const std::vector<Change> changes = diff(parsed(""), parsed("hardEvictionGracePeriodSeconds: 0"));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].before, "null");
  EXPECT_EQ(changes[0].after, "0");
}

}  // namespace
}  // namespace evictd::config
