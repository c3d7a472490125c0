// SPDX-License-Identifier: Apache-2.0
// What the actuator does about a pod that the kernel side has killed.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <vector>

#include "actuator_on_v1.h"
#include "base/system_clock.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;
using KernelKillOnV1 = CgroupActuatorOnV1;

TEST_F(KernelKillOnV1, IsFinishedWhereAProcessFromBeforeIsLeft) {
  const pid_t left = pod_.start(Behaviour::kSleep);
  pod_.add_container("c1");
  const pid_t other = pod_.start(Behaviour::kIgnoreTerm, "c1");
  KillTarget& target = pod_.target();

  const Result<SignalReport> report = actuator_->begin(
      target, Start{.killed_by_kernel_at = base::SystemClock().now() + seconds(1)}, kStart);

  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->processes, 2U);
  EXPECT_EQ(await_end(left), SIGKILL);
  EXPECT_EQ(await_end(other), SIGKILL);
}

TEST_F(KernelKillOnV1, SparesAContainerThatWasStartedSince) {
  const pid_t later = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();

  const Result<SignalReport> report = actuator_->begin(
      target, Start{.killed_by_kernel_at = base::SystemClock().now() - seconds(60)}, kStart);

  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kNotFound);
  EXPECT_EQ(pod_.processes(), std::vector<pid_t>{later});
  EXPECT_EQ(pod_.pids_max(), "max") << "it lives and cannot fork";
  EXPECT_FALSE(target.pinned());
}

TEST_F(KernelKillOnV1, ThatLeftNobodyIsANormalOutcome) {
  const Result<SignalReport> report = actuator_->begin(
      pod_.target(), Start{.killed_by_kernel_at = base::SystemClock().now()}, kStart);

  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kNotFound);
}

TEST_F(KernelKillOnV1, CanReachTheProcessesThatARehearsalFound) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  std::array<pid_t, 4> listed{};
  EXPECT_EQ(actuator_->rehearsed(target, listed), 0U) << "not rehearsed yet";

  actuator_->rehearse(target);
  EXPECT_EQ(actuator_->rehearsed(target, listed), 1U);
  EXPECT_EQ(listed.front(), process);
  EXPECT_EQ(actuator_->rehearsed(pod_.target(), listed), 0U) << "another target";

  target.set_protection(Protection::kNeverEvict);
  EXPECT_EQ(actuator_->rehearsed(target, listed), 0U) << "a protected pod is never killed";
  actuator_->end_rehearsal();
}

}  // namespace
}  // namespace evictd::enforce::test
