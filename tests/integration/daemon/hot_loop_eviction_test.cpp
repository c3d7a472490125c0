// SPDX-License-Identifier: Apache-2.0
// Evictions as the hot thread sees them: numbers of a fake node, cgroups of this machine to point
// at, and an actuator that only writes down what it is asked for.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "enforce/kill_target.h"
#include "enforce/pod_root.h"
#include "stage/private_tree.h"
#include "support/allocation_count.h"
#include "unit/daemon/driven_hot_loop.h"

namespace evictd::daemon {
namespace {

using enforce::EvictionState;
using eviction::Outcome;
using eviction::Reason;
using std::chrono::seconds;

/// Without grace, with 1 s, and with a soft threshold above the hard one.
const std::string kAtOnce = "hardEvictionGracePeriodSeconds: 0\n";
const std::string kOneSecond = "hardEvictionGracePeriodSeconds: 1\n";
const std::string kSoft =
    "pollInterval: 10s\nevictionHard:\n"
    "  memory.available: 50Mi\nevictionSoft:\n  memory.available: 100Mi\n"
    "evictionSoftGracePeriod:\n  memory.available: 1s\nevictionMaxPodGracePeriod: 60\n";

class Evicting : public DrivenHotLoop {
 protected:
  explicit Evicting(const std::string& yaml, PodEvents events = PodEvents::kTold)
      : DrivenHotLoop(yaml, events) {}

  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root to make cgroups";
    }
    Result<stage::PrivateTree> tree =
        stage::PrivateTree::create("evictd-test-" + std::to_string(::getpid()) + "-hot");
    ASSERT_TRUE(tree) << tree.error().message();
    tree_.emplace(std::move(*tree));
    const bool unified = tree_->hierarchies().unified();
    Result<enforce::PodRoot> root = enforce::PodRoot::open(
        {.kind = unified ? enforce::HierarchyKind::kV2 : enforce::HierarchyKind::kV1Memory,
         .hierarchy = 1,
         .directory = tree_->memory_directory()});
    ASSERT_TRUE(root) << root.error().message();
    root_.emplace(std::move(*root));
  }

  /// A pod with the numbers of the fake node and a target of this machine.
  std::unique_ptr<HotPod> pod(std::uint32_t slot, const std::string& uid, Bytes used) {
    std::unique_ptr<HotPod> made = node_.pod(slot, uid, used);
    if (!staged_.contains(uid)) {
      staged_[uid] = tree_->add_pod({.name = uid}, uid).value();
    }
    const std::filesystem::path below =
        (tree_->hierarchies().memory / staged_[uid].pod).lexically_relative(root_->directory());
    made->target =
        enforce::KillTarget::open({.uid = uid, .places = {{.root = &*root_, .path = below}}})
            .value();
    made->memory_id = made->target->id();
    ids_[uid] = made->memory_id;
    return made;
  }
  void place(std::uint32_t slot, const std::string& uid, Bytes used) {
    send(PlacePod{.slot = slot, .pod = pod(slot, uid, used)});
  }

  /// Runs a pass and answers what it saw.
  PassDone pass() {
    send(RunPass{});
    std::optional<PassDone> done = next<PassDone>();
    return done ? std::move(*done) : PassDone{};
  }
  /// The same, and the buffer goes back.
  Outcome outcome_of_pass() {
    PassDone done = pass();
    if (!done.copy) {
      ADD_FAILURE() << "no copy of the pass";
      return Outcome::kFailed;
    }
    last_reason_ = done.copy->decision.reason;
    const Outcome outcome = done.copy->decision.outcome;
    send(LendPassCopy{std::move(done.copy)});
    return outcome;
  }
  /// The actuator goes a step with the pod, and the hot thread has told of it.
  void go(FakeActuator& actuator, const std::string& uid, EvictionState state) {
    actuator.go(
        {.ticket = {}, .pod = ids_[uid], .state = state, .at = clock_.now(), .signals = {}});
    inbox_.wake_up.signal();
    const auto step = next<EvictionStep>();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->progress.state, state);
    EXPECT_EQ(step->dry_run, &actuator == &dry_run_);
  }

  // Before what points to it.
  std::optional<stage::PrivateTree> tree_;
  std::optional<enforce::PodRoot> root_;
  std::map<std::string, stage::StagedPod> staged_;
  std::map<std::string, CgroupId> ids_;
  Reason last_reason_ = Reason::kNone;
};

class EvictingAtOnce : public Evicting {
 protected:
  EvictingAtOnce() : Evicting(hard("100Mi") + kAtOnce) {}
};
class EvictingWithGrace : public Evicting {
 protected:
  EvictingWithGrace() : Evicting(hard("100Mi") + kOneSecond) {}
};
class EvictingWithGraceWithoutPodEvents : public Evicting {
 protected:
  EvictingWithGraceWithoutPodEvents() : Evicting(hard("100Mi") + kOneSecond, PodEvents::kNone) {}
};
class EvictingSoftly : public Evicting {
 protected:
  EvictingSoftly() : Evicting(kSoft + kAtOnce) {}
};
class EvictingSoftlyThenWithGrace : public Evicting {
 protected:
  EvictingSoftlyThenWithGrace() : Evicting(kSoft + kOneSecond) {}
};

TEST_F(EvictingAtOnce, ThePodThatRanksFirstIsKilledAndTheRecordHasTheMomentsInOrder) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->begun && done->copy);
  EXPECT_EQ(done->begun->victim->uid, "hog");
  EXPECT_EQ(done->begun->grace, seconds(0));
  EXPECT_FALSE(done->begun->escalated);
  EXPECT_EQ(done->copy->decision.outcome, Outcome::kEvicted);
  EXPECT_EQ(counters_.evictions.load(), 1U);
  ASSERT_EQ(actuator_.begun().size(), 1U);
  EXPECT_EQ(actuator_.begun()[0].pod, ids_["hog"]);
  EXPECT_EQ(actuator_.begun()[0].grace, Duration::zero());
  EXPECT_TRUE(dry_run_.begun().empty());
  EXPECT_LE(done->timeline.wake_at, done->timeline.observe_at);
  EXPECT_LE(done->timeline.observe_at, done->timeline.decide_at);
  EXPECT_LE(done->timeline.decide_at, done->timeline.signal_at);
}

TEST_F(EvictingAtOnce, NobodyElseDiesWhileTheVictimIsBeingFreed) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  go(actuator_, "hog", EvictionState::kKilled);

  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);
  EXPECT_EQ(last_reason_, Reason::kReleasePending);

  // The process is gone and its memory with it, but for what others took meanwhile.
  node_.set_usage("hog", 0_MiB);
  node_.set_memory(931_MiB);
  go(actuator_, "hog", EvictionState::kReleased);
  const auto next_victim = next<PassDone>();
  ASSERT_TRUE(next_victim && next_victim->begun);
  EXPECT_EQ(next_victim->trigger, PassTrigger::kRelease);
  EXPECT_EQ(next_victim->begun->victim->uid, "small");
}

TEST_F(EvictingAtOnce, AVictimThatDoesNotDieIsNotWaitedForBeyondItsTime) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  go(actuator_, "hog", EvictionState::kKilled);
  ASSERT_EQ(outcome_of_pass(), Outcome::kHeld);

  go(actuator_, "hog", EvictionState::kExceededGrace);

  const auto after = next<PassDone>();
  ASSERT_TRUE(after && after->begun);
  EXPECT_EQ(after->begun->victim->uid, "small");
}

TEST_F(EvictingAtOnce, APodWithoutATargetIsRefusedOnceAndEvictedAsSoonAsItHasOne) {
  const auto without_target = [&] {
    std::unique_ptr<HotPod> made = pod(1, "late", 20_MiB);
    made->target.reset();
    return made;
  };
  node_.set_memory(930_MiB);
  send(PlacePod{.slot = 1, .pod = without_target()});
  start();
  ASSERT_TRUE(next<EvictionRefused>());
  ASSERT_TRUE(next<PassDone>());
  const auto passed_over = next<PassDone>();
  ASSERT_TRUE(passed_over && passed_over->copy);
  ASSERT_EQ(passed_over->copy->decision.outcome, Outcome::kAllProtected);

  send(PlacePod{.slot = 1, .pod = without_target()});
  ASSERT_TRUE(next<RetirePod>());
  EXPECT_EQ(outcome_of_pass(), Outcome::kAllProtected);
  EXPECT_EQ(counters_.not_begun.load(), 1U);

  place(1, "late", 20_MiB);
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->begun);
  EXPECT_EQ(done->begun->victim->uid, "late");
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

TEST_F(EvictingWithGraceWithoutPodEvents, AGraceIsHeldAndCutWithoutALookAtThePods) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  const auto asked = next<ScanPods>();
  ASSERT_TRUE(asked);
  send(PodsScanned{.round = asked->round});
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
  EXPECT_FALSE(dropped<ScanPods>()) << "the cut waited for housekeeping";
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
  actuator_.refuse_cuts();

  node_.set_memory(970_MiB);
  send(RunPass{});

  const auto refused = next<EvictionRefused>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->victim->uid, "hog");
  ASSERT_TRUE(next<PassDone>());
  const auto instead = next<PassDone>();
  ASSERT_TRUE(instead && instead->begun);
  EXPECT_EQ(instead->begun->victim->uid, "small");
}

TEST_F(EvictingAtOnce, ATargetMadeAnewReachesEveryActuatorThatMayHaveTheOldOne) {
  place(1, "hog", 10_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());
  place(1, "hog", 10_MiB);
  ASSERT_TRUE(next<RetirePod>());
  const std::vector<std::string> twice{"hog", "hog"};
  EXPECT_EQ(actuator_.replaced(), twice);
  EXPECT_EQ(dry_run_.replaced(), twice);
}

TEST_F(EvictingAtOnce, APodThatWasNamedInADryRunIsEvictedOnceItIsForReal) {
  send(UseConfig{config(hard("100Mi") + kAtOnce + "dryRun: true\n")});
  node_.set_memory(930_MiB);
  place(1, "hog", 500_MiB);
  start();
  const auto named = next<PassDone>();
  ASSERT_TRUE(named && named->begun);
  EXPECT_TRUE(named->begun->dry_run);
  EXPECT_EQ(dry_run_.begun().size(), 1U);
  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);
  EXPECT_TRUE(actuator_.begun().empty());

  send(UseConfig{config(hard("100Mi") + kAtOnce)});

  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->begun);
  EXPECT_FALSE(done->begun->dry_run);
  EXPECT_EQ(done->begun->victim->uid, "hog");
  EXPECT_EQ(actuator_.begun().size(), 1U);
  EXPECT_EQ(dry_run_.ended().size(), 1U);
}

TEST_F(EvictingAtOnce, ADryRunNamesThePodAgainAtTheNextCrossing) {
  send(UseConfig{config(hard("100Mi") + kAtOnce + "dryRun: true\n")});
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);
  EXPECT_TRUE(dry_run_.ended().empty()) << "the threshold is still met";

  node_.set_memory(500_MiB);
  EXPECT_EQ(outcome_of_pass(), Outcome::kNothingMet);
  ASSERT_EQ(dry_run_.begun().size(), 1U);
  EXPECT_EQ(dry_run_.ended(), std::vector{dry_run_.begun()[0].report.ticket});

  node_.set_memory(930_MiB);
  clock_.advance(seconds(1));
  const PassDone again = pass();
  ASSERT_TRUE(again.begun);
  EXPECT_EQ(again.begun->victim->uid, "hog");
}

TEST_F(EvictingAtOnce, TheEndOfADryRunIsNotTheEndOfTheEvictionThatFollowedIt) {
  send(UseConfig{config(hard("100Mi") + kAtOnce + "dryRun: true\n")});
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  send(UseConfig{config(hard("100Mi") + kAtOnce)});
  ASSERT_TRUE(next<PassDone>()->begun);

  go(dry_run_, "hog", EvictionState::kReleased);

  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld) << "the pod is still being freed";
  EXPECT_EQ(actuator_.begun().size(), 1U);
}

TEST_F(EvictingAtOnce, PassesAndEvictionsAllocateNothing) {
  // Shared, because the loop goes on taking turns until the fixture is torn down.
  const auto counted = std::make_shared<std::atomic<std::size_t>>(0);
  const std::atomic<std::size_t>& allocated = *counted;
  actuator_.each_turn = [counted] { *counted = test::allocations(); };
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  send(LendPassCopy{std::move(next<PassDone>()->copy)});
  // What is used for the first time may still grow to its size.
  ASSERT_EQ(outcome_of_pass(), Outcome::kNothingMet);
  ASSERT_EQ(outcome_of_pass(), Outcome::kNothingMet);
  const std::size_t before = allocated;
  ASSERT_GT(before, 0U) << "nothing is counted";

  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(outcome_of_pass(), Outcome::kNothingMet);
  }
  clock_.advance(seconds(1));
  node_.set_memory(930_MiB);
  ASSERT_EQ(outcome_of_pass(), Outcome::kEvicted);
  go(actuator_, "hog", EvictionState::kKilled);
  ASSERT_EQ(outcome_of_pass(), Outcome::kHeld);

  EXPECT_EQ(allocated, before);
}

}  // namespace
}  // namespace evictd::daemon
