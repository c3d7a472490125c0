// SPDX-License-Identifier: Apache-2.0
#include "config/change.h"

#include <gtest/gtest.h>

#include <string>

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
  EXPECT_EQ(restart_keys(changes), "");
}

TEST(ConfigChange, NamesTheKeysThatNeedARestart) {
  const std::vector<Change> changes =
      diff(parsed(""), parsed("eventSource: poll\ndryRun: true\nrealtime: {priority: 11}"));
  EXPECT_EQ(changes.size(), 3U);
  EXPECT_EQ(restart_keys(changes), "eventSource, realtime.priority");
}

TEST(ConfigChange, AnUnsetValueIsNull) {
  const std::vector<Change> changes = diff(parsed(""), parsed("hardEvictionGracePeriodSeconds: 0"));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].before, "null");
  EXPECT_EQ(changes[0].after, "0");
}

}  // namespace
}  // namespace evictd::config
