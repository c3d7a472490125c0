// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/watch_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace evictd::daemon {
namespace {

constexpr std::int64_t kMi = 1024 * 1024;

eviction::Threshold threshold(eviction::Signal signal, std::int64_t amount, Duration grace = {}) {
  eviction::Threshold made;
  made.signal = signal;
  made.value.quantity = eviction::Quantity(amount, eviction::QuantityFormat::kBinarySI);
  made.grace_period = grace;
  return made;
}

WatchPointOptions options() {
  WatchPointOptions made;
  made.capacities = {.node_memory = {.capacity = 1000_MiB,
                                     .signal = probe::Signal::kNodeWorkingSet,
                                     .sum = 1000_MiB},
                     .pod_root_memory = Bytes{-1},
                     .node_tasks = 1000,
                     .pod_root_tasks = -1};
  made.root.memory = {.hierarchy = 4, .id = 40};
  made.root.pids = {.hierarchy = 8, .id = 80};
  made.hysteresis.memory = 1_MiB;
  made.hysteresis.tasks = 3;
  return made;
}

std::set<std::uint64_t> values(const std::vector<probe::WatchedThreshold>& points) {
  std::set<std::uint64_t> values;
  for (const probe::WatchedThreshold& point : points) {
    values.insert(point.value);
  }
  return values;
}

TEST(WatchPoints, ASoftThresholdIsOneLevel) {
  const auto points = watch_points(
      {threshold(eviction::Signal::kMemoryAvailable, 100 * kMi, std::chrono::seconds(30))},
      options());
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].signal, probe::Signal::kNodeWorkingSet);
  EXPECT_EQ(points[0].value, static_cast<std::uint64_t>(900 * kMi));
  EXPECT_EQ(points[0].hysteresis, static_cast<std::uint64_t>(kMi));
}

TEST(WatchPoints, UncertainSumHasALevelOnEachSideOfTheThreshold) {
  WatchPointOptions moving = options();
  moving.capacities.node_memory = {.capacity = 1000_MiB,
                                   .signal = probe::Signal::kNodeTaken,
                                   .sum = Bytes{probe::kNodeCeiling} - 60_MiB,
                                   .slack = 4_MiB};
  const auto points = watch_points(
      {threshold(eviction::Signal::kMemoryAvailable, 100 * kMi, std::chrono::seconds(30))}, moving);
  const std::int64_t met = probe::kNodeCeiling - 160 * kMi;
  EXPECT_EQ(values(points), (std::set<std::uint64_t>{static_cast<std::uint64_t>(met - 4 * kMi),
                                                     static_cast<std::uint64_t>(met),
                                                     static_cast<std::uint64_t>(met + 4 * kMi)}));
  for (const probe::WatchedThreshold& point : points) {
    EXPECT_EQ(point.signal, probe::Signal::kNodeTaken);
  }
}

TEST(WatchPoints, AHardThresholdOnASumThatMovesHasAnIdForEachLevel) {
  WatchPointOptions moving = options();
  moving.floor.amount = 1;
  moving.capacities.node_memory.slack = 4_MiB;
  const auto points = watch_points({threshold(eviction::Signal::kMemoryAvailable, 100 * kMi),
                                    threshold(eviction::Signal::kMemoryAvailable, 90 * kMi)},
                                   moving);
  std::set<std::uint64_t> ids;
  for (const probe::WatchedThreshold& point : points) {
    EXPECT_TRUE(ids.insert(point.id).second);
  }
  // Three about the threshold, seven eighths, a half and a quarter of the last, the floor.
  EXPECT_EQ(std::count_if(points.begin(), points.end(),
                          [](const auto& point) { return threshold_of(point.id) == 0; }),
            13);
}

TEST(WatchPoints, FreeSwapMovesTheWorkingSetLevelNotThePercentBase) {
  WatchPointOptions with_swap = options();
  with_swap.capacities.node_memory = {.capacity = 1000_MiB,
                                      .signal = probe::Signal::kNodeWorkingSet,
                                      .sum = 950_MiB,
                                      .slack = 4_MiB};
  eviction::Threshold quarter = threshold(eviction::Signal::kMemoryAvailable, 0, Duration{1});
  quarter.value.quantity.reset();
  quarter.value.percentage = 0.25F;
  const auto points = watch_points({quarter}, with_swap);
  EXPECT_TRUE(values(points).contains(static_cast<std::uint64_t>(700 * kMi)));
}

TEST(WatchPoints, HardThresholdHasEighthsPartsOfTheLastAndTheFloor) {
  WatchPointOptions with_floor = options();
  with_floor.floor.amount = 30;
  const auto points = watch_points({threshold(eviction::Signal::kPidAvailable, 80)}, with_floor);
  EXPECT_EQ(values(points),
            (std::set<std::uint64_t>{920, 930, 940, 950, 960, 970, 980, 990, 995, 998}));
}

TEST(WatchPoints, TheFloorIsReportedAtTheLastTaskAboveIt) {
  WatchPointOptions with_floor = options();
  with_floor.floor.percent_of_threshold = 50;
  const auto points = watch_points({threshold(eviction::Signal::kPidAvailable, 100)}, with_floor);
  // Half of 100 is 50: at 951 tasks less than that is available.
  EXPECT_TRUE(values(points).contains(950));
}

TEST(WatchPoints, EveryIdLeadsBackToItsThreshold) {
  const std::vector<eviction::Threshold> thresholds{
      threshold(eviction::Signal::kNodeFsAvailable, kMi),
      threshold(eviction::Signal::kMemoryAvailable, 100 * kMi),
      threshold(eviction::Signal::kPidAvailable, 100)};
  std::set<std::uint64_t> ids;
  for (const probe::WatchedThreshold& point : watch_points(thresholds, options())) {
    EXPECT_TRUE(ids.insert(point.id).second);
    EXPECT_EQ(threshold_of(point.id), point.signal == probe::Signal::kNodeWorkingSet ? 1U : 2U);
  }
  EXPECT_FALSE(ids.empty());
}

TEST(WatchPoints, WithoutAKnownCapacityThereIsNothingToWatch) {
  WatchPointOptions unknown = options();
  unknown.capacities = {};
  EXPECT_TRUE(watch_points({threshold(eviction::Signal::kMemoryAvailable, kMi),
                            threshold(eviction::Signal::kAllocatableMemoryAvailable, kMi),
                            threshold(eviction::Signal::kPidAvailable, 1)},
                           unknown)
                  .empty());
}

TEST(WatchPoints, AllocatableMemoryIsThePodRoots) {
  WatchPointOptions limited = options();
  limited.capacities.pod_root_memory = 500_MiB;
  const auto points = watch_points({threshold(eviction::Signal::kAllocatableMemoryAvailable,
                                              100 * kMi, std::chrono::seconds(1))},
                                   limited);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].signal, probe::Signal::kCgroupWorkingSet);
  EXPECT_EQ(points[0].cgroup, limited.root.memory);
  EXPECT_EQ(points[0].value, static_cast<std::uint64_t>(400 * kMi));
  limited.root.memory = {};
  EXPECT_TRUE(watch_points({threshold(eviction::Signal::kAllocatableMemoryAvailable, kMi)}, limited)
                  .empty());
}

TEST(WatchPoints, TasksMayBeCountedInThePodRoot) {
  WatchPointOptions pod_root = options();
  pod_root.pid_source = config::PidAvailableSource::kPodRoot;
  pod_root.capacities.pod_root_tasks = 200;
  const auto points = watch_points(
      {threshold(eviction::Signal::kPidAvailable, 20, std::chrono::seconds(1))}, pod_root);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].signal, probe::Signal::kCgroupTasks);
  EXPECT_EQ(points[0].cgroup, pod_root.root.pids);
  EXPECT_EQ(points[0].value, 180U);
  EXPECT_EQ(points[0].hysteresis, 3U);
}

TEST(WatchPoints, AThresholdAboveTheCapacityIsMetAlwaysAndNotWatched) {
  const auto points = watch_points(
      {threshold(eviction::Signal::kPidAvailable, 2000, std::chrono::seconds(1))}, options());
  EXPECT_TRUE(points.empty());
}

TEST(WatchPoints, TheGuardIsOneLevelOfAHardThreshold) {
  WatchPointOptions guarded = options();
  guarded.guard = true;
  const auto of_guard = [&](Duration grace) {
    std::vector<probe::WatchedThreshold> found;
    for (const probe::WatchedThreshold& point :
         watch_points({threshold(eviction::Signal::kPidAvailable, 100),
                       threshold(eviction::Signal::kMemoryAvailable, 100 * kMi, grace)},
                      guarded)) {
      if (point.signal == probe::Signal::kNodeReserve) {
        found.push_back(point);
      }
    }
    return found;
  };
  const auto hard = of_guard(Duration{0});
  ASSERT_EQ(hard.size(), 1U);
  EXPECT_EQ(hard[0].value, static_cast<std::uint64_t>(probe::kNodeCeiling));
  EXPECT_EQ(threshold_of(hard[0].id), 1U);
  EXPECT_TRUE(of_guard(std::chrono::seconds(30)).empty()) << "of a soft one";
}

}  // namespace
}  // namespace evictd::daemon
