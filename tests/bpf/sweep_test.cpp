// SPDX-License-Identifier: Apache-2.0
// The timer: that it runs, and that nothing a pod does makes it run without bound.
#include <gtest/gtest.h>

#include <chrono>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::Counters;
using probe::Options;
using probe::Purpose;

/// Ticks that the options allow in `elapsed`, with one interval to spare.
double allowed(const Options& options, Duration elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const double slow = static_cast<double>(elapsed / options.sweep.base_period) + 2.0;
  return slow + options.sweep.fast_tick_burst + 2.0 +
         (seconds + 1.0 / options.sweep.fast_ticks_per_second) *
             options.sweep.fast_ticks_per_second;
}

/// Waits until the timer's own count has moved by `ticks`.
bool wait_for_slow_ticks(const probe::Probe& probe, Recorder& recorder, std::uint64_t ticks) {
  const std::uint64_t before = probe.counters().ticks;
  return recorder.wait_until([&] { return probe.counters().ticks >= before + ticks; });
}

TEST(Sweep, TicksAtItsBasePeriodWhileNothingIsNear) {
  const Options options;
  const std::unique_ptr<probe::Probe> probe = load_probe(options);
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  ASSERT_TRUE(wait_for_slow_ticks(*probe, recorder, 1));
  const Counters first = probe->counters();
  ASSERT_TRUE(wait_for_slow_ticks(*probe, recorder, 5));
  const Counters last = probe->counters();
  const Duration elapsed = last.last_tick - first.last_tick;
  EXPECT_LE(last.ticks - first.ticks,
            static_cast<std::uint64_t>(elapsed / options.sweep.base_period) + 2);
  EXPECT_FALSE(probe->timer_stalled(last.last_tick));
  EXPECT_TRUE(probe->timer_stalled(last.last_tick + 5 * options.sweep.base_period));
}

TEST(Sweep, DoesNotBurnForAPodParkedBelowAThreshold) {
  const Options options;
  const std::unique_ptr<probe::Probe> probe = load_probe(options);
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMiB));
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = probe::Signal::kCgroupUsage,
                                                            .cgroup = cgroup.memory_id(),
                                                            .cgroup_fd = cgroup.memory_fd(),
                                                            .value = cgroup.usage_bytes() + kMiB}};
  ASSERT_TRUE(probe->set_thresholds(thresholds));
  const Counters first = probe->counters();
  ASSERT_TRUE(wait_for_slow_ticks(*probe, recorder, 10));
  const Counters last = probe->counters();
  EXPECT_EQ(last.fast_ticks - first.fast_ticks, 0U) << "nothing moves, nothing kicks";
}

TEST(Sweep, OscillatingPodBelowThresholdStaysWithinTickBudget) {
  const Options options{.sweep = {.fast_tick_burst = 16, .fast_ticks_per_second = 100}};
  const std::unique_ptr<probe::Probe> probe = load_probe(options);
  ASSERT_NE(probe, nullptr);
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  ASSERT_TRUE(child.run(Work::kTouch4K, 6 * kMiB));
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = probe::Signal::kCgroupUsage,
                                                            .cgroup = cgroup.memory_id(),
                                                            .cgroup_fd = cgroup.memory_fd(),
                                                            .value = cgroup.usage_bytes() + kMiB}};
  ASSERT_TRUE(probe->set_thresholds(thresholds));
  const Counters first = probe->counters();
  Counters last = first;
  // Until the hook has been refused some kicks: then the budget is what limits the timer.
  for (int round = 0; round < 20'000 && last.throttled - first.throttled < 100; ++round) {
    ASSERT_TRUE(child.run(Work::kRelease));
    ASSERT_TRUE(child.run(Work::kTouch4K, 6 * kMiB));
    last = probe->counters();
  }
  EXPECT_GT(last.kicks, first.kicks) << "the hook never saw the pod near the threshold";
  EXPECT_GE(last.throttled - first.throttled, 100U);
  EXPECT_LE(static_cast<double>(last.ticks - first.ticks),
            allowed(options, last.last_tick - first.last_tick));
}

TEST(Sweep, KicksDecayWithinTheirWindow) {
  const std::unique_ptr<probe::Probe> probe = load_probe();
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = probe::Signal::kCgroupUsage,
                                                            .cgroup = cgroup.memory_id(),
                                                            .cgroup_fd = cgroup.memory_fd(),
                                                            .value = 34 * kMiB}};
  ASSERT_TRUE(probe->set_thresholds(thresholds));
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMiB));
  // Two slow ticks from now every kick is older than the window.
  ASSERT_TRUE(wait_for_slow_ticks(*probe, recorder, probe->counters().fast_ticks + 2));
  const Counters first = probe->counters();
  ASSERT_TRUE(wait_for_slow_ticks(*probe, recorder, 5));
  EXPECT_EQ(probe->counters().fast_ticks, first.fast_ticks);
}

TEST(Sweep, CanBeDoneWithout) {
  const std::unique_ptr<probe::Probe> probe =
      load_probe({.pins = {{Purpose::kSweepTimer, "none"}}});
  ASSERT_NE(probe, nullptr);
  Recorder recorder(*probe);
  const TestCgroup cgroup = TestCgroup::create();
  TestChild child(cgroup);
  const std::vector<probe::WatchedThreshold> thresholds = {{.id = 1,
                                                            .signal = probe::Signal::kCgroupUsage,
                                                            .cgroup = cgroup.memory_id(),
                                                            .cgroup_fd = cgroup.memory_fd(),
                                                            .value = 40 * kMiB}};
  ASSERT_TRUE(probe->set_thresholds(thresholds));
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMiB));
  EXPECT_TRUE(recorder.wait_for(1, probe::Direction::kUp));
  EXPECT_EQ(probe->counters().ticks, 0U);
  EXPECT_FALSE(probe->timer_stalled(MonoTime::max()));
}

}  // namespace
}  // namespace evictd::test
