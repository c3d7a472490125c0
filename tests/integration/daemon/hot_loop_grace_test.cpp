// SPDX-License-Identifier: Apache-2.0
// Victims with time to end, as the hot thread sees them: when it waits, and when it cuts that time.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>

#include "evicting_hot_loop.h"

namespace evictd::daemon {
namespace {

using enforce::EvictionState;
using eviction::Outcome;
using eviction::Reason;
using std::chrono::seconds;

/// With 1 s, and with a soft threshold above the hard one.
const std::string kOneSecond = "hardEvictionGracePeriodSeconds: 1\n";
const std::string kSoft =
    "pollInterval: 10s\nevictionHard:\n"
    "  memory.available: 50Mi\nevictionSoft:\n  memory.available: 100Mi\n"
    "evictionSoftGracePeriod:\n  memory.available: 1s\nevictionMaxPodGracePeriod: 60\n";

class EvictingWithGrace : public Evicting {
 protected:
  EvictingWithGrace() : Evicting(hard("100Mi") + kOneSecond) {}
};
class EvictingOverABridge : public Evicting {
 protected:
  EvictingOverABridge() : Evicting(hard("100Mi") + kOneSecond + "graceBridge: memoryHigh\n") {}
};
class EvictingWithGraceWithoutPodEvents : public Evicting {
 protected:
  EvictingWithGraceWithoutPodEvents() : Evicting(hard("100Mi") + kOneSecond, PodEvents::kNone) {}
};
/// What the kernel can still give is known, down to 5 MiB of free pages.
class EvictingByGuard : public Evicting {
 protected:
  explicit EvictingByGuard(const std::string& more = "") : Evicting(hard("100Mi") + more) {
    guard_terms_.put({.watermarks = {.min = 5_MiB, .low = 6_MiB}, .swap_permille = 0});
    node_.set_memory(500_MiB);
  }
  /// Twice within `time` as much is taken, the last of which the next pass sees: one fall alone is
  /// no rate.
  void fall(Bytes to, Bytes by, Duration time) {
    for (const Bytes left : {to + by + by, to + by}) {
      node_.set_free(left);
      static_cast<void>(outcome_of_pass());
      clock_.advance(time);
    }
    node_.set_free(to);
  }
};
class EvictingWithoutGuard : public EvictingByGuard {
 protected:
  EvictingWithoutGuard() : EvictingByGuard("oomGuard: off\n") {}
};
class EvictingSoftly : public Evicting {
 protected:
  EvictingSoftly() : Evicting(kSoft + kAtOnce) {}
};
class EvictingSoftlyThenWithGrace : public Evicting {
 protected:
  EvictingSoftlyThenWithGrace() : Evicting(kSoft + kOneSecond) {}
};

TEST_F(EvictingOverABridge, TheVictimAloneIsThrottled) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  ASSERT_EQ(actuator_.begun().size(), 1U);
  EXPECT_EQ(actuator_.begun()[0].pod, ids_["hog"]);
  EXPECT_TRUE(actuator_.begun()[0].bridge);
}

TEST_F(EvictingWithGrace, WithoutABridgeNobodyIsThrottled) {
  node_.set_memory(930_MiB);
  place(1, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  ASSERT_EQ(actuator_.begun().size(), 1U);
  EXPECT_FALSE(actuator_.begun()[0].bridge);
}

TEST_F(EvictingWithGrace, VictimOfALateSigkillHasOneSecondBeforeTheNext) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  clock_.advance(seconds(5));
  go(actuator_, "hog", EvictionState::kKilled);
  go(actuator_, "hog", EvictionState::kExceededGrace);

  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);
  EXPECT_EQ(last_reason_, Reason::kReleasePending);
  EXPECT_EQ(actuator_.begun().size(), 1U);

  clock_.advance(engine::kLeastTimeToDie);
  inbox_.wake_up.signal();
  const auto after = next<PassDone>();
  ASSERT_TRUE(after && after->begun) << "it is stuck, and spares nobody";
  EXPECT_EQ(after->trigger, PassTrigger::kRelease);
  EXPECT_EQ(after->begun->victim->uid, "small");
}

TEST_F(EvictingWithGrace, WhatAVictimGaveBackBeforeItsSigkillIsNoSignOfItsDying) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  node_.set_usage("hog", 400_MiB);
  clock_.advance(seconds(1));
  go(actuator_, "hog", EvictionState::kKilled);
  clock_.advance(engine::kLeastTimeToDie);

  go(actuator_, "hog", EvictionState::kExceededGrace);

  const auto after = next<PassDone>();
  ASSERT_TRUE(after && after->begun);
  EXPECT_EQ(after->begun->victim->uid, "small");
}

TEST_F(EvictingWithGrace, VictimGrownInGraceIsDyingIfItShrinksAfterSigkill) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 400_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  node_.set_usage("hog", 500_MiB);
  clock_.advance(seconds(1));
  go(actuator_, "hog", EvictionState::kKilled);
  node_.set_usage("hog", 450_MiB);
  clock_.advance(engine::kLeastTimeToDie);

  go(actuator_, "hog", EvictionState::kExceededGrace);

  const auto after = next<PassDone>();
  ASSERT_TRUE(after && after->copy);
  EXPECT_EQ(after->copy->decision.outcome, Outcome::kHeld);
  EXPECT_EQ(after->copy->decision.reason, Reason::kReleasePending);
  EXPECT_EQ(actuator_.begun().size(), 1U);
}

TEST_F(EvictingWithGrace, DryRunDoesNotWaitForAVictimSparedAfterItsGrace) {
  send(UseConfig{config(hard("100Mi") + kOneSecond + "dryRun: true\n")});
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  const auto named = next<PassDone>();
  ASSERT_TRUE(named && named->begun);
  EXPECT_EQ(named->begun->victim->uid, "hog");
  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);

  dry_run_.go({.ticket = {},
               .pod = ids_["hog"],
               .state = EvictionState::kExceededGrace,
               .at = clock_.now(),
               .signals = {},
               .not_killed = "never_evict"});
  inbox_.wake_up.signal();

  const auto after = next<PassDone>();
  ASSERT_TRUE(after && after->begun);
  EXPECT_EQ(after->begun->victim->uid, "small");
  EXPECT_TRUE(actuator_.begun().empty());
}

TEST_F(EvictingWithGrace, AHardVictimIsWaitedForAndKilledAtOnceBelowTheFloor) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  const auto asked = next<PassDone>();
  ASSERT_TRUE(asked && asked->begun);
  EXPECT_EQ(asked->begun->grace, seconds(1));
  EXPECT_EQ(asked->begun->signals.signal, SIGTERM);
  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);
  EXPECT_EQ(last_reason_, Reason::kVictimInGrace);

  node_.set_memory(960_MiB);
  const PassDone cut = pass();

  ASSERT_TRUE(cut.begun);
  EXPECT_TRUE(cut.begun->escalated);
  EXPECT_EQ(cut.begun->victim->uid, "hog");
  EXPECT_EQ(cut.begun->grace, seconds(0));
  ASSERT_EQ(actuator_.cuts().size(), 1U);
  EXPECT_EQ(actuator_.cuts()[0].ticket, asked->begun->signals.ticket);
  EXPECT_EQ(actuator_.cuts()[0].rest, Duration::zero());
  EXPECT_EQ(actuator_.begun().size(), 1U) << "an escalation is no second eviction";
}

TEST_F(EvictingWithGrace, AHardVictimHasNoTimeWhenTheKernelHasNothingLeftToGive) {
  node_.set_memory(930_MiB);
  node_.set_mem_available(3_MiB);
  place(1, "hog", 500_MiB);
  start();
  const auto begun = next<PassDone>();
  ASSERT_TRUE(begun && begun->begun && begun->copy);
  EXPECT_EQ(begun->begun->grace, seconds(1));
  EXPECT_EQ(begun->copy->observations[eviction::Signal::kMemoryAvailable]->kernel_available,
            (3_MiB).value);

  const auto cut = next<PassDone>();
  ASSERT_TRUE(cut && cut->begun && cut->copy);
  EXPECT_EQ(cut->copy->decision.outcome, Outcome::kEscalated);
  EXPECT_EQ(cut->begun->grace, seconds(0));
  ASSERT_EQ(actuator_.cuts().size(), 1U);
  EXPECT_EQ(actuator_.cuts()[0].rest, Duration::zero());
  EXPECT_EQ(counters_.evictions.load(), 1U);
}

TEST_F(EvictingByGuard, BeforeTheKernelHasNothingLeftToGive) {
  node_.set_free(400_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 400_MiB);
  start();
  ASSERT_EQ(next<PassDone>()->copy->decision.outcome, Outcome::kNothingMet);

  fall(15_MiB, 180_MiB, seconds(1));
  const PassDone done = pass();

  ASSERT_TRUE(done.begun && done.copy);
  EXPECT_EQ(done.copy->decision.outcome, Outcome::kOomGuard);
  EXPECT_EQ(done.begun->victim->uid, "hog");
  EXPECT_TRUE(done.begun->oom_guard);
  EXPECT_EQ(done.begun->signals.signal, SIGKILL);
  EXPECT_GT(done.copy->observations[eviction::Signal::kMemoryAvailable]->available, (400_MiB).value)
      << "no threshold would have been met";
}

TEST_F(EvictingByGuard, NobodyWhileNothingIsTaken) {
  place(1, "hog", 400_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());

  fall(6_MiB, 0_MiB, seconds(1));
  const PassDone done = pass();

  EXPECT_FALSE(done.begun);
}

TEST_F(EvictingByGuard, GivesNoMoreGraceThanThereIsTimeFor) {
  node_.set_free(400_MiB);
  place(1, "hog", 400_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());

  // 40 MiB above the floor of 50, of which 100 go in a second.
  fall(90_MiB, 100_MiB, seconds(1));
  node_.set_memory(910_MiB);
  const PassDone done = pass();

  ASSERT_TRUE(done.begun && done.copy);
  EXPECT_EQ(done.copy->decision.grace_wanted, seconds(1));
  EXPECT_LT(done.begun->grace, std::chrono::milliseconds(400));
  EXPECT_GT(done.begun->grace, std::chrono::milliseconds(300));
}

TEST_F(EvictingWithoutGuard, NobodyAboveTheThreshold) {
  node_.set_free(400_MiB);
  place(1, "hog", 400_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());

  fall(15_MiB, 180_MiB, seconds(1));
  const PassDone done = pass();

  EXPECT_FALSE(done.begun);
}

TEST_F(EvictingWithGraceWithoutPodEvents, AGraceIsHeldAndCutWithoutALookAtThePods) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  const auto asked = next_need<engine::ScanPods>();
  ASSERT_TRUE(asked);
  send(engine::PodsScanned{.round = asked->round});
  const auto begun = next<PassDone>();
  ASSERT_TRUE(begun && begun->begun);
  EXPECT_EQ(begun->begun->signals.signal, SIGTERM);

  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);
  EXPECT_EQ(last_reason_, Reason::kVictimInGrace);
  node_.set_memory(960_MiB);
  const PassDone cut = pass();

  ASSERT_TRUE(cut.begun);
  EXPECT_TRUE(cut.begun->escalated);
  EXPECT_EQ(cut.begun->victim->uid, "hog");
  EXPECT_FALSE(dropped<PassNeed>()) << "the cut waited for housekeeping";
}

TEST_F(EvictingSoftly, AHardThresholdCutsTheGraceOfASoftVictim) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_EQ(next<PassDone>()->copy->decision.outcome, Outcome::kInGrace);
  clock_.advance(seconds(1));
  const PassDone asked = pass();
  ASSERT_TRUE(asked.begun);
  EXPECT_EQ(asked.begun->grace, seconds(60));
  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);

  node_.set_memory(970_MiB);
  const PassDone cut = pass();

  ASSERT_TRUE(cut.begun);
  EXPECT_TRUE(cut.begun->escalated);
  EXPECT_EQ(cut.begun->signals.signal, SIGKILL);
  ASSERT_EQ(actuator_.cuts().size(), 1U);
  EXPECT_EQ(actuator_.cuts()[0].ticket, asked.begun->signals.ticket);
}

TEST_F(EvictingSoftlyThenWithGrace, ASoftVictimHasNoTimeWhenTheKernelHasNothingLeftToGive) {
  node_.set_memory(920_MiB);
  place(1, "hog", 500_MiB);
  start();
  ASSERT_EQ(next<PassDone>()->copy->decision.outcome, Outcome::kInGrace);
  clock_.advance(seconds(1));
  ASSERT_TRUE(pass().begun);

  node_.set_memory(960_MiB);
  node_.set_mem_available(1_MiB);
  const PassDone hard = pass();
  ASSERT_TRUE(hard.begun);
  EXPECT_EQ(hard.begun->grace, seconds(1));
  const auto cut = next<PassDone>();
  ASSERT_TRUE(cut && cut->begun);
  EXPECT_EQ(cut->begun->grace, seconds(0));
  ASSERT_EQ(actuator_.cuts().size(), 2U);
  EXPECT_EQ(actuator_.cuts()[1].rest, Duration::zero());
}

TEST_F(EvictingSoftly, AVictimThatMayNotBeKilledAnyMoreSparesNobodyElse) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(1));
  ASSERT_TRUE(pass().begun);
  actuator_.refuse_cuts(Errc::kInvalid);

  node_.set_memory(970_MiB);
  send(engine::PassRequested{});

  ASSERT_TRUE(next<PassDone>());
  const auto instead = next<PassDone>();
  ASSERT_TRUE(instead && instead->begun);
  EXPECT_EQ(instead->begun->victim->uid, "small");
  EXPECT_FALSE(dropped<EvictionRefused>()) << "the step with the reason tells of it";
}

TEST_F(EvictingSoftly, VictimOfAFailedGraceCutIsAwaitedAndRetried) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(1));
  ASSERT_TRUE(pass().begun);
  actuator_.refuse_cuts(Errc::kIo);

  node_.set_memory(970_MiB);
  EXPECT_FALSE(pass().begun);
  ASSERT_TRUE(pass().copy);

  EXPECT_EQ(actuator_.begun().size(), 1U) << "another pod went in its place";
  EXPECT_FALSE(dropped<EvictionRefused>());
}

}  // namespace
}  // namespace evictd::daemon
