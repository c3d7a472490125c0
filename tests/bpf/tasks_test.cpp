// SPDX-License-Identifier: Apache-2.0
// Crossings of pids counters by forks.
#include <gtest/gtest.h>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::Direction;
using probe::Options;
using probe::Signal;
using probe::WatchedThreshold;

void expect_crossing_by_fork(const Options& options) {
  const std::unique_ptr<probe::Probe> probe = load_probe(options);
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  const std::vector<WatchedThreshold> thresholds = {{.id = 1,
                                                     .signal = Signal::kCgroupTasks,
                                                     .cgroup = cgroup.pids_id(),
                                                     .cgroup_fd = cgroup.pids_fd(),
                                                     .value = 20}};
  ASSERT_TRUE(probe->set_thresholds(thresholds));
  ASSERT_TRUE(child.run(Work::kFork, 19));
  recorder.drain();
  EXPECT_TRUE(recorder.thresholds.empty());
  ASSERT_TRUE(child.run(Work::kFork, 1));
  ASSERT_TRUE(recorder.wait_for(1, Direction::kUp));
  EXPECT_EQ(recorder.thresholds.back().cgroup, cgroup.pids_id());
  EXPECT_EQ(recorder.thresholds.back().value, 21U);
  EXPECT_EQ(recorder.thresholds.back().origin, probe::Origin::kFork);
  EXPECT_EQ(cgroup.tasks(), 21U);
  ASSERT_TRUE(child.run(Work::kEndForks));
  // No fork tells of tasks that end: only the timer does, which kernels before 6.1 have not.
  if (!probe->ladder().chosen(probe::Purpose::kSweepTimer).empty()) {
    ASSERT_TRUE(recorder.wait_for(1, Direction::kDown));
    EXPECT_LE(recorder.thresholds.back().value, 20U);
  }
  child.kill_and_reap();
}

TEST(TasksCrossing, IsSeenAtTheForkThatCrosses) {
  expect_crossing_by_fork({});
}

TEST(TasksCrossing, IsSeenThroughTheRawTracepointToo) {
  expect_crossing_by_fork({.pins = {{probe::Purpose::kTaskFork, "raw_tp"}}});
}

TEST(TasksCrossing, OfTheNodeIsSeen) {
  const std::unique_ptr<probe::Probe> probe = load_probe();
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  ASSERT_TRUE(probe->refresh());
  const auto now = static_cast<std::uint64_t>(probe->node().tasks);
  // Others start and end processes meanwhile: far enough away for theirs not to count.
  const std::vector<WatchedThreshold> thresholds = {
      {.id = 1, .signal = Signal::kNodeTasks, .value = now + 250}};
  ASSERT_TRUE(probe->set_thresholds(thresholds));
  ASSERT_TRUE(child.run(Work::kFork, 500));
  ASSERT_TRUE(recorder.wait_for(1, Direction::kUp));
  const probe::ThresholdCrossed crossing = recorder.first(1, Direction::kUp);
  EXPECT_EQ(crossing.cgroup, CgroupId{});
  EXPECT_GT(crossing.value, now + 250);
  child.kill_and_reap();
}

}  // namespace
}  // namespace evictd::test
