// SPDX-License-Identifier: Apache-2.0
// What happens far below a watched cgroup counts for it: a container may nest cgroups of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::Direction;
using probe::Purpose;
using probe::Signal;

/// More than user space follows when it scans (32).
constexpr std::size_t kLevels = 40;

/// A pod whose one process is kLevels below it. The lowest cgroup is removed first.
class DeepPod {
 public:
  DeepPod() {
    levels_.push_back(top_.create_child("d"));
    while (levels_.size() < kLevels) {
      levels_.push_back(levels_.back().create_child("d"));
    }
  }
  DeepPod(const DeepPod&) = delete;
  DeepPod& operator=(const DeepPod&) = delete;
  ~DeepPod() {
    while (!levels_.empty()) {
      levels_.pop_back();
    }
  }

  [[nodiscard]] const TestCgroup& top() const { return top_; }
  [[nodiscard]] const TestCgroup& lowest() const { return levels_.back(); }

 private:
  TestCgroup top_ = TestCgroup::create();
  std::vector<TestCgroup> levels_;
};

class DeepTree : public testing::Test {
 protected:
  DeepPod pod_;
  TestChild child_{pod_.lowest()};
};

TEST_F(DeepTree, ItsGrowthIsSeenByTheChargeThatCrosses) {
  // Without the timer, so that nothing else can have seen it.
  const std::unique_ptr<probe::Probe> probe =
      load_probe({.pins = {{Purpose::kSweepTimer, "none"}}});
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = Signal::kCgroupUsage,
                                                            .cgroup = pod_.top().memory_id(),
                                                            .cgroup_fd = pod_.top().memory_fd(),
                                                            .value = 40 * kMiB}};
  ASSERT_TRUE(probe->set_thresholds(thresholds));
  ASSERT_TRUE(child_.run(Work::kTouch4K, 64 * kMiB));
  ASSERT_TRUE(recorder.wait_for(1, Direction::kUp));
  EXPECT_EQ(recorder.thresholds.back().cgroup, pod_.top().memory_id());
  EXPECT_EQ(recorder.thresholds.back().origin, probe::Origin::kCharge);
}

TEST_F(DeepTree, ItsTasksAreSeenByTheForkThatCrosses) {
  const std::unique_ptr<probe::Probe> probe = load_probe();
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = Signal::kCgroupTasks,
                                                            .cgroup = pod_.top().pids_id(),
                                                            .cgroup_fd = pod_.top().pids_fd(),
                                                            .value = 20}};
  ASSERT_TRUE(probe->set_thresholds(thresholds));
  ASSERT_TRUE(child_.run(Work::kFork, 20));
  ASSERT_TRUE(recorder.wait_for(1, Direction::kUp));
  EXPECT_EQ(recorder.thresholds.back().value, 21U);
  EXPECT_EQ(recorder.thresholds.back().origin, probe::Origin::kFork);
}

TEST_F(DeepTree, ItsOomKillNamesThePodAbove) {
  const std::unique_ptr<probe::Probe> probe = load_probe();
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  pod_.top().set_memory_limit(24 * kMiB);
  ASSERT_TRUE(probe->watch(9, pod_.top().pod()));
  const auto victim = static_cast<std::uint32_t>(child_.pid());
  EXPECT_FALSE(child_.run(Work::kTouch4K, 64 * kMiB)) << "the child survived its limit";
  const auto of_ours = [&](const probe::OomKill& kill) { return kill.pid == victim; };
  const std::vector<probe::OomKill>& kills = recorder.oom_kills;
  ASSERT_TRUE(
      recorder.wait_until([&] { return std::any_of(kills.begin(), kills.end(), of_ours); }));
  EXPECT_EQ(std::find_if(kills.begin(), kills.end(), of_ours)->slot, 9U);
}

TEST_F(DeepTree, ItsStallsCountForThePodAbove) {
  const std::unique_ptr<probe::Probe> probe =
      load_probe({.stall_notice = std::chrono::milliseconds{1}});
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  ASSERT_TRUE(child_.run(Work::kWriteFile, 200 * kMiB));
  ASSERT_TRUE(child_.run(Work::kSyncFiles));
  pod_.top().set_memory_limit(24 * kMiB);
  ASSERT_TRUE(probe->watch(5, pod_.top().pod()));
  // Clean page cache beyond the limit has to be reclaimed to go on.
  ASSERT_TRUE(child_.run(Work::kReadTwice));
  ASSERT_TRUE(recorder.wait_until([&] { return !recorder.stalls.empty(); }));
  EXPECT_EQ(recorder.stalls.front().slot, 5U);
}

TEST(DeepCgroup, IsReportedWithItsDepthBelowTheRoot) {
  const std::unique_ptr<probe::Probe> probe = load_probe();
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const DeepPod pod;
  const std::array roots = {pod.top().memory_id()};
  ASSERT_TRUE(probe->set_roots(roots));
  const TestCgroup deeper = pod.lowest().create_child("d");
  const auto is_told = [&](const KeptChange& change) {
    return change.event.cgroup == deeper.memory_id();
  };
  const std::vector<KeptChange>& changes = recorder.changes;
  ASSERT_TRUE(
      recorder.wait_until([&] { return std::any_of(changes.begin(), changes.end(), is_told); }));
  const KeptChange& told = *std::find_if(changes.begin(), changes.end(), is_told);
  EXPECT_EQ(told.event.depth, kLevels + 1);
  EXPECT_EQ(told.event.root_id, pod.top().memory_id().id);
}

}  // namespace
}  // namespace evictd::test
