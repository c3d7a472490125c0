// SPDX-License-Identifier: Apache-2.0
// Evictions without grace as the hot thread sees them: numbers of a fake node, real cgroups, and an
// actuator that only writes down what it is asked for.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "enforce/eviction_table.h"
#include "enforce/intent.h"
#include "enforce/kill_target.h"
#include "enforce/pod_root.h"
#include "evicting_hot_loop.h"
#include "support/allocation_count.h"

namespace evictd::daemon {
namespace {

using enforce::EvictionState;
using eviction::Outcome;
using eviction::Reason;
using std::chrono::seconds;

class EvictingAtOnce : public Evicting {
 protected:
  EvictingAtOnce() : Evicting(hard("100Mi") + kAtOnce) {}
};
class EvictingWithDisks : public Evicting {
 protected:
  explicit EvictingWithDisks(const std::string& more = "")
      : Evicting(hard("100Mi") + kAtOnce + more, PodEvents::kTold, Besides::kDisks) {}

  /// A pod with a volume that is larger than it may be.
  void place_over_its_limit(std::uint32_t slot, const std::string& uid) {
    std::unique_ptr<HotPod> made = pod(slot, uid, 10_MiB);
    made->facts.has_local_limits = true;
    auto storage = std::make_unique<HotStorage>();
    storage->pod = made->memory_id;
    eviction::Volume& volume = storage->description.volumes.emplace_back();
    volume.name = "data";
    volume.empty_dir.emplace().size_limit = eviction::Quantity::parse("4Mi").value();
    storage->statistics.volumes.push_back(
        {.name = "data", .use = {.bytes = (9_MiB).value, .inodes = 3}});
    storage->breaches = true;
    send(PlacePod{.slot = slot, .pod = std::move(made)});
    send(UseStorage{.slot = slot, .storage = loans_.lend(std::move(storage))});
  }
};
class EvictingManyWithDisks : public EvictingWithDisks {
 protected:
  EvictingManyWithDisks() : EvictingWithDisks("maxEvictionsPerMinute: 0\n") {}

  void take_pass() {
    PassDone done = pass();
    ++passes_taken_;
    if (done.copy) {
      send(LendPassCopy{std::move(done.copy)});
    }
  }
  [[nodiscard]] std::uint64_t passes_so_far() const {
    return std::accumulate(counters_.passes.begin(), counters_.passes.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& one) { return sum + one.load(); });
  }
  [[nodiscard]] std::int64_t refusals_told() const {
    return std::count_if(dropped_.begin(), dropped_.end(), [](const ToHousekeeping& one) {
      return std::holds_alternative<EvictionRefused>(one);
    });
  }

  std::uint64_t passes_taken_ = 0;
};
class EvictingForTasks : public Evicting {
 protected:
  explicit EvictingForTasks(const std::string& grace = kAtOnce)
      : Evicting("evictionHard:\n  pid.available: \"100\"\n" + grace) {}

  /// 50 are left of 1000.
  void place_pods() {
    node_.set_tasks(950);
    place(1, "small", 10_MiB);
    place(2, "hog", 10_MiB);
    node_.set_tasks("small", 10);
    node_.set_tasks("hog", 400);
  }
};

class EvictingForTasksInAGrace : public EvictingForTasks {
 protected:
  EvictingForTasksInAGrace() : EvictingForTasks("hardEvictionGracePeriodSeconds: 30\n") {}
};
class EvictingForMemoryInAGrace : public Evicting {
 protected:
  EvictingForMemoryInAGrace() : Evicting(hard("100Mi") + "hardEvictionGracePeriodSeconds: 30\n") {}
};

TEST_F(EvictingForTasksInAGrace, TheVictimGetsNoMoreTasksFromItsFirstSignalOn) {
  place_pods();
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  ASSERT_EQ(actuator_.begun().size(), 1U);
  EXPECT_EQ(actuator_.begun()[0].pod, ids_["hog"]);
  EXPECT_TRUE(actuator_.begun()[0].hold_tasks);
}

TEST_F(EvictingForMemoryInAGrace, TheVictimMayForkOn) {
  node_.set_memory(930_MiB);
  place(1, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  ASSERT_EQ(actuator_.begun().size(), 1U);
  EXPECT_FALSE(actuator_.begun()[0].hold_tasks);
}

TEST_F(EvictingAtOnce, FirstRankedPodIsKilledAndRecordTimesAreInOrder) {
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
  EXPECT_LE(done->timeline.wake_at, done->timeline.begin_at);
  EXPECT_LE(done->timeline.begin_at, done->timeline.observe_at);
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
  clock_.advance(seconds(2));

  go(actuator_, "hog", EvictionState::kExceededGrace);

  const auto after = next<PassDone>();
  ASSERT_TRUE(after && after->begun);
  EXPECT_EQ(after->begun->victim->uid, "small");
}

TEST_F(EvictingAtOnce, VictimBeyondTableCapacityIsRefusedBeforeSignal) {
  place(1, "hog", 500_MiB);
  start();
  send(LendPassCopy{std::move(next<PassDone>()->copy)});
  for (std::uint64_t id = 1; id <= engine::Victims::kCapacity; ++id) {
    send(AdoptEviction{
        .pod = {.hierarchy = 9, .id = id},
        .adoption = {.kind = AdoptionKind::kGone, .killed_at = clock_.now(), .for_disk = true}});
    ASSERT_EQ(outcome_of_pass(), Outcome::kNothingMet);
  }
  clock_.advance(seconds(1));
  node_.set_memory(930_MiB);
  send(engine::PassRequested{});
  const auto refused = next<EvictionRefused>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, Errc::kExhausted);
  const auto done = next<PassDone>();
  ASSERT_TRUE(done);
  EXPECT_FALSE(done->begun);
  EXPECT_TRUE(actuator_.begun().empty());
  EXPECT_EQ(counters_.too_many_under_way.load(), 1U);
  EXPECT_EQ(counters_.not_begun.load(), 1U);

  clock_.advance(seconds(31));
  inbox_.wake_up.signal();
  const auto after = next<PassDone>();
  ASSERT_TRUE(after && after->begun) << "nobody is awaited any more";
  EXPECT_EQ(after->begun->victim->uid, "hog");
}

TEST_F(EvictingAtOnce, WhomTheActuatorHasNoRoomForIsNotPassedOver) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  actuator_.refuse_begins(Errc::kExhausted);
  start();
  ASSERT_TRUE(next<PassDone>());
  EXPECT_EQ(counters_.too_many_under_way.load(), 1U) << "each pod was tried in turn";
  actuator_.refuse_begins(std::nullopt);
  const PassDone again = pass();
  ASSERT_TRUE(again.begun);
  EXPECT_EQ(again.begun->victim->uid, "hog");
}

TEST_F(EvictingManyWithDisks, MoreThanCanBeAwaitedWaitTheirTurnAndAreToldOfOnce) {
  constexpr std::uint32_t kPods = 80;
  constexpr std::uint64_t kWaiting = kPods - engine::Victims::kCapacity;
  start();
  take_pass();
  for (std::uint32_t slot = 1; slot <= kPods; ++slot) {
    place_over_its_limit(slot, "over-" + std::to_string(slot));
    take_pass();
  }
  for (int i = 0; i < 20; ++i) {
    take_pass();
  }
  EXPECT_EQ(actuator_.begun().size(), engine::Victims::kCapacity);
  EXPECT_EQ(counters_.waiting_for_room.load(), kWaiting);
  EXPECT_EQ(counters_.too_many_under_way.load(), kWaiting) << "each once";
  EXPECT_EQ(counters_.not_begun.load(), kWaiting);
  EXPECT_EQ(refusals_told(), 1) << "each is a line of the log and one of the journal";

  go(actuator_, "over-1", EvictionState::kReleased);
  send(PlacePod{.slot = 1, .pod = nullptr});
  clock_.advance(seconds(31));  // Its disk is not awaited any more either.
  take_pass();
  take_pass();
  EXPECT_EQ(actuator_.begun().size(), engine::Victims::kCapacity + 1);
  EXPECT_EQ(counters_.waiting_for_room.load(), kWaiting - 1);
  EXPECT_EQ(counters_.too_many_under_way.load(), kWaiting);
  EXPECT_EQ(refusals_told(), 1);
  EXPECT_EQ(counters_.lost_messages.load(), 0U);
  // At the start, for each pod's storage, for a release, and what the test has asked for.
  EXPECT_LE(passes_so_far(), 1 + kPods + 1 + passes_taken_) << "nobody who waits asks for a pass";
}

TEST_F(EvictingAtOnce, UnsignalledVictimIsRetriedAndNotReplaced) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  actuator_.refuse_next_begin(Errc::kIo);
  start();
  const auto failed = next<EvictionRefused>();
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->victim->uid, "hog");
  EXPECT_TRUE(failed->tried_again);
  const auto tried = next<PassDone>();
  ASSERT_TRUE(tried);
  EXPECT_FALSE(tried->begun);

  clock_.advance(kTryAgain);
  inbox_.wake_up.signal();

  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->begun);
  EXPECT_EQ(done->begun->victim->uid, "hog");
  EXPECT_EQ(actuator_.begun().size(), 1U);
  EXPECT_EQ(counters_.not_begun.load(), 0U);
  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld) << "it is awaited as any other";
}

TEST_F(EvictingAtOnce, VictimUnsignalledForTwoSecondsIsReplaced) {
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  actuator_.refuse_begins_of(ids_["hog"], Errc::kIo);
  start();
  ASSERT_TRUE(next<EvictionRefused>());
  auto tried = next<PassDone>();
  // No try may be so late that it counts as the first after another failure.
  constexpr Duration kStep = engine::RefusedPods::kTryPause / 2;
  for (Duration passed = kStep; passed < kLeastTimeToEnd; passed += kStep) {
    ASSERT_TRUE(tried && tried->copy);
    EXPECT_FALSE(tried->begun);
    send(LendPassCopy{std::move(tried->copy)});
    clock_.advance(kStep);
    inbox_.wake_up.signal();
    tried = next<PassDone>();
  }
  ASSERT_TRUE(tried);
  EXPECT_EQ(counters_.not_begun.load(), 0U);

  clock_.advance(kStep);
  inbox_.wake_up.signal();

  const auto given_up = next<EvictionRefused>();
  ASSERT_TRUE(given_up);
  EXPECT_EQ(given_up->victim->uid, "hog");
  EXPECT_FALSE(given_up->tried_again);
  ASSERT_TRUE(next<PassDone>());
  const auto instead = next<PassDone>();
  ASSERT_TRUE(instead && instead->begun);
  EXPECT_EQ(instead->begun->victim->uid, "small");
  EXPECT_EQ(counters_.not_begun.load(), 1U);
}

TEST_F(EvictingWithDisks, NobodyWaitsForAPodOverItsOwnLimitThatCannotBeSignalled) {
  for (const disk::Role role : {disk::Role::kNodeFs, disk::Role::kImageFs}) {
    filesystems_.read(role, 500_MiB);
  }
  node_.set_memory(930_MiB);
  place(1, "hog", 500_MiB);
  place_over_its_limit(2, "filler");
  actuator_.refuse_begins_of(ids_["filler"], Errc::kIo);
  start();

  const auto refused = next<EvictionRefused>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->victim->uid, "filler");
  EXPECT_FALSE(refused->tried_again);
  ASSERT_TRUE(next<PassDone>());
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->begun) << "the node's pressure was left to last";
  EXPECT_EQ(done->begun->victim->uid, "hog");
}

TEST_F(EvictingAtOnce, WhoCouldNotBeSignalledIsLeftAloneOncePressureIsOver) {
  node_.set_memory(930_MiB);
  place(1, "hog", 500_MiB);
  actuator_.refuse_next_begin(Errc::kIo);
  start();
  ASSERT_TRUE(next<EvictionRefused>());
  ASSERT_TRUE(next<PassDone>());

  node_.set_memory(500_MiB);
  clock_.advance(kTryAgain);
  inbox_.wake_up.signal();

  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  EXPECT_EQ(done->copy->decision.outcome, Outcome::kNothingMet);
  EXPECT_TRUE(actuator_.begun().empty());
}

TEST_F(EvictingAtOnce, RefusedEvictionKeepsIntentOnlyIfAlreadyInProgress) {
  node_.set_memory(930_MiB);
  std::unique_ptr<HotPod> hog = pod(1, "hog", 500_MiB);
  const std::filesystem::path directory = tree_->hierarchies().memory / staged_["hog"].pod;
  const bool unified = tree_->hierarchies().unified();
  const base::Fd usage(
      ::open((directory / (unified ? "memory.current" : "memory.usage_in_bytes")).c_str(),
             O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(usage);
  const enforce::KillTarget::Options options{
      .uid = "hog",
      .places = {{.root = &*root_, .path = directory.lexically_relative(root_->directory())}},
      .usage_fd = usage.get()};
  hog->target = enforce::KillTarget::open(options).value();
  const std::unique_ptr<enforce::KillTarget> same = enforce::KillTarget::open(options).value();
  node_.set_tasks("hog", 3);
  send(PlacePod{.slot = 1, .pod = std::move(hog)});
  actuator_.refuse_begins(Errc::kBusy);
  start();
  ASSERT_TRUE(next<EvictionRefused>());
  const std::optional<enforce::Intent> intent = enforce::read_intent(*same);
  ASSERT_TRUE(intent) << "the next evictd must know of it";
  EXPECT_EQ(intent->clock, kIntentClock);
  ASSERT_TRUE(next<PassDone>());
  ASSERT_TRUE(next<PassDone>()) << "the one that finds who goes instead";

  actuator_.refuse_begins(Errc::kInvalid);
  clock_.advance(seconds(10));
  inbox_.wake_up.signal();
  ASSERT_TRUE(next<EvictionRefused>());
  EXPECT_FALSE(enforce::read_intent(*same)) << "the next evictd would end it";
}

TEST_F(EvictingForTasks, TheZombiesOfAVictimAreAwaitedBeforeAnotherPodGoes) {
  place_pods();
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  go(actuator_, "hog", EvictionState::kKilled);
  actuator_.go({.ticket = {},
                .pod = ids_["hog"],
                .state = EvictionState::kReleased,
                .at = clock_.now(),
                .signals = {}});
  inbox_.wake_up.signal();
  const auto step = next<EvictionStep>();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->tasks, 400);
  const auto held = next<PassDone>();
  ASSERT_TRUE(held && held->copy);
  EXPECT_EQ(held->copy->decision.outcome, Outcome::kHeld);
  EXPECT_EQ(counters_.unreaped_tasks.load(), 400);

  node_.set_tasks("hog", 0);
  node_.set_tasks(550);
  EXPECT_EQ(outcome_of_pass(), Outcome::kNothingMet);
  EXPECT_EQ(counters_.unreaped_tasks.load(), 0);
}

TEST_F(EvictingForTasks, TheZombiesOfAPodThatEndedBeforeItsSignalAreAwaitedToo) {
  place_pods();
  actuator_.refuse_begins(Errc::kNotFound);
  start();
  const auto vanished = next<EvictionRefused>();
  ASSERT_TRUE(vanished);
  EXPECT_EQ(vanished->victim->uid, "hog");
  ASSERT_TRUE(next<PassDone>());
  const auto held = next<PassDone>();
  ASSERT_TRUE(held && held->copy);
  EXPECT_EQ(held->copy->decision.outcome, Outcome::kHeld);
  EXPECT_EQ(held->copy->decision.reason, Reason::kReleasePending);
  EXPECT_EQ(counters_.not_begun.load(), 1U);

  clock_.advance(seconds(31));
  inbox_.wake_up.signal();
  const auto next_one = next<EvictionRefused>();
  ASSERT_TRUE(next_one);
  EXPECT_EQ(next_one->victim->uid, "small");
}

TEST_F(EvictingAtOnce, PodWithoutATargetIsRefusedOnceUntilItHasOne) {
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
