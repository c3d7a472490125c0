// SPDX-License-Identifier: Apache-2.0
// The programs for kernels before 6.1 (lib/repeat.bpf.h), on whatever kernel is at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::Direction;
using probe::Origin;
using probe::Purpose;
using probe::Signal;

class BoundedPrograms : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(probe_, nullptr); }

  std::unique_ptr<probe::Probe> probe_ = load_probe({.bounded_programs = true});
  TestCgroup cgroup_ = TestCgroup::create();
};

TEST_F(BoundedPrograms, ServeEveryPurposeButTheTimer) {
  for (const probe::PurposeReport& report : probe_->ladder().purposes) {
    if (!report.disabled) {
      EXPECT_EQ(report.chosen().empty(), report.purpose == Purpose::kSweepTimer)
          << to_string(report.purpose);
    }
  }
}

TEST_F(BoundedPrograms, PushTheCrossingOfACharge) {
  Recorder recorder(*probe_);
  TestChild child(cgroup_);
  const std::array thresholds = {probe::WatchedThreshold{.id = 1,
                                                         .signal = Signal::kCgroupUsage,
                                                         .cgroup = cgroup_.memory_id(),
                                                         .cgroup_fd = cgroup_.memory_fd(),
                                                         .value = 40 * kMiB}};
  ASSERT_TRUE(probe_->set_thresholds(thresholds));
  ASSERT_TRUE(child.run(Work::kTouch4K, 24 * kMiB));
  recorder.drain();
  EXPECT_TRUE(recorder.thresholds.empty());
  ASSERT_TRUE(child.run(Work::kTouch4K, 40 * kMiB));
  ASSERT_TRUE(recorder.wait_for(1, Direction::kUp));
  EXPECT_EQ(recorder.thresholds.back().cgroup, cgroup_.memory_id());
  EXPECT_EQ(recorder.thresholds.back().origin, Origin::kCharge);
}

TEST_F(BoundedPrograms, PushTheCrossingOfAFork) {
  Recorder recorder(*probe_);
  TestChild child(cgroup_);
  const std::array thresholds = {probe::WatchedThreshold{.id = 1,
                                                         .signal = Signal::kCgroupTasks,
                                                         .cgroup = cgroup_.pids_id(),
                                                         .cgroup_fd = cgroup_.pids_fd(),
                                                         .value = 20}};
  ASSERT_TRUE(probe_->set_thresholds(thresholds));
  ASSERT_TRUE(child.run(Work::kFork, 20));
  ASSERT_TRUE(recorder.wait_for(1, Direction::kUp));
  EXPECT_EQ(recorder.thresholds.back().value, 21U);
  EXPECT_EQ(recorder.thresholds.back().origin, Origin::kFork);
  child.kill_and_reap();
}

TEST_F(BoundedPrograms, TellOfANewCgroup) {
  Recorder recorder(*probe_);
  const std::array roots = {cgroup_.memory_id()};
  ASSERT_TRUE(probe_->set_roots(roots));
  const TestCgroup pod = cgroup_.create_child("pod-a");
  ASSERT_TRUE(recorder.wait_until([&] {
    return std::ranges::any_of(recorder.changes, [&](const KeptChange& change) {
      return change.event.cgroup == pod.memory_id();
    });
  }));
  EXPECT_EQ(recorder.changes.front().path, pod.path());
}

TEST_F(BoundedPrograms, ReadRowsAndTheNode) {
  TestChild child(cgroup_);
  ASSERT_TRUE(probe_->watch(3, cgroup_.pod()));
  ASSERT_TRUE(child.run(Work::kTouch4K, 40 * kMiB));
  ASSERT_TRUE(probe_->refresh());
  const CgroupUsage row = probe_->row(3);
  EXPECT_EQ(row.usage.value, static_cast<std::int64_t>(cgroup_.usage_bytes()));
  EXPECT_EQ(row.tasks, static_cast<std::int64_t>(cgroup_.tasks()));
  EXPECT_GT(probe_->node().tasks, 0);
}

}  // namespace
}  // namespace evictd::test
