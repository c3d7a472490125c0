// SPDX-License-Identifier: Apache-2.0
// What only cgroup v2 has: memory.high, memory.events, pressure of a cgroup, charges that stay
// behind.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::Direction;
using probe::Signal;
using std::chrono::microseconds;

class Unified : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_are_unified()) {
      GTEST_SKIP() << "the memory and pids controllers are not those of cgroup v2 here";
    }
    probe_ = load_probe();
    ASSERT_NE(probe_, nullptr);
    recorder_.emplace(*probe_);
  }

  CgroupUsage refreshed(std::uint32_t slot) {
    EXPECT_TRUE(probe_->refresh());
    return probe_->row(slot);
  }

  std::unique_ptr<probe::Probe> probe_;
  std::optional<Recorder> recorder_;
};

/// "some" of a pressure file, total.
microseconds some_total(const std::string& text) {
  const std::size_t at = text.find("total=");
  return microseconds{at == std::string::npos ? 0 : std::stoll(text.substr(at + 6))};
}

/// What a cgroup lost to memory, by the kernel and by ours.
struct StallTimes {
  microseconds kernel{0};
  microseconds ours{0};

  [[nodiscard]] bool differ() const {
    return std::abs((ours - kernel).count()) > kernel.count() / 100;
  }
};

class UnifiedStall : public Unified {
 protected:
  /// Of a child that the kernel holds back for a while, because nothing of it can be reclaimed.
  void hold_a_child_back(std::uint32_t slot, StallTimes& times) {
    const TestCgroup cgroup = TestCgroup::create();
    cgroup.write("memory.high", std::to_string(24 * kMiB));
    TestChild child(cgroup);
    // Of a task that changes its CPU the kernel counts less than it waited (psi_group weighs the
    // CPUs).
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    ASSERT_EQ(::sched_setaffinity(child.pid(), sizeof(first), &first), 0);
    ASSERT_TRUE(probe_->watch(slot, cgroup.pod()));
    ASSERT_TRUE(child.run(Work::kTouch4K, 26 * kMiB));
    times.kernel = some_total(cgroup.read("memory.pressure"));
    times.ours = std::chrono::duration_cast<microseconds>(refreshed(slot).stall);
    EXPECT_GT(stat_value(cgroup.read("memory.events"), "high"), 0U);
  }
};

TEST_F(UnifiedStall, OfACgroupAboveItsHighMarkIsWhatItsPressureFileSays) {
  StallTimes times;
  ASSERT_NO_FATAL_FAILURE(hold_a_child_back(5, times));
  // An emulated CPU may lose that of its host for some ms between the kernel's stamp and ours.
  for (std::uint32_t slot = 6; times.differ() && slot < 9; ++slot) {
    ASSERT_NO_FATAL_FAILURE(hold_a_child_back(slot, times));
  }
  EXPECT_FALSE(times.differ()) << "ours " << times.ours.count() << " us, the kernel's "
                               << times.kernel.count() << " us";
  EXPECT_GT(times.kernel, microseconds{100'000}) << "held back for too short a time to compare";
}

TEST_F(Unified, OomKillsAreAsManyAsTheKernelCounts) {
  const TestCgroup pod = TestCgroup::create();
  pod.set_memory_limit(24 * kMiB);
  ASSERT_TRUE(probe_->watch(3, pod.pod()));
  for (int kill = 0; kill < 3; ++kill) {
    TestChild child(pod);
    EXPECT_FALSE(child.run(Work::kTouch4K, 64 * kMiB)) << "the child survived its limit";
  }
  const std::uint64_t counted = stat_value(pod.read("memory.events"), "oom_kill");
  EXPECT_EQ(counted, 3U);
  const auto ours = [&] {
    return std::count_if(
        recorder_->oom_kills.begin(), recorder_->oom_kills.end(),
        [&](const probe::OomKill& kill) { return kill.memory == pod.memory_id(); });
  };
  EXPECT_TRUE(recorder_->wait_until([&] { return ours() >= 3; }));
  EXPECT_EQ(static_cast<std::uint64_t>(ours()), counted);
}

TEST_F(Unified, MovedProcessLeavesOldChargesAndChargesNewCgroup) {
  const TestCgroup before = TestCgroup::create();
  const TestCgroup after = TestCgroup::create();
  TestChild child(before);
  ASSERT_TRUE(probe_->watch(0, before.pod()));
  ASSERT_TRUE(probe_->watch(1, after.pod()));
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = Signal::kCgroupUsage,
                                                            .cgroup = before.memory_id(),
                                                            .cgroup_fd = before.memory_fd(),
                                                            .value = 40 * kMiB},
                                                           {.id = 2,
                                                            .signal = Signal::kCgroupUsage,
                                                            .cgroup = after.memory_id(),
                                                            .cgroup_fd = after.memory_fd(),
                                                            .value = 24 * kMiB}};
  ASSERT_TRUE(probe_->set_thresholds(thresholds));
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMiB));
  after.attach(child.pid());
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMiB));
  ASSERT_TRUE(recorder_->wait_for(2, Direction::kUp));
  EXPECT_EQ(recorder_->thresholds.back().cgroup, after.memory_id());
  EXPECT_EQ(recorder_->count(1, Direction::kUp), 0U);
  EXPECT_GE(refreshed(0).usage.value, 32 * kMiB);
  EXPECT_EQ(refreshed(0).tasks, 0);
  EXPECT_EQ(refreshed(1).tasks, 1);
}

TEST_F(Unified, LostControllersCounterIsIgnoredAndTheNewOneFound) {
  const TestCgroup above = TestCgroup::create();
  const TestCgroup pod = above.create_child("pod");
  TestChild child(pod);
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = Signal::kCgroupUsage,
                                                            .cgroup = pod.memory_id(),
                                                            .cgroup_fd = pod.memory_fd(),
                                                            .value = 24 * kMiB}};
  ASSERT_TRUE(probe_->watch(0, pod.pod()));
  ASSERT_TRUE(probe_->set_thresholds(thresholds));
  ASSERT_TRUE(child.run(Work::kTouch4K, 16 * kMiB));
  ASSERT_GE(refreshed(0).usage.value, 16 * kMiB);
  ASSERT_EQ(refreshed(0).tasks, 1);

  above.write("cgroup.subtree_control", "-memory -pids");
  const CgroupUsage taken = refreshed(0);
  EXPECT_FALSE(taken.has_memory()) << "of a counter that is nobody's: " << taken.usage.value;
  EXPECT_EQ(taken.tasks, -1);
  EXPECT_GE(probe_->counters().dying_rows, 2U);
  EXPECT_EQ(probe_->counters().stale_rows, 0U) << "the cgroup is the same";

  above.write("cgroup.subtree_control", "+memory +pids");
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMiB));
  EXPECT_FALSE(refreshed(0).has_memory()) << "nobody has asked for the new counter yet";
  recorder_->drain();
  EXPECT_EQ(recorder_->count(1, Direction::kUp), 0U);

  ASSERT_TRUE(probe_->watch(0, pod.pod()));
  ASSERT_TRUE(probe_->set_thresholds(thresholds));
  EXPECT_TRUE(recorder_->wait_for(1, Direction::kUp));
  EXPECT_GE(refreshed(0).usage.value, 32 * kMiB);
  EXPECT_EQ(refreshed(0).tasks, 1);
}

TEST_F(Unified, ThresholdIgnoresTheCounterOfALostController) {
  const TestCgroup above = TestCgroup::create();
  const TestCgroup pod = above.create_child("pod");
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = Signal::kCgroupUsage,
                                                            .cgroup = pod.memory_id(),
                                                            .cgroup_fd = pod.memory_fd(),
                                                            .value = 24 * kMiB},
                                                           {.id = 2,
                                                            .signal = Signal::kCgroupTasks,
                                                            .cgroup = pod.pids_id(),
                                                            .cgroup_fd = pod.pids_fd(),
                                                            .value = 100}};
  ASSERT_TRUE(probe_->set_thresholds(thresholds));
  above.write("cgroup.subtree_control", "-memory -pids");
  // Every threshold is looked at, and those of a counter that is believed are reported.
  ASSERT_TRUE(probe_->resync());
  recorder_->drain();
  EXPECT_EQ(recorder_->count(1, Direction::kDown), 0U);
  EXPECT_EQ(recorder_->count(2, Direction::kDown), 0U);
  EXPECT_EQ(probe_->counters().dying_rows, 2U);
}

TEST_F(Unified, AFrozenCgroupIsReadAsBefore) {
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  ASSERT_TRUE(probe_->watch(0, cgroup.pod()));
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMiB));
  cgroup.write("cgroup.freeze", "1");
  EXPECT_GE(refreshed(0).usage.value, 32 * kMiB);
  EXPECT_EQ(refreshed(0).tasks, 1);
  cgroup.write("cgroup.freeze", "0");
  EXPECT_TRUE(child.run(Work::kRelease));
}

}  // namespace
}  // namespace evictd::test
