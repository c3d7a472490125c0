// SPDX-License-Identifier: Apache-2.0
// pid.available of a node where the kernel side counts more than its tasks.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "driven_hot_loop.h"

namespace evictd::daemon {
namespace {

class HotLoopThatIsToldOfPids : public DrivenHotLoop {
 protected:
  HotLoopThatIsToldOfPids()
      : DrivenHotLoop("pollInterval: 10s\nevictionHard:\n  pid.available: \"100\"\n",
                      PodEvents::kTold, Besides::kKernelSide) {
    node_.set_max_pid(5000);
    node_.set_tasks(94);
  }

  /// 50 pids more than tasks, and the kernel side's one record of the crossing.
  void cross_early() {
    node_.set_tasks(4860);
    ring_.tell_crossed(0);
    const auto early = next<PassDone>();
    ASSERT_TRUE(early && early->copy);
    EXPECT_EQ(early->trigger, PassTrigger::kCrossing);
    EXPECT_EQ(early->copy->decision.outcome, eviction::Outcome::kNothingMet);
  }
};

TEST_F(HotLoopThatIsToldOfPids, ReadsAgainSoonIfThresholdWasNotYetMetWhenReported) {
  start();
  ASSERT_TRUE(next<PassDone>());
  cross_early();

  node_.set_tasks(4950);
  clock_.advance(std::chrono::milliseconds(100));
  inbox_.wake_up.signal();

  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  EXPECT_EQ(done->trigger, PassTrigger::kRegular);
  EXPECT_FALSE(done->copy->decision.met.empty());
}

TEST_F(HotLoopThatIsToldOfPids, LooksNoLaterForBeingTold) {
  node_.set_tasks(4500);
  start();
  ASSERT_TRUE(next<PassDone>());
  // 400 tasks are left: 200 ms at 1000 a second. What it is told of then leaves 4800: 2.4 s.
  node_.set_tasks(100);
  ring_.tell_crossed(0);
  const auto told = next<PassDone>();
  ASSERT_TRUE(told);
  ASSERT_EQ(told->trigger, PassTrigger::kCrossing);

  clock_.advance(std::chrono::milliseconds(200));
  inbox_.wake_up.signal();

  const auto done = next<PassDone>();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->trigger, PassTrigger::kRegular);
}

TEST_F(HotLoopThatIsToldOfPids, PollsWhatTheNextConfigurationLeavesToPolling) {
  const std::string threshold = "pollInterval: 10s\nevictionHard:\n  pid.available: \"100\"\n";
  // The kernel side counts those below the pod root exactly.
  send(UseConfig{config("pidAvailableSource: podRoot\n" + threshold)});
  start();
  ASSERT_TRUE(next<PassDone>());
  node_.set_tasks(4500);
  send(UseConfig{config("pidAvailableSource: node\n" + threshold)});
  const auto reloaded = next<PassDone>();
  ASSERT_TRUE(reloaded && reloaded->copy);
  ASSERT_EQ(reloaded->copy->pid_scope, eviction::Scope::kNode);

  clock_.advance(std::chrono::milliseconds(200));
  inbox_.wake_up.signal();

  const auto done = next<PassDone>();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->trigger, PassTrigger::kRegular);
}

}  // namespace
}  // namespace evictd::daemon
