// SPDX-License-Identifier: Apache-2.0
#include "enforce/cgroup_actuator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "actuator_on_v1.h"
#include "descriptors.h"
#include "enforce/inhabitants.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;
using enum EvictionState;

TEST_F(CgroupActuatorOnV1, GraceZeroKillsAtOnceWithoutSigterm) {
  const pid_t first = pod_.start(Behaviour::kSleep);
  pod_.add_container("c1");
  const pid_t second = pod_.start(Behaviour::kIgnoreTerm, "c1");
  KillTarget& target = pod_.target();

  const Result<SignalReport> report = actuator_->begin(target, Duration{0}, kStart);

  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->signal, SIGKILL);
  EXPECT_EQ(report->method, SignalMethod::kPidfds);
  EXPECT_EQ(report->processes, 2U);
  EXPECT_LE(report->first_at, report->last_at);
  EXPECT_EQ(actuator_->counters().sigterms, 0U);
  EXPECT_EQ(await_end(first), SIGKILL);
  EXPECT_EQ(await_end(second), SIGKILL);
  EXPECT_TRUE(target.pinned());
  ASSERT_TRUE(await(*actuator_, kReleased, kStart));
  EXPECT_FALSE(target.pinned());
  EXPECT_TRUE(pod_.processes().empty());
}

TEST_F(CgroupActuatorOnV1, APodWhoseProcessesCannotBeSignalledIsNotTakenForGone) {
  pod_.start(Behaviour::kSleep);
  for (const Duration grace : {Duration{seconds{30}}, Duration{0}}) {
    KillTarget& target = pod_.target();
    {
      const DescriptorLimit none(0);
      const Result<SignalReport> report = actuator_->begin(target, grace, kStart);
      ASSERT_FALSE(report);
      EXPECT_EQ(report.error().code, Errc::kIo) << report.error().message();
    }
    EXPECT_FALSE(target.pinned());
    EXPECT_EQ(pod_.processes().size(), 1U);
    EXPECT_EQ(pod_.pids_max(), "max") << "it lives and cannot fork";
  }
  EXPECT_EQ(actuator_->counters().vanished, 0U);
  EXPECT_EQ(actuator_->counters().released, 0U);
}

TEST_F(CgroupActuatorOnV1, UnkilledPodKeepsTheLimitSetAfterItWasOpened) {
  pod_.start(Behaviour::kSleep);
  const std::string pids_max = pod_.directories()[1] + "/pids.max";
  write_file(pids_max, "77");
  KillTarget& target = pod_.target();
  for (const std::string& limit : {std::string("78"), std::string("max")}) {
    write_file(pids_max, limit);
    {
      const DescriptorLimit none(0);
      ASSERT_FALSE(actuator_->begin(target, Duration{0}, kStart));
    }
    EXPECT_EQ(pod_.pids_max(), limit);
  }

  write_file(pids_max, "0");  // As where an evictd has stopped its forks.
  {
    const DescriptorLimit none(0);
    ASSERT_FALSE(actuator_->begin(target, Duration{0}, kStart));
  }
  EXPECT_EQ(pod_.pids_max(), "77") << "what it was opened with";
}

TEST_F(CgroupActuatorOnV1, UnsignalledPodCanBeBegunAgainOnceSignalsWork) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  {
    const DescriptorLimit none(0);
    for (int i = 0; i < 3; ++i) {
      const Result<SignalReport> report = actuator_->begin(target, Duration{0}, kStart);
      ASSERT_FALSE(report);
      EXPECT_EQ(report.error().code, Errc::kIo) << report.error().message();
    }
  }
  EXPECT_TRUE(take_states(*actuator_).empty()) << "nothing was under way";
  EXPECT_FALSE(actuator_->next_deadline());

  const Result<SignalReport> report = actuator_->begin(target, Duration{0}, kStart);

  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_EQ(actuator_->counters().evictions, 1U);
}

TEST_F(CgroupActuatorOnV1, AKillThatReachesNobodyAtTheEndOfAGraceIsTriedAgain) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  ASSERT_TRUE(actuator_->begin(target, seconds{30}, kStart));
  ASSERT_EQ(take_states(*actuator_), std::vector{kTerminating});
  {
    const DescriptorLimit none(0);
    actuator_->on_deadline(kStart + seconds{30});
  }
  EXPECT_TRUE(take_states(*actuator_).empty());
  EXPECT_TRUE(target.pinned());
  EXPECT_EQ(pod_.pids_max(), "max") << "it was not killed";
  EXPECT_GT(actuator_->counters().failed_calls, 0U);

  const std::optional<MonoTime> again = actuator_->next_deadline();
  ASSERT_TRUE(again);
  EXPECT_GT(*again, kStart + seconds{30}) << "the hot thread would not sleep";
  EXPECT_LT(*again, kStart + seconds{31});
  actuator_->on_deadline(*again);
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, AKillThatNeverReachesAnybodyIsGivenUp) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  ASSERT_TRUE(actuator_->begin(target, seconds{30}, kStart));
  {
    const DescriptorLimit none(0);
    actuator_->on_deadline(kStart + seconds{60});
    EXPECT_TRUE(target.pinned()) << "however late it was, it is tried more than once";
    actuator_->on_deadline(kStart + seconds{62});
  }
  EXPECT_EQ(take_states(*actuator_), (std::vector{kTerminating, kExceededGrace}));
  EXPECT_FALSE(target.pinned());
  EXPECT_TRUE(alive(process));
}

TEST_F(CgroupActuatorOnV1, APodWhoseProcessesCannotBeReadIsNotTakenForReleased) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  ASSERT_TRUE(actuator_->begin(target, seconds{30}, kStart));
  ASSERT_EQ(take_states(*actuator_), std::vector{kTerminating});
  {
    const DescriptorLimit none(0);
    actuator_->on_emptied(target.id(), kStart + seconds{1});
  }
  EXPECT_TRUE(take_states(*actuator_).empty());
  EXPECT_GT(actuator_->counters().failed_calls, 0U);

  actuator_->on_deadline(kStart + seconds{30});
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, ALookAtAPodSaysThatItCouldNotBeRead) {
  pod_.start(Behaviour::kSleep);
  const KillTarget& target = pod_.target();
  const Inhabitants whole = look_at_inhabitants(target);
  EXPECT_EQ(whole.processes, 1U);
  EXPECT_FALSE(whole.unread);
  const DescriptorLimit none(0);
  EXPECT_TRUE(look_at_inhabitants(target).unread);
}

TEST_F(CgroupActuatorOnV1, ALookForALivingProcessEndsWithTheFirst) {
  pod_.start(Behaviour::kSleep);
  pod_.start(Behaviour::kSleep);
  const KillTarget& target = pod_.target();
  EXPECT_EQ(look_at_inhabitants(target).processes, 2U);
  const Inhabitants found = look_at_inhabitants(target, InhabitantsLook::kUntilOneLives);
  EXPECT_EQ(found.processes, 1U);
  EXPECT_FALSE(found.all_dying());
}

TEST_F(CgroupActuatorOnV1, ALookForALivingProcessTellsTheWholeWhereThereIsNone) {
  const KillTarget& target = pod_.target();
  EXPECT_EQ(look_at_inhabitants(target, InhabitantsLook::kUntilOneLives).processes, 0U);
  const DescriptorLimit none(0);
  EXPECT_TRUE(look_at_inhabitants(target, InhabitantsLook::kUntilOneLives).unread);
}

TEST_F(CgroupActuatorOnV1, AnotherPodAtTheSamePathIsNeverSignalled) {
  for (const Preparation preparation : {Preparation::kAtOnce, Preparation::kLater}) {
    KillTarget::Options options = pod_.options();
    options.preparation = preparation;
    KillTarget& target = pod_.open_target(options);
    for (const std::string& directory : pod_.directories()) {
      std::filesystem::remove(directory);
      std::filesystem::create_directory(directory);
    }
    const pid_t stranger = pod_.start(Behaviour::kSleep);

    EXPECT_EQ(actuator_->begin(target, Duration{0}, kStart).error().code, Errc::kNotFound);
    EXPECT_EQ(actuator_->begin(target, seconds{30}, kStart).error().code, Errc::kNotFound);

    EXPECT_TRUE(alive(stranger));
    EXPECT_EQ(pod_.pids_max(), "max");
    ::kill(stranger, SIGKILL);
    await_end(stranger);
  }
}

TEST_F(CgroupActuatorOnV1, AProcessThatHandlesSigtermIsReleasedBeforeItsGraceEnds) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();

  ASSERT_TRUE(actuator_->begin(target, seconds{30}, kStart));

  EXPECT_EQ(await_end(process), SIGTERM);
  ASSERT_TRUE(await(*actuator_, kReleased, at(seconds{1001})));
  EXPECT_EQ(actuator_->counters().sigkills, 0U);
  EXPECT_FALSE(actuator_->next_deadline());
  EXPECT_EQ(pod_.pids_max(), "max");
}

TEST_F(CgroupActuatorOnV1, AProcessThatIgnoresSigtermIsKilledWhenItsGraceEnds) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();

  ASSERT_TRUE(actuator_->begin(target, seconds{30}, kStart));
  EXPECT_EQ(actuator_->next_deadline(), kStart + seconds{30});
  actuator_->on_deadline(kStart + seconds{30} - Duration{1});
  EXPECT_TRUE(alive(process));
  actuator_->on_deadline(kStart + seconds{30});

  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_TRUE(await(*actuator_, kReleased, kStart + seconds{30}));
}

TEST_F(CgroupActuatorOnV1, AKillWithoutGraceHappensWhenItsLastSignalWasSent) {
  pod_.start(Behaviour::kSleep);

  const Result<SignalReport> report = actuator_->begin(pod_.target(), Duration{0}, kStart);

  ASSERT_TRUE(report);
  std::array<InFlight, 1> under_way{};
  ASSERT_EQ(actuator_->in_flight(under_way), 1U);
  EXPECT_EQ(under_way[0].killed_at, report->last_at);
  const std::optional<Progress> killed = actuator_->take_progress();
  ASSERT_TRUE(killed);
  EXPECT_EQ(killed->state, kKilled);
  EXPECT_EQ(killed->at, report->last_at);
}

TEST_F(CgroupActuatorOnV1, KillAfterGraceIsTimedWhenSentNotWhenDue) {
  pod_.start(Behaviour::kIgnoreTerm);
  ASSERT_TRUE(actuator_->begin(pod_.target(), seconds{30}, kStart));
  const std::optional<Progress> told = actuator_->take_progress();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->at, told->signals.last_at);

  actuator_->on_deadline(kStart + seconds{30});

  const std::optional<Progress> killed = actuator_->take_progress();
  ASSERT_TRUE(killed);
  EXPECT_EQ(killed->state, kKilled);
  EXPECT_GT(killed->signals.processes, 0U);
  EXPECT_EQ(killed->at, killed->signals.last_at);
  EXPECT_NE(killed->at, kStart + seconds{30});
}

TEST_F(CgroupActuatorOnV1, CuttingTheGraceMovesTheDeadlineForwardAndNeverBack) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  const Ticket ticket = actuator_->begin(target, seconds{30}, kStart)->ticket;

  ASSERT_TRUE(actuator_->cut_grace(ticket, kStart + seconds{40}, kStart + seconds{5}));
  EXPECT_EQ(actuator_->next_deadline(), kStart + seconds{30});
  ASSERT_TRUE(actuator_->cut_grace(ticket, kStart + seconds{6}, kStart + seconds{5}));
  EXPECT_EQ(actuator_->next_deadline(), kStart + seconds{6});
  EXPECT_TRUE(alive(process));

  const Result<SignalReport> report =
      actuator_->cut_grace(ticket, kStart + seconds{5}, kStart + seconds{5});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->signal, SIGKILL);
  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_EQ(actuator_->cut_grace(ticket, kStart, kStart).error().code, Errc::kInvalid);
}

TEST_F(CgroupActuatorOnV1, APodThatForksAsFastAsItCanIsKilledEntirely) {
  write_file(pod_.directories()[1] + "/pids.max", "200");
  KillTarget& target = pod_.target();
  pod_.start(Behaviour::kForkFast);
  while (pod_.processes().size() < 100) {
  }

  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));

  EXPECT_EQ(pod_.pids_max(), "0");
  EXPECT_TRUE(await(*actuator_, kReleased, kStart));
  EXPECT_TRUE(pod_.processes().empty());
}

TEST_F(CgroupActuatorOnV1, AForkingPodCannotEscapeWithoutThePidsHierarchyEither) {
  // The pod's target holds the memory hierarchy only, so pids.max stays at its bound.
  write_file(pod_.directories()[1] + "/pids.max", "60");
  KillTarget::Options options = pod_.options();
  options.places.resize(1);
  KillTarget& target = pod_.open_target(options);
  pod_.start(Behaviour::kForkFast);
  while (pod_.processes().size() < 30) {
  }

  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));
  // Its processes may be replaced for a while; looking again ends that.
  MonoTime now = kStart;
  while (!pod_.processes().empty()) {
    now = std::max(now, actuator_->next_deadline().value_or(now));
    actuator_->on_deadline(now);
    actuator_->on_ready(now);
  }

  EXPECT_EQ(pod_.pids_max(), "60");
}

TEST_F(CgroupActuatorOnV1, AProcessKnownInOneHierarchyOnlyIsKilledToo) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  const std::string elsewhere = std::filesystem::path(pod_.directories()[0]).parent_path();
  write_file(elsewhere + "/cgroup.procs", std::to_string(process));
  KillTarget& target = pod_.target();

  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));

  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, ContainerUnknownToTheTargetIsFoundByACountedWalk) {
  const pid_t known = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  pod_.add_container("late");
  pod_.add_container("late/nested");
  const pid_t late = pod_.start(Behaviour::kSleep, "late");
  const pid_t nested = pod_.start(Behaviour::kSleep, "late/nested");

  const Result<SignalReport> report = actuator_->begin(target, Duration{0}, kStart);

  ASSERT_TRUE(report);
  EXPECT_TRUE(report->walked);
  EXPECT_GT(actuator_->counters().walks, 0U);
  EXPECT_EQ(await_end(known), SIGKILL);
  EXPECT_EQ(await_end(late), SIGKILL);
  EXPECT_EQ(await_end(nested), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, AContainerThatAWalkCannotOpenIsNotTakenForEmpty) {
  KillTarget& target = pod_.target();
  pod_.add_container("late");
  const pid_t process = pod_.start(Behaviour::kSleep, "late");
  {
    // One to hold the pod's directory and one to list it.
    const DescriptorLimit two(2);
    const Result<SignalReport> report = actuator_->begin(target, Duration{0}, kStart);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Errc::kIo) << report.error().message();
  }
  EXPECT_EQ(actuator_->counters().vanished, 0U);
  ASSERT_TRUE(actuator_->begin(pod_.target(), Duration{0}, kStart));
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, AContainerThatWasReplacedByAnotherIsFound) {
  pod_.add_container("old");
  KillTarget& target = pod_.target();
  for (const std::string& directory : pod_.directories()) {
    std::filesystem::remove(directory + "/old");
  }
  pod_.add_container("new");
  const pid_t process = pod_.start(Behaviour::kSleep, "new");

  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));

  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, APodThatVanishedBeforeTheSignalIsANormalOutcome) {
  KillTarget& empty = pod_.target();
  EXPECT_EQ(actuator_->begin(empty, Duration{0}, kStart).error().code, Errc::kNotFound);
  EXPECT_EQ(pod_.pids_max(), "max") << "a pod that was not killed keeps its limit";

  for (const std::string& directory : pod_.directories()) {
    std::filesystem::remove(directory);
  }
  EXPECT_EQ(actuator_->begin(empty, seconds{1}, kStart).error().code, Errc::kNotFound);
  EXPECT_EQ(actuator_->counters().vanished, 2U);
  EXPECT_FALSE(empty.pinned());
  EXPECT_FALSE(actuator_->next_deadline());
}

TEST_F(CgroupActuatorOnV1, APodIsNotEvictedTwiceAtATime) {
  pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  ASSERT_TRUE(actuator_->begin(target, seconds{30}, kStart));

  EXPECT_EQ(actuator_->begin(target, Duration{0}, kStart).error().code, Errc::kBusy);
}

TEST_F(CgroupActuatorOnV1, AKillThatDoesNotFinishIsReportedOnceAndReleasedLater) {
  const Mounts mounts = Mounts::find();
  if (mounts.freezer.empty()) {
    GTEST_SKIP() << "no v1 freezer, without which no process outlives SIGKILL for sure";
  }
  const pid_t process = pod_.start(Behaviour::kSleep);
  // A process that is frozen on v1 does not die before it is thawed.
  const std::string freezer = mounts.freezer + "/evictd-test-" + std::to_string(::getpid());
  std::filesystem::create_directory(freezer);
  write_file(freezer + "/cgroup.procs", std::to_string(process));
  write_file(freezer + "/freezer.state", "FROZEN");
  KillTarget& target = pod_.target();

  ASSERT_TRUE(actuator_->begin(target, Duration{0}, kStart));
  actuator_->on_deadline(kStart + seconds{2} - Duration{1});
  EXPECT_EQ(take_states(*actuator_), std::vector{kKilled});
  actuator_->on_deadline(kStart + seconds{2});
  actuator_->on_deadline(kStart + seconds{4});
  EXPECT_EQ(take_states(*actuator_), std::vector{kExceededGrace});
  EXPECT_EQ(actuator_->counters().exceeded_grace, 1U);

  write_file(freezer + "/freezer.state", "THAWED");
  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_TRUE(await(*actuator_, kReleased, kStart + seconds{5}));
  std::filesystem::remove(freezer);
}

TEST_F(CgroupActuatorOnV1, WhatIsUnderWayShowsTheBytesStillCharged) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& target = pod_.target();
  ASSERT_TRUE(actuator_->begin(target, seconds{30}, kStart));

  std::array<InFlight, 4> out{};
  ASSERT_EQ(actuator_->in_flight(out), 1U);

  EXPECT_EQ(out[0].state, kTerminating);
  EXPECT_EQ(out[0].pod, target.id());
  EXPECT_EQ(out[0].kill_due_at, kStart + seconds{30});
  EXPECT_GE(out[0].usage.value, 0);
  EXPECT_TRUE(alive(process));
}

TEST_F(CgroupActuatorOnV1, ATargetMadeAnewTakesThePlaceOfTheOldOne) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& old = pod_.target();
  ASSERT_TRUE(actuator_->begin(old, seconds{30}, kStart));
  pod_.add_container("late");
  const pid_t late = pod_.start(Behaviour::kIgnoreTerm, "late");
  KillTarget& newer = pod_.target();

  actuator_->replace(newer);
  EXPECT_FALSE(old.pinned());
  EXPECT_TRUE(newer.pinned());
  actuator_->on_deadline(kStart + seconds{30});

  EXPECT_EQ(actuator_->counters().walks, 0U);
  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_EQ(await_end(late), SIGKILL);
}

TEST_F(CgroupActuatorOnV1, ATargetOfACgroupMadeAnewDoesNotTakeThePlaceOfTheVictims) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& victim = pod_.target();
  PrivatePod again{PrivatePod::Kind::kV1};
  const pid_t newcomer = again.start(Behaviour::kIgnoreTerm);
  KillTarget& newer = again.target();
  ASSERT_EQ(newer.uid(), victim.uid());
  ASSERT_TRUE(actuator_->begin(victim, Duration::zero(), kStart));

  actuator_->replace(newer);
  EXPECT_TRUE(victim.pinned());
  EXPECT_FALSE(newer.pinned());
  const std::optional<Progress> released = await(*actuator_, kReleased, kStart + seconds{1});

  ASSERT_TRUE(released);
  EXPECT_EQ(released->pod, victim.id());
  EXPECT_EQ(await_end(process), SIGKILL);
  EXPECT_TRUE(alive(newcomer));
}

TEST_F(CgroupActuatorOnV1, APodWithoutItsFirstCgroupHasNoTarget) {
  KillTarget::Options options = pod_.options();
  options.id = pod_.target().id();
  ASSERT_TRUE(KillTarget::open(options));
  ASSERT_TRUE(std::filesystem::remove(pod_.directories().front()));

  const auto target = KillTarget::open(options);

  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace evictd::enforce::test
