// SPDX-License-Identifier: Apache-2.0
// A kernel side whose timer stands still, from the look at its last tick to what the hot thread
// does about it.
#include "daemon/health/timer_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "driven_hot_loop.h"
#include "probe/timer_age.h"
#include "unit/engine/moments.h"

namespace evictd::daemon {
namespace {

constexpr Duration kTickPeriod = std::chrono::milliseconds(100);

bool stands_still_after(int periods) {
  return probe::stands_still(kNow, kTickPeriod, kNow + periods * kTickPeriod);
}

TEST(TimerWatch, StallAndRecoveryAreReportedOnceEach) {
  TimerWatch watch;
  EXPECT_FALSE(watch.take(stands_still_after(4))) << "it may just be late";
  const std::optional<SetPolling> stalled = watch.take(stands_still_after(5));
  ASSERT_TRUE(stalled);
  EXPECT_TRUE(stalled->polling);
  EXPECT_TRUE(watch.stalled());
  EXPECT_FALSE(watch.take(stands_still_after(6))) << "it is told of already";
  const std::optional<SetPolling> back = watch.take(stands_still_after(0));
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->polling);
  EXPECT_FALSE(watch.stalled());
}

class HotLoopBesideAKernelSide : public DrivenHotLoop {
 protected:
  HotLoopBesideAKernelSide()
      : DrivenHotLoop(hard("100Mi"), PodEvents::kTold, Besides::kKernelSide) {
    table_.of_node.usage = 100_MiB;
    table_.of_node.inactive_file = Bytes{0};
    table_.of_node.source = UsageSource::kBpfTable;
  }

  /// The timer has run so many periods ago: what housekeeping does about that.
  void look(int periods) {
    if (const std::optional<SetPolling> told = watch_.take(stands_still_after(periods))) {
      send(*told);
    }
  }
  /// Two answers in a row: whatever was due before the first one has been done by the second.
  void wait_for_what_is_due() {
    for (int i = 0; i < 2; ++i) {
      send(PlacePod{.slot = 1, .pod = nullptr});
      ASSERT_TRUE(next<RetirePod>());
    }
  }
  [[nodiscard]] std::uint64_t regular_passes() const {
    return counters_.passes[static_cast<std::size_t>(PassTrigger::kRegular)].load();
  }

  TimerWatch watch_;
};

TEST_F(HotLoopBesideAKernelSide, StalledTimerMakesItPollSoonerNearTheThreshold) {
  start();
  ASSERT_TRUE(next<PassDone>());
  look(5);
  const auto first = next<PassDone>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->trigger, PassTrigger::kRegular);
  EXPECT_TRUE(counters_.polling.load());

  // 800 MiB are left: 1.6 s at 256 MiB a second, though pollInterval is 10 s.
  clock_.advance(std::chrono::seconds(2));
  wait_for_what_is_due();

  EXPECT_EQ(regular_passes(), 2U);
}

TEST_F(HotLoopBesideAKernelSide, LeavesItToTheTimerAgainOnceItRuns) {
  start();
  ASSERT_TRUE(next<PassDone>());
  look(5);
  ASSERT_TRUE(next<PassDone>());
  look(0);
  const auto first = next<PassDone>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->trigger, PassTrigger::kRegular);
  EXPECT_FALSE(counters_.polling.load());
  const std::uint64_t before = regular_passes();

  clock_.advance(std::chrono::seconds(2));
  wait_for_what_is_due();
  EXPECT_EQ(regular_passes(), before);

  clock_.advance(std::chrono::seconds(8));
  wait_for_what_is_due();
  EXPECT_EQ(regular_passes(), before + 1);
}

TEST_F(HotLoopBesideAKernelSide, PollsNodeMemoryWhileANumaNodeIsUnreachable) {
  table_.of_node = NodeUsage{};
  start();
  const auto first = next<PassDone>();
  ASSERT_TRUE(first);
  ASSERT_TRUE(first->copy);
  EXPECT_EQ(first->copy->node.source, UsageSource::kCgroupFiles);
  const std::uint64_t before = regular_passes();

  clock_.advance(std::chrono::seconds(5));
  wait_for_what_is_due();
  EXPECT_EQ(regular_passes(), before + 1);
}

}  // namespace
}  // namespace evictd::daemon
