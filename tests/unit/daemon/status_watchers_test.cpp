// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_watchers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fake_kernel_side.h"

namespace evictd::daemon {
namespace {

TEST(StatusOfWatchers, MemoryIsPolledWithoutKernelSideOrWithStalledTimer) {
  const probe::Ladder ladder = ladder_of_every_hook();
  const auto watched = memory_available_json({.ladder = &ladder, .polling = false}, {});
  EXPECT_EQ(watched.at("watched_by_kernel"), true);
  EXPECT_EQ(watched.at("polled"), false);
  const auto stalled = memory_available_json({.ladder = &ladder, .polling = true}, {});
  EXPECT_EQ(stalled.at("watched_by_kernel"), true) << "hooks go on without the timer";
  EXPECT_EQ(stalled.at("polled"), true);
  const auto blind =
      memory_available_json({.ladder = &ladder, .polling = false, .reads_node = false}, {});
  EXPECT_EQ(blind.at("watched_by_kernel"), false) << "a NUMA node cannot be reached";
  EXPECT_EQ(blind.at("polled"), true);
  const auto alone = memory_available_json({.ladder = nullptr, .polling = false}, {});
  EXPECT_EQ(alone.at("watched_by_kernel"), false);
  EXPECT_EQ(alone.at("polled"), true);
}

TEST(StatusOfWatchers, NodeTasksArePolledBesideAKernelSideCountingPids) {
  const probe::Ladder ladder = ladder_of_every_hook();
  const WatchingSide side{.ladder = &ladder, .polling = false};
  const auto node = pid_available_json(side, config::PidAvailableSource::kNode);
  EXPECT_EQ(node.at("watched_by_kernel"), true);
  EXPECT_EQ(node.at("polled"), true);
  const auto pod_root = pid_available_json(side, config::PidAvailableSource::kPodRoot);
  EXPECT_EQ(pod_root.at("watched_by_kernel"), true);
  EXPECT_EQ(pod_root.at("polled"), false);
  const auto alone = pid_available_json({}, config::PidAvailableSource::kPodRoot);
  EXPECT_EQ(alone.at("watched_by_kernel"), false);
  EXPECT_EQ(alone.at("polled"), true);
}

}  // namespace
}  // namespace evictd::daemon
