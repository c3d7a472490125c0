// SPDX-License-Identifier: Apache-2.0
// What the hot thread gives the kernel side to kill, and what it does about such a kill.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>

#include "evicting_hot_loop.h"

namespace evictd::daemon {
namespace {

using std::chrono::milliseconds;

/// A node 10 MiB above its threshold of 100 MiB, and one pod.
class WithBackstop : public Evicting {
 protected:
  explicit WithBackstop(const std::string& brake = "inKernelBrake: immediate\n")
      : Evicting(hard("100Mi") + kAtOnce + "enforceNodeAllocatable: []\n" + brake, PodEvents::kTold,
                 Besides::kBackstop) {}

  /// Returns once the hot thread has rehearsed.
  void approach() {
    place(1, "hog", 20_MiB);
    node_.set_memory(890_MiB);
    start();
    ASSERT_TRUE(next<PassDone>());
    const MonoTime began = clock_.now();
    ring_.hint(began, milliseconds(1));
    ring_.tell();
    ASSERT_TRUE(ring_.looked_at(began + milliseconds(1)));
  }
};

TEST_F(WithBackstop, TheKernelSideIsGivenThePlanOfTheRehearsal) {
  approach();
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  const std::vector<FakeBackstop::Plan> plans = backstop_.plans();
  ASSERT_FALSE(plans.empty());
  const FakeBackstop::Plan& plan = plans.front();
  EXPECT_EQ(plan.order.signal, probe::Signal::kNodeWorkingSet);
  EXPECT_EQ(plan.order.least_value, static_cast<std::uint64_t>((900_MiB).value) + 1);
  EXPECT_EQ(plan.order.victim.slot, 1U);
  EXPECT_EQ(plan.order.victim.memory_id, ids_["hog"].id);
  EXPECT_TRUE(plan.rivals.empty());
  EXPECT_EQ(plan.processes, std::vector<pid_t>{FakeActuator::kListed});
  EXPECT_TRUE(actuator_.begun().empty()) << "it did not fire";
}

TEST_F(WithBackstop, AKillOfTheKernelSideIsFinishedAndToldWithItsAnswers) {
  backstop_.fire();
  approach();
  send(engine::PassRequested{});
  const std::optional<PassDone> done = next<PassDone>();
  ASSERT_TRUE(done);
  ASSERT_TRUE(done->begun);
  ASSERT_TRUE(done->begun->kernel_kill);
  EXPECT_EQ(done->begun->kernel_kill->given().front().count, 2U);
  const auto begun = actuator_.begun();
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(begun.front().pod, ids_["hog"]);
  EXPECT_EQ(begun.front().grace, Duration{0});
  EXPECT_EQ(begun.front().killed_by_kernel_at, done->begun->kernel_kill->at);
}

TEST_F(WithBackstop, AKillThatLeftNobodyHasItsRecordToo) {
  backstop_.fire();
  actuator_.refuse_begins(Errc::kNotFound);
  approach();
  send(engine::PassRequested{});
  const std::optional<PassDone> done = next<PassDone>();
  ASSERT_TRUE(done);
  ASSERT_TRUE(done->begun);
  EXPECT_EQ(done->begun->signals.method, enforce::SignalMethod::kKernel);
  EXPECT_EQ(done->begun->signals.signal, SIGKILL);
  EXPECT_EQ(done->begun->signals.processes, 2U);
  const std::optional<EvictionStep> end = next<EvictionStep>();
  ASSERT_TRUE(end) << "its record would never end";
  EXPECT_EQ(end->progress.pod, ids_["hog"]);
  EXPECT_EQ(end->progress.state, enforce::EvictionState::kReleased);
}

TEST_F(WithBackstop, AKillThatMayNotBeFinishedSparesTheRest) {
  backstop_.fire();
  actuator_.refuse_next_begin(Errc::kInvalid);
  approach();
  send(engine::PassRequested{});
  const std::optional<PassDone> done = next<PassDone>();
  ASSERT_TRUE(done && done->begun);
  const std::optional<EvictionStep> end = next<EvictionStep>();
  ASSERT_TRUE(end) << "the next evictd would kill it";
  EXPECT_EQ(end->progress.pod, ids_["hog"]);
  EXPECT_EQ(end->progress.state, enforce::EvictionState::kExceededGrace);
  EXPECT_FALSE(end->progress.not_killed.empty());
}

TEST_F(WithBackstop, AKillThatIsFinishedLaterIsToldAndAwaited) {
  backstop_.fire();
  actuator_.finish_kernel_kills_later();
  approach();
  send(engine::PassRequested{});
  const std::optional<PassDone> done = next<PassDone>();
  ASSERT_TRUE(done && done->begun);
  EXPECT_EQ(done->begun->signals.method, enforce::SignalMethod::kKernel);
  EXPECT_EQ(done->begun->signals.processes, 2U) << "those of the kernel side";
  const auto begun = actuator_.begun();
  ASSERT_EQ(begun.size(), 1U);

  actuator_.go({.ticket = begun.front().report.ticket,
                .pod = ids_["hog"],
                .state = enforce::EvictionState::kReleased,
                .at = clock_.now(),
                .signals = {}});
  inbox_.wake_up.signal();

  const std::optional<EvictionStep> end = next<EvictionStep>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->progress.ticket, begun.front().report.ticket) << "it ended before its end";
}

class WithBackstopMargin : public WithBackstop {
 protected:
  WithBackstopMargin() : WithBackstop("inKernelBrake: backstop\nbrakeMargin: 3Mi\n") {}
};

TEST_F(WithBackstopMargin, TheKernelSideActsThatFarPastTheThreshold) {
  approach();
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  ASSERT_FALSE(backstop_.plans().empty());
  EXPECT_EQ(backstop_.plans().front().order.least_value,
            static_cast<std::uint64_t>((903_MiB).value) + 1);
}

class WithBackstopOff : public WithBackstop {
 protected:
  WithBackstopOff() : WithBackstop("inKernelBrake: off\n") {}
};

TEST_F(WithBackstopOff, TheKernelSideIsGivenNoPlan) {
  approach();
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  EXPECT_TRUE(backstop_.plans().empty());
}

class WithBackstopByDefault : public WithBackstop {
 protected:
  WithBackstopByDefault() : WithBackstop("") {}
};

TEST_F(WithBackstopByDefault, TheKernelSideIsGivenAPlanAsTheGraceIsZero) {
  approach();
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  EXPECT_FALSE(backstop_.plans().empty());
}

class WithBackstopInADryRun : public WithBackstop {
 protected:
  WithBackstopInADryRun() : WithBackstop("inKernelBrake: immediate\ndryRun: true\n") {}
};

TEST_F(WithBackstopInADryRun, RehearsalsWithoutAPlanAreCountedByReason) {
  approach();
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  EXPECT_TRUE(backstop_.plans().empty());
  constexpr auto kDryRun = static_cast<std::size_t>(engine::NoBackstop::kDryRun);
  EXPECT_GE(counters_.backstops_refused.at(kDryRun).load(), 1U);
}

}  // namespace
}  // namespace evictd::daemon
