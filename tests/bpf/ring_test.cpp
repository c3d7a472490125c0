// SPDX-License-Identifier: Apache-2.0
// What happens when the ring is full, and when events are thrown away on purpose.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::Counters;
using probe::EventKind;

std::uint64_t of(const std::array<std::uint64_t, probe::kEventKinds>& counts, EventKind kind) {
  return counts.at(static_cast<std::size_t>(kind));
}

/// Makes `count` cgroups below `root` come and go: two records each, at least.
void burst(const TestCgroup& root, int count) {
  for (int i = 0; i < count; ++i) {
    TestCgroup pod = root.create_child("pod-" + std::to_string(i));
    pod.remove();
  }
}

TEST(Ring, CountsWhatItCouldNotTakeByKind) {
  const std::unique_ptr<probe::Probe> probe = load_probe({.ring_bytes = 4096});
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup root = TestCgroup::create();
  const std::array roots = {root.memory_id()};
  ASSERT_TRUE(probe->set_roots(roots));
  burst(root, 40);
  const probe::Drained drained = recorder.drain();
  const Counters counters = probe->counters();
  EXPECT_GT(of(counters.dropped, EventKind::kCgroup), 0U);
  EXPECT_EQ(drained.newly_dropped, counters.dropped_total());
  EXPECT_EQ(of(counters.dropped, EventKind::kThreshold), 0U);
  EXPECT_EQ(recorder.drain().newly_dropped, 0U) << "reported once";
}

TEST(Ring, EmitsWhatIsDeliveredOrDropped) {
  const std::unique_ptr<probe::Probe> probe = load_probe({.ring_bytes = 4096});
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup root = TestCgroup::create();
  const std::array roots = {root.memory_id()};
  ASSERT_TRUE(probe->set_roots(roots));
  for (int round = 0; round < 10; ++round) {
    burst(root, 3 + round);
    recorder.drain();
  }
  ASSERT_TRUE(probe->set_roots({}));
  while (recorder.drain().delivered != 0) {
  }
  const Counters counters = probe->counters();
  for (std::size_t kind = 0; kind < probe::kEventKinds; ++kind) {
    EXPECT_EQ(counters.emitted.at(kind), counters.delivered.at(kind) + counters.dropped.at(kind))
        << "kind " << kind;
  }
  EXPECT_GT(of(counters.delivered, EventKind::kCgroup), 0U);
  EXPECT_EQ(counters.malformed, 0U);
}

TEST(Ring, LossIsMadeUpForByResync) {
  const std::unique_ptr<probe::Probe> probe = load_probe({.ring_bytes = 4096});
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup root = TestCgroup::create();
  const TestCgroup grows = TestCgroup::create();
  const std::array roots = {root.memory_id()};
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = probe::Signal::kCgroupUsage,
                                                            .cgroup = grows.memory_id(),
                                                            .cgroup_fd = grows.memory_fd(),
                                                            .value = 32U << 20}};
  ASSERT_TRUE(probe->set_thresholds(thresholds));
  ASSERT_TRUE(probe->set_roots(roots));
  TestChild child(grows);
  burst(root, 40);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64U << 20));
  EXPECT_GT(recorder.drain().newly_dropped, 0U);
  ASSERT_TRUE(probe->resync());
  ASSERT_TRUE(recorder.wait_until([&] { return recorder.count(1, probe::Direction::kUp) != 0; }));
  child.kill_and_reap();
}

TEST(Ring, CanBeToldToLoseEverything) {
  const std::unique_ptr<probe::Probe> probe = load_probe({.drop_all_events = true});
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup root = TestCgroup::create();
  const std::array roots = {root.memory_id()};
  ASSERT_TRUE(probe->set_roots(roots));
  burst(root, 5);
  const probe::Drained drained = recorder.drain();
  EXPECT_EQ(drained.delivered, 0U);
  EXPECT_EQ(drained.newly_dropped, 0U);
  EXPECT_TRUE(recorder.changes.empty());
  ASSERT_TRUE(probe->set_roots({}));
  recorder.drain();
  const Counters counters = probe->counters();
  EXPECT_GT(of(counters.emitted, EventKind::kCgroup), 0U);
  EXPECT_EQ(of(counters.dropped, EventKind::kCgroup), of(counters.emitted, EventKind::kCgroup));
  EXPECT_EQ(of(counters.delivered, EventKind::kCgroup), 0U);
}

}  // namespace
}  // namespace evictd::test
