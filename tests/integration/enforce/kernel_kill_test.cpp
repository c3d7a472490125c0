// SPDX-License-Identifier: Apache-2.0
// What the actuator does about a pod that the kernel side has killed.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "actuator_on_v1.h"
#include "base/fd.h"
#include "base/system_clock.h"
#include "descriptors.h"
#include "evictd/kill_times.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;
using enum EvictionState;

class KernelKillOnV1 : public CgroupActuatorOnV1 {
 protected:
  /// After a kill at `killed_at`, while no process can be signalled.
  Result<SignalReport> begin_in_vain(KillTarget& target, MonoTime killed_at) {
    const DescriptorLimit none(0);
    return actuator_->begin(target, Start{.killed_by_kernel_at = killed_at}, kStart);
  }
};

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

TEST_F(KernelKillOnV1, IsTriedAgainSoonWhereNobodyCanBeSignalled) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  const MonoTime killed_at = base::SystemClock().now() + seconds(1);

  const Result<SignalReport> report = begin_in_vain(target, killed_at);

  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->method, SignalMethod::kKernel);
  EXPECT_EQ(report->processes, 0U);
  EXPECT_EQ(report->last_at, killed_at);
  EXPECT_TRUE(take_states(*actuator_).empty());
  EXPECT_TRUE(target.pinned());
  EXPECT_EQ(pod_.pids_max(), "max") << "it lives and cannot fork";
  ASSERT_EQ(actuator_->next_deadline(), std::optional(kStart + kTryAgain));
  actuator_->on_deadline(kStart + kTryAgain);
  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_EQ(take_states(*actuator_), std::vector{kKilled});
}

TEST_F(KernelKillOnV1, IsNotOverWhereAContainerCannotBeRead) {
  pod_.add_container("c0");
  pod_.add_container("c1");
  const pid_t killed = pod_.start(Behaviour::kSleep, "c0");
  KillTarget& target = pod_.target();
  // Takes one of the two readings of each container; the signal to `killed` takes the other of c0.
  actuator_->rehearse(target);
  const pid_t left = pod_.start(Behaviour::kSleep, "c0");
  ASSERT_EQ(::kill(killed, SIGKILL), 0);
  EXPECT_EQ(await_end(killed), SIGKILL);
  const pid_t later = pod_.start(Behaviour::kSleep, "c1");
  const MonoTime killed_at = base::SystemClock().now() - seconds(60);

  const Result<SignalReport> report = [&] {
    const DescriptorLimit one(1);
    // The rehearsal's descriptor is closed before: one file can be opened, and c0 needs two.
    const base::Fd taken(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    return actuator_->begin(target, Start{.killed_by_kernel_at = killed_at}, kStart);
  }();

  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->method, SignalMethod::kKernel);
  EXPECT_TRUE(target.pinned()) << "who is left in c0 is not killed any more";
  EXPECT_TRUE(alive(left));
  EXPECT_TRUE(alive(later));
}

TEST_F(KernelKillOnV1, TheNextTryTooSparesAContainerThatWasStartedSince) {
  const pid_t later = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  const MonoTime killed_at = base::SystemClock().now() - seconds(60);
  ASSERT_TRUE(begin_in_vain(target, killed_at));

  actuator_->on_deadline(kStart + kTryAgain);

  EXPECT_EQ(pod_.processes(), std::vector<pid_t>{later});
  EXPECT_EQ(pod_.pids_max(), "max") << "it lives and cannot fork";
  const std::optional<Progress> step = actuator_->take_progress();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->state, kReleased) << "the victims are gone";
  EXPECT_EQ(step->at, killed_at) << "the container came after the victims' end";
  EXPECT_FALSE(target.pinned());
}

TEST_F(KernelKillOnV1, TheNextTryTooSparesAPodThatIsProtectedNow) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  ASSERT_TRUE(begin_in_vain(target, base::SystemClock().now() + seconds(1)));

  target.set_protection(Protection::kNeverEvict);
  actuator_->on_deadline(kStart + kTryAgain);

  EXPECT_TRUE(alive(process));
  EXPECT_EQ(take_states(*actuator_), std::vector{kExceededGrace});
}

TEST_F(KernelKillOnV1, ThatNeverReachesAnybodyElseIsGivenUp) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  ASSERT_TRUE(begin_in_vain(target, base::SystemClock().now() + seconds(1)));
  {
    const DescriptorLimit none(0);
    actuator_->on_deadline(kStart + kTryAgain);
    EXPECT_TRUE(target.pinned());
    actuator_->on_deadline(kStart + kLeastTimeToEnd);
  }
  EXPECT_EQ(take_states(*actuator_), std::vector{kExceededGrace});
  EXPECT_FALSE(target.pinned());
  EXPECT_TRUE(alive(process));
}

TEST_F(KernelKillOnV1, IsNotPlannedWithoutRoomToFinishIt) {
  pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  base::SystemClock clock;
  CgroupActuator::Options options{.clock = &clock, .capacity = 0};
  for (const PodRoot& root : pod_.roots()) {
    options.roots.push_back(root.id());
  }
  const auto full = CgroupActuator::create(std::move(options)).value();
  std::array<pid_t, 4> listed{};
  full->rehearse(target);
  EXPECT_EQ(full->rehearsed(target, listed), 0U);
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
