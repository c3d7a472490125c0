// SPDX-License-Identifier: Apache-2.0
// Crossings of a memory cgroup by every kind of growth.
#include <gtest/gtest.h>

#include "evictd/bytes.h"
#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::Direction;
using probe::Signal;
using probe::WatchedThreshold;

class MemoryCrossing : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(probe_, nullptr); }

  void watch(std::vector<WatchedThreshold> thresholds) {
    for (WatchedThreshold& threshold : thresholds) {
      threshold.cgroup = cgroup_.memory_id();
      threshold.cgroup_fd = cgroup_.memory_fd();
    }
    const Result<std::vector<std::uint64_t>> gone = probe_->set_thresholds(thresholds);
    ASSERT_TRUE(gone) << gone.error().message();
    EXPECT_TRUE(gone->empty());
  }

  void expect_crossing_by(Work work, Signal signal) {
    watch({{.id = 1, .signal = signal, .value = 40 * kMiB}});
    ASSERT_TRUE(child_.run(work, 24 * kMiB));
    recorder_.drain();
    EXPECT_EQ(recorder_.count(1, Direction::kUp), 0U);
    ASSERT_TRUE(child_.run(work, 40 * kMiB));
    ASSERT_TRUE(recorder_.wait_for(1, Direction::kUp));
    const probe::ThresholdCrossed& event = recorder_.thresholds.back();
    EXPECT_EQ(event.cgroup, cgroup_.memory_id());
    EXPECT_EQ(event.signal, signal);
    EXPECT_EQ(event.threshold_value, 40 * kMiB);
    EXPECT_GT(event.value, 40 * kMiB);
    EXPECT_LE(event.value, cgroup_.usage_bytes() + kStock);
  }

  std::unique_ptr<probe::Probe> probe_ = load_probe();
  Recorder recorder_{*probe_};
  TestCgroup cgroup_ = TestCgroup::create();
  TestChild child_{cgroup_};
};

TEST_F(MemoryCrossing, IsSeenForSmallPages) {
  expect_crossing_by(Work::kTouch4K, Signal::kCgroupUsage);
}

TEST_F(MemoryCrossing, IsSeenForHugePages) {
  expect_crossing_by(Work::kTouchHuge, Signal::kCgroupUsage);
}

TEST_F(MemoryCrossing, IsSeenForSharedMemory) {
  expect_crossing_by(Work::kTouchShared, Signal::kCgroupUsage);
}

TEST_F(MemoryCrossing, IsSeenForPageCache) {
  expect_crossing_by(Work::kWriteFile, Signal::kCgroupUsage);
}

TEST_F(MemoryCrossing, IsSeenInTheWorkingSet) {
  expect_crossing_by(Work::kTouch4K, Signal::kCgroupWorkingSet);
}

TEST_F(MemoryCrossing, OfAParentIsSeenWhenItsChildGrows) {
  // A cgroup of v2 has processes or children with controllers, not both.
  child_.kill_and_reap();
  watch({{.id = 1, .signal = Signal::kCgroupWorkingSet, .value = 40 * kMiB}});
  const TestCgroup child_cgroup = cgroup_.create_child("pod");
  TestChild grandchild(child_cgroup);
  ASSERT_TRUE(grandchild.run(Work::kTouch4K, 64 * kMiB));
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kUp));
  EXPECT_EQ(recorder_.thresholds.back().cgroup, cgroup_.memory_id());
  grandchild.kill_and_reap();
}

TEST_F(MemoryCrossing, OfAnotherCgroupIsNotReported) {
  watch({{.id = 1, .signal = Signal::kCgroupUsage, .value = 40 * kMiB}});
  const TestCgroup other = TestCgroup::create();
  TestChild other_child(other);
  ASSERT_TRUE(other_child.run(Work::kTouch4K, 80 * kMiB));
  ASSERT_TRUE(child_.run(Work::kTouch4K, 48 * kMiB));
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kUp));
  EXPECT_EQ(recorder_.thresholds.size(), 1U);
  EXPECT_EQ(recorder_.thresholds.front().cgroup, cgroup_.memory_id());
  other_child.kill_and_reap();
}

TEST_F(MemoryCrossing, IsReportedDownWhenMemoryIsFreed) {
  watch({{.id = 1, .signal = Signal::kCgroupUsage, .value = 40 * kMiB}});
  ASSERT_TRUE(child_.run(Work::kTouch4K, 64 * kMiB));
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kUp));
  ASSERT_TRUE(child_.run(Work::kRelease));
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kDown));
  EXPECT_LE(recorder_.thresholds.back().value, 40 * kMiB);
}

TEST_F(MemoryCrossing, HappensOncePerDirection) {
  watch({{.id = 1, .signal = Signal::kCgroupUsage, .value = 40 * kMiB}});
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(child_.run(Work::kTouch4K, 32 * kMiB));
  }
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kUp));
  ASSERT_TRUE(child_.run(Work::kRelease));
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kDown));
  EXPECT_EQ(recorder_.thresholds.size(), 2U);
}

TEST_F(MemoryCrossing, IsHeldByHysteresis) {
  watch({{.id = 1, .signal = Signal::kCgroupUsage, .value = 80 * kMiB, .hysteresis = 64 * kMiB},
         {.id = 2, .signal = Signal::kCgroupUsage, .value = 80 * kMiB, .hysteresis = 0}});
  TestChild second(cgroup_);
  ASSERT_TRUE(child_.run(Work::kTouch4K, 48 * kMiB));
  ASSERT_TRUE(second.run(Work::kTouch4K, 48 * kMiB));
  ASSERT_TRUE(recorder_.wait_until([&] {
    return recorder_.count(1, Direction::kUp) == 1 && recorder_.count(2, Direction::kUp) == 1;
  }));
  ASSERT_TRUE(second.run(Work::kRelease));
  ASSERT_TRUE(recorder_.wait_for(2, Direction::kDown));
  EXPECT_EQ(recorder_.count(1, Direction::kDown), 0U);
  ASSERT_TRUE(child_.run(Work::kRelease));
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kDown));
  EXPECT_LE(recorder_.thresholds.back().value, 16 * kMiB);
  second.kill_and_reap();
}

TEST_F(MemoryCrossing, OfSeveralThresholdsComesInOrder) {
  watch({{.id = 3, .signal = Signal::kCgroupUsage, .value = 96 * kMiB},
         {.id = 1, .signal = Signal::kCgroupUsage, .value = 32 * kMiB},
         {.id = 2, .signal = Signal::kCgroupWorkingSet, .value = 64 * kMiB}});
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(child_.run(Work::kTouch4K, 32 * kMiB));
  }
  ASSERT_TRUE(recorder_.wait_until([&] { return recorder_.thresholds.size() == 3; }));
  EXPECT_EQ(recorder_.thresholds[0].threshold_id, 1U);
  EXPECT_EQ(recorder_.thresholds[1].threshold_id, 2U);
  EXPECT_EQ(recorder_.thresholds[2].threshold_id, 3U);
}

TEST_F(MemoryCrossing, ExceededThresholdIsReportedAtOnceAndOnlyOnce) {
  ASSERT_TRUE(child_.run(Work::kTouch4K, 64 * kMiB));
  watch({{.id = 1, .signal = Signal::kCgroupUsage, .value = 32 * kMiB}});
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kUp));
  watch({{.id = 1, .signal = Signal::kCgroupUsage, .value = 32 * kMiB},
         {.id = 2, .signal = Signal::kCgroupUsage, .value = 33 * kMiB}});
  ASSERT_TRUE(recorder_.wait_for(2, Direction::kUp));
  EXPECT_EQ(recorder_.count(1, Direction::kUp), 1U);
}

TEST_F(MemoryCrossing, LevelsAreReportedAgainByResync) {
  ASSERT_TRUE(child_.run(Work::kTouch4K, 64 * kMiB));
  watch({{.id = 1, .signal = Signal::kCgroupUsage, .value = 32 * kMiB},
         {.id = 2, .signal = Signal::kCgroupUsage, .value = 500 * kMiB}});
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kUp));
  ASSERT_TRUE(probe_->resync());
  ASSERT_TRUE(recorder_.wait_for(1, Direction::kUp));
  EXPECT_EQ(recorder_.thresholds[1].origin, probe::Origin::kResync);
  EXPECT_EQ(recorder_.count(2, Direction::kDown), 1U);
}

TEST_F(MemoryCrossing, IsSeenByTheTimerAloneWhenNoHookIsWanted) {
  probe_ = load_probe({.pins = {{probe::Purpose::kMemoryCharge, "none"}}});
  ASSERT_NE(probe_, nullptr);
  Recorder recorder(*probe_);
  watch({{.id = 1, .signal = Signal::kCgroupUsage, .value = 40 * kMiB}});
  ASSERT_TRUE(child_.run(Work::kTouch4K, 64 * kMiB));
  ASSERT_TRUE(recorder.wait_for(1, Direction::kUp));
  EXPECT_EQ(recorder.thresholds.back().origin, probe::Origin::kTick);
}

TEST_F(MemoryCrossing, OfARemovedCgroupCannotBeWatched) {
  TestCgroup gone = TestCgroup::create();
  const int kept = ::dup(gone.memory_fd());
  const CgroupId id = gone.memory_id();
  gone.remove();
  const std::vector<WatchedThreshold> thresholds = {
      {.id = 7, .signal = Signal::kCgroupUsage, .cgroup = id, .cgroup_fd = kept, .value = kMiB}};
  const Result<std::vector<std::uint64_t>> answer = probe_->set_thresholds(thresholds);
  ::close(kept);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(*answer, std::vector<std::uint64_t>{7});
}

}  // namespace
}  // namespace evictd::test
