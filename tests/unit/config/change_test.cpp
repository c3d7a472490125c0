// SPDX-License-Identifier: Apache-2.0
#include "config/change.h"

#include <gtest/gtest.h>

#include <string>

namespace evictd::config {
namespace {

Config read(std::string_view text) {
  Result<Config> config = parse(text, "evictd.yaml");
  EXPECT_TRUE(config.has_value()) << config.error().message();
  return config.value_or(Config::defaults());
}

TEST(ConfigChange, EqualConfigurationsDifferInNothing) {
  EXPECT_TRUE(diff(read(""), read("# a comment\npollInterval: 10000ms\n")).empty());
}

TEST(ConfigChange, AThresholdTakesEffectAtAReload) {
  const std::vector<Change> changes =
      diff(read("evictionHard: {memory.available: 1Gi}"), read("evictionHard: {}"));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0], (Change{.key = "evictionHard",
                                .effect = Effect::kReload,
                                .before = R"({"memory.available":"1Gi"})",
                                .after = "{}"}));
  EXPECT_EQ(restart_keys(changes), "");
}

TEST(ConfigChange, NamesTheKeysThatNeedARestart) {
  const std::vector<Change> changes =
      diff(read(""), read("eventSource: poll\ndryRun: true\nrealtime: {priority: 11}"));
  EXPECT_EQ(changes.size(), 3U);
  EXPECT_EQ(restart_keys(changes), "eventSource, realtime.priority");
}

TEST(ConfigChange, AnUnsetValueIsNull) {
  const std::vector<Change> changes = diff(read(""), read("hardEvictionGracePeriodSeconds: 0"));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].before, "null");
  EXPECT_EQ(changes[0].after, "0");
}

}  // namespace
}  // namespace evictd::config
