// SPDX-License-Identifier: Apache-2.0
// Pods that come and go: no row and no event may ever be about a cgroup whose memory another one
// has.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::Direction;
using probe::Signal;

constexpr std::uint32_t kManyPods = 200;

std::vector<TestCgroup> make_pods(const TestCgroup& root, const std::string& name) {
  std::vector<TestCgroup> pods;
  pods.reserve(kManyPods);
  for (std::uint32_t i = 0; i < kManyPods; ++i) {
    pods.push_back(root.create_child(name + std::to_string(i)));
  }
  return pods;
}

std::vector<probe::WatchedThreshold> thresholds_of(const std::vector<TestCgroup>& pods) {
  std::vector<probe::WatchedThreshold> thresholds;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    thresholds.push_back({.id = i,
                          .signal = Signal::kCgroupUsage,
                          .cgroup = pods[i].memory_id(),
                          .cgroup_fd = pods[i].memory_fd(),
                          .value = 8 * kMiB});
  }
  return thresholds;
}

TEST(Churn, TwoHundredPodsInABurstAreAllReportedAndForgottenAgain) {
  const std::unique_ptr<probe::Probe> probe = load_probe();
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup root = TestCgroup::create();
  const std::array roots = {root.memory_id()};
  ASSERT_TRUE(probe->set_roots(roots));
  const auto count = [&](probe::CgroupChange change) {
    return std::count_if(recorder.changes.begin(), recorder.changes.end(),
                         [&](const KeptChange& c) { return c.event.change == change; });
  };
  {
    std::vector<TestCgroup> pods = make_pods(root, "pod-");
    for (std::uint32_t slot = 0; slot < kManyPods; ++slot) {
      ASSERT_TRUE(probe->watch(slot, pods[slot].pod()));
    }
    ASSERT_TRUE(
        recorder.wait_until([&] { return count(probe::CgroupChange::kCreated) >= kManyPods; }));
  }
  ASSERT_TRUE(
      recorder.wait_until([&] { return count(probe::CgroupChange::kRemoved) >= kManyPods; }));
  ASSERT_TRUE(probe->refresh());
  for (std::uint32_t slot = 0; slot < kManyPods; ++slot) {
    EXPECT_FALSE(probe->row(slot).has_memory()) << "slot " << slot;
  }
  EXPECT_EQ(recorder.drain().newly_dropped, 0U);
  EXPECT_EQ(probe->counters().stale_rows, 0U) << "found by the id check instead of by rmdir";
}

TEST(Churn, CrossingsAreThoseOfThePodsThatAreThereNow) {
  const std::unique_ptr<probe::Probe> probe = load_probe();
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup root = TestCgroup::create();
  {
    // The memory of their counters is what later pods are made of.
    std::vector<TestCgroup> gone = make_pods(root, "gone-");
    ASSERT_TRUE(probe->set_thresholds(thresholds_of(gone)));
  }
  const std::vector<TestCgroup> pods = make_pods(root, "pod-");
  TestChild unwatched(pods.back());
  ASSERT_TRUE(unwatched.run(Work::kTouch4K, 16 * kMiB));
  recorder.drain();
  EXPECT_TRUE(recorder.thresholds.empty()) << "a cgroup that is gone has crossed";
  ASSERT_TRUE(probe->set_thresholds(thresholds_of(pods)));
  TestChild child(pods.front());
  ASSERT_TRUE(child.run(Work::kTouch4K, 16 * kMiB));
  ASSERT_TRUE(recorder.wait_until([&] { return recorder.count(0, Direction::kUp) != 0; }));
  for (const probe::ThresholdCrossed& event : recorder.thresholds) {
    EXPECT_TRUE(event.cgroup == pods.front().memory_id() ||
                event.cgroup == pods.back().memory_id());
  }
}

TEST(Churn, WithoutTheHookOfRmdirNoRowShowsAnotherPod) {
  const std::unique_ptr<probe::Probe> probe =
      load_probe({.pins = {{probe::Purpose::kCgroups, "none"}}});
  ASSERT_NE(probe, nullptr);
  const TestCgroup root = TestCgroup::create();
  {
    std::vector<TestCgroup> gone = make_pods(root, "gone-");
    for (std::uint32_t slot = 0; slot < kManyPods; ++slot) {
      ASSERT_TRUE(probe->watch(slot, gone[slot].pod()));
    }
  }
  const std::vector<TestCgroup> pods = make_pods(root, "pod-");
  TestChild child(pods.front());
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMiB));
  for (std::uint32_t slot = 0; slot < kManyPods; ++slot) {
    ASSERT_TRUE(probe->refresh());
    const CgroupUsage row = probe->row(slot);
    EXPECT_FALSE(row.has_memory() && row.usage.value >= 32 * static_cast<std::int64_t>(kMiB))
        << "slot " << slot << " shows a pod that was made later";
  }
}

}  // namespace
}  // namespace evictd::test
