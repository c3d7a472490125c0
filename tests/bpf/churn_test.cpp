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
constexpr std::int64_t kThreshold = 2 * kMiB;
constexpr std::int64_t kGrowth = 4 * kMiB;
/// Of pods that come and go before some memory of one that went belongs to another: one or two.
constexpr int kMostRounds = 30;

std::vector<TestCgroup> make_pods(const TestCgroup& root, const std::string& name,
                                  std::uint32_t count = kManyPods) {
  std::vector<TestCgroup> pods;
  pods.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    pods.push_back(root.create_child(name + std::to_string(i)));
  }
  return pods;
}

/// Each of them, one after the other, past kThreshold and back.
void grow_in_each(const std::vector<TestCgroup>& pods) {
  TestChild child(pods.front());
  for (const TestCgroup& pod : pods) {
    pod.attach(child.pid());
    ASSERT_TRUE(child.run(Work::kTouch4K, kGrowth));
    ASSERT_TRUE(child.run(Work::kRelease));
  }
}

std::vector<probe::WatchedThreshold> thresholds_of(const std::vector<TestCgroup>& pods) {
  std::vector<probe::WatchedThreshold> thresholds;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    thresholds.push_back({.id = i,
                          .signal = Signal::kCgroupUsage,
                          .cgroup = pods[i].memory_id(),
                          .cgroup_fd = pods[i].memory_fd(),
                          .value = kThreshold});
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
  grow_in_each(pods);
  // Every threshold whose counter is believed is reported, wherever that is.
  ASSERT_TRUE(probe->resync());
  recorder.drain();
  EXPECT_TRUE(recorder.thresholds.empty()) << "a cgroup that is gone has crossed";

  ASSERT_TRUE(probe->set_thresholds(thresholds_of(pods)));
  TestChild child(pods.front());
  for (std::size_t i = 0; i < pods.size(); i += 16) {
    pods[i].attach(child.pid());
    ASSERT_TRUE(child.run(Work::kTouch4K, kGrowth));
    ASSERT_TRUE(recorder.wait_until([&] { return recorder.count(i, Direction::kUp) != 0; }));
  }
  for (const probe::ThresholdCrossed& event : recorder.thresholds) {
    EXPECT_EQ(event.cgroup, pods[event.threshold_id].memory_id());
    EXPECT_EQ(event.threshold_id % 16, 0U) << "of a pod that did not grow";
  }
}

/// One that notices by the identity of a counter alone that its cgroup is gone, and not before it
/// is looked at: the memory of the counter may belong to another one by then.
std::unique_ptr<probe::Probe> load_without_rmdir_and_timer() {
  return load_probe(
      {.pins = {{probe::Purpose::kCgroups, "none"}, {probe::Purpose::kSweepTimer, "none"}}});
}

TEST(Churn, WithoutRmdirHookNewPodsInheritNoRowOrThreshold) {
  const std::unique_ptr<probe::Probe> probe = load_without_rmdir_and_timer();
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup root = TestCgroup::create();
  for (int round = 0; round < kMostRounds && probe->counters().stale_rows == 0; ++round) {
    const std::string number = "-" + std::to_string(round) + "-";
    {
      const std::vector<TestCgroup> gone = make_pods(root, "gone" + number);
      for (std::uint32_t slot = 0; slot < kManyPods; ++slot) {
        ASSERT_TRUE(probe->watch(slot, gone[slot].pod()));
      }
      ASSERT_TRUE(probe->set_thresholds(thresholds_of(gone)));
      recorder.drain();
      recorder.thresholds.clear();
    }
    // The kernel frees their memory after a while, some of it for the second half.
    const std::vector<TestCgroup> first = make_pods(root, "first" + number, kManyPods / 2);
    grow_in_each(first);
    const std::vector<TestCgroup> second = make_pods(root, "second" + number, kManyPods / 2);
    grow_in_each(second);

    ASSERT_TRUE(probe->refresh());
    for (std::uint32_t slot = 0; slot < kManyPods; ++slot) {
      EXPECT_FALSE(probe->row(slot).has_memory())
          << "slot " << slot << " shows a pod that was made later";
    }
    ASSERT_TRUE(probe->resync());
    recorder.drain();
    EXPECT_TRUE(recorder.thresholds.empty()) << "a cgroup that is gone has crossed";
  }
  EXPECT_GT(probe->counters().stale_rows, 0U)
      << "no memory of a counter was used again in " << kMostRounds << " rounds";
}

}  // namespace
}  // namespace evictd::test
