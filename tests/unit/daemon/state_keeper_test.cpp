// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/state_keeper.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_tree.h"
#include "unit/engine/moments.h"

namespace evictd::daemon {
namespace {

constexpr CgroupId kVictim{.hierarchy = 1, .id = 7};
const StateOrigin kOrigin{.boot_id = "b", .pod_root = "/kubepods", .pod_root_id = 3};

class KeptState : public testing::Test {
 protected:
  void begin(eviction::Signal signal, std::chrono::seconds grace = {}, MonoTime at = kNow,
             const std::optional<probe::BackstopFiring>& kernel_kill = {}) {
    HotPod pod;
    pod.uid = "u";
    pod.memory_id = kVictim;
    eviction::Threshold threshold;
    threshold.signal = signal;
    keeper_->add_begun(EvictionBegun{.victim = &pod,
                                     .signals = {},
                                     .kernel_kill = kernel_kill,
                                     .grace = grace,
                                     .kill_due_at = kNow},
                       threshold, at);
  }
  void step(enforce::EvictionState state, std::int64_t tasks = 0, Bytes charged = Bytes{0}) {
    keeper_->apply_step({.ticket = {}, .pod = kVictim, .state = state, .at = kNow, .signals = {}},
                        tasks, charged);
  }
  /// It is let live.
  void spare() {
    keeper_->apply_step({.ticket = {},
                         .pod = kVictim,
                         .state = enforce::EvictionState::kExceededGrace,
                         .at = kNow,
                         .signals = {},
                         .not_killed = enforce::kUnreachable},
                        /*tasks=*/1, 20_MiB);
  }
  void release(std::int64_t tasks = 0, Bytes charged = Bytes{0}) {
    step(enforce::EvictionState::kReleased, tasks, charged);
  }
  /// Victims in the file.
  [[nodiscard]] std::size_t kept() {
    keeper_->keep(kNow);
    EXPECT_TRUE(keeper_->await_kept(std::chrono::minutes(1)));
    return find_state(file_, kOrigin, kNow).state.in_flight.size();
  }
  /// What the next evictd finds. Ends this one: its last text is written by then.
  [[nodiscard]] std::vector<SavedEviction> left(Duration later = {}) {
    keeper_->keep(kNow + later);
    keeper_.reset();
    return find_state(file_, kOrigin, kNow).state.in_flight;
  }

  test::FakeTree tree_;
  std::string file_ = tree_.real("/state");
  std::optional<StateKeeper> keeper_{
      std::in_place, StateKeeper::Options{.path = file_, .origin = kOrigin, .found = {}}};
};

TEST_F(KeptState, AVictimIsKeptWhileItHasProcesses) {
  begin(eviction::Signal::kMemoryAvailable);
  EXPECT_EQ(left().size(), 1U);
}

TEST_F(KeptState, AVictimIsForgottenWithItsProcesses) {
  begin(eviction::Signal::kMemoryAvailable);
  release();
  EXPECT_TRUE(left().empty());
}

TEST_F(KeptState, AVictimIsKeptWhileDeadTasksOfItAreAwaited) {
  begin(eviction::Signal::kPidAvailable, std::chrono::seconds(30));
  release(/*tasks=*/2);
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_TRUE(kept[0].gone);
  EXPECT_EQ(kept[0].killed_at, kNow);
}

TEST_F(KeptState, AVictimIsKeptWhileWhatItLeftInMemoryIsAwaited) {
  begin(eviction::Signal::kMemoryAvailable, std::chrono::seconds(30));
  release(/*tasks=*/0, 64_MiB);
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_TRUE(kept[0].gone);
}

TEST_F(KeptState, VictimIsForgottenAfterTheWaitForItsDeadTasks) {
  begin(eviction::Signal::kPidAvailable, std::chrono::seconds(30));
  release(/*tasks=*/2);
  EXPECT_TRUE(left(std::chrono::seconds(30)).empty());
}

TEST_F(KeptState, WhatAVictimLeftIsNotAwaitedWithoutItsCgroup) {
  for (const eviction::Signal signal :
       {eviction::Signal::kPidAvailable, eviction::Signal::kNodeFsAvailable}) {
    begin(signal);
    keeper_->forget_if_over(kVictim);
    EXPECT_EQ(kept(), 1U) << "it has processes";
    release(/*tasks=*/2);
    keeper_->forget_if_over(kVictim);
    EXPECT_EQ(kept(), eviction::is_disk(signal) ? 1U : 0U) << "its disk space is awaited still";
  }
}

TEST_F(KeptState, AnEvictionAfterTheEndOfAnotherInTheSamePodIsOneOfItsOwn) {
  begin(eviction::Signal::kNodeFsAvailable, {}, kNow - std::chrono::seconds(20));
  release();
  begin(eviction::Signal::kPidAvailable, std::chrono::seconds(30), kNow);
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].began_at, kNow) << "who came since the end of the other is its victim";
  EXPECT_FALSE(kept[0].gone);
  EXPECT_TRUE(kept[0].for_disk) << "the disk of the other is awaited on";
}

TEST_F(KeptState, AVictimThatBecameProtectedInItsGraceIsForgotten) {
  begin(eviction::Signal::kMemoryAvailable, std::chrono::seconds(30));
  step(enforce::EvictionState::kExceededGrace);
  EXPECT_TRUE(left().empty());
}

TEST_F(KeptState, AVictimOfTheKernelSideThatIsLetLiveIsForgotten) {
  begin(eviction::Signal::kMemoryAvailable);
  spare();
  EXPECT_TRUE(left().empty()) << "the next evictd would kill it";
}

TEST_F(KeptState, AKillOfTheKernelSideBeganWithThatKill) {
  const MonoTime killed_at = kNow - std::chrono::seconds(2);
  begin(eviction::Signal::kMemoryAvailable, {}, kNow, probe::BackstopFiring{.at = killed_at});
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].began_at, killed_at) << "who came since is no victim";
}

TEST_F(KeptState, AnEvictionThatIsNotGoneOnWithIsForgottenKilledOrNot) {
  for (const bool killed : {false, true}) {
    SavedEviction adopted;
    adopted.uid = killed ? "killed" : "in its grace";
    adopted.pod = {.hierarchy = 1, .id = killed ? 8U : 9U};
    adopted.killed = killed;
    keeper_->add_adopted(adopted);
    keeper_->forget(adopted.pod);
  }
  begin(eviction::Signal::kMemoryAvailable);
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].pod, kVictim);
}

TEST_F(KeptState, AnEvictionThatADryRunLeavesAloneIsKeptAsItWasFound) {
  SavedEviction found;
  found.uid = "left";
  found.pod = {.hierarchy = 1, .id = 8};
  found.killed = true;
  found.began_at = found.kill_due_at = found.killed_at = kNow;
  keeper_->leave(found);
  EXPECT_EQ(keeper_->adopted(), 0U);
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0], found);
}

TEST_F(KeptState, AnEvictionThatIsRefusedBecauseItGoesOnIsKept) {
  HotPod pod;
  pod.memory_id = kVictim;
  begin(eviction::Signal::kMemoryAvailable);
  EXPECT_FALSE(keeper_->apply_refusal({.victim = &pod, .code = Errc::kBusy, .adopted = true}));
  EXPECT_FALSE(keeper_->apply_refusal({.victim = &pod, .code = Errc::kInvalid, .adopted = false}));
  EXPECT_EQ(left().size(), 1U);
}

TEST_F(KeptState, AnEvictionThatIsRefusedToBeGoneOnWithIsForgotten) {
  HotPod pod;
  pod.memory_id = kVictim;
  begin(eviction::Signal::kMemoryAvailable);
  EXPECT_TRUE(keeper_->apply_refusal({.victim = &pod, .code = Errc::kInvalid, .adopted = true}));
  EXPECT_TRUE(left().empty());
}

TEST_F(KeptState, WhatWasAskedForIsInTheFileOnceItHasBeenAwaited) {
  // One write after the other: the last must not be taken for written while an earlier one is.
  for (int minutes = 1; minutes <= 20; ++minutes) {
    engine::OperatorWishes wishes;
    wishes.pauses.all = kNow + std::chrono::minutes(minutes);
    wishes.dry_run = minutes % 2 == 0;
    keeper_->set_wishes(wishes, false);
    keeper_->keep(kNow);
    ASSERT_TRUE(keeper_->await_kept(std::chrono::minutes(1)));
    // The writer is still there, and had no need to end in order to write.
    ASSERT_EQ(find_state(file_, kOrigin, kNow).state.wishes, wishes) << minutes;
  }
}

TEST_F(KeptState, IsOfThePodRootThatIsThereNow) {
  keeper_->set_pod_root("/other", {.hierarchy = kVictim.hierarchy, .id = 77});
  keeper_->keep(kNow);
  ASSERT_TRUE(keeper_->await_kept(std::chrono::minutes(1)));
  StateOrigin other = kOrigin;
  other.pod_root = "/other";
  other.pod_root_id = 77;
  EXPECT_TRUE(find_state(file_, other, kNow).found);
  EXPECT_FALSE(find_state(file_, kOrigin, kNow).found);
}

TEST_F(KeptState, AFileThatCannotBeWrittenIsNotAwaitedForEver) {
  std::filesystem::create_directory(file_);
  keeper_->set_wishes({.pauses = {}, .dry_run = true}, false);
  keeper_->keep(kNow);
  EXPECT_TRUE(keeper_->await_kept(std::chrono::minutes(1)));
  EXPECT_EQ(keeper_->counters().failures, 1U);
}

TEST_F(KeptState, WithoutAFileNothingIsAwaited) {
  StateKeeper keeper({.path = {}, .origin = kOrigin, .found = {}});
  keeper.set_wishes({.pauses = {}, .dry_run = true}, false);
  keeper.keep(kNow);
  EXPECT_TRUE(keeper.await_kept(Duration::zero()));
}

/// An evictd that finds a victim of the last run whose pod it cannot look at.
class KeptStateOfAPodThatIsPutOff : public KeptState {
 protected:
  KeptStateOfAPodThatIsPutOff() {
    found_.uid = "u";
    found_.pod = kVictim;
    found_.began_at = found_.kill_due_at = kNow;
    FoundState state{.state = {}, .problem = {}, .found = true};
    state.state.origin = kOrigin;
    state.state.in_flight.push_back(found_);
    keeper_.emplace(
        StateKeeper::Options{.path = file_, .origin = kOrigin, .found = std::move(state)});
    keeper_->defer("u", kVictim);
    // Something else, so that the file is written.
    keeper_->set_wishes({.pauses = {}, .dry_run = true}, false);
  }

  SavedEviction found_;
};

TEST_F(KeptStateOfAPodThatIsPutOff, LeavesItsEvictionToTheNextEvictdAsItWasFound) {
  EXPECT_EQ(keeper_->adopted(), 0U);
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0], found_);
}

TEST_F(KeptStateOfAPodThatIsPutOff, HasItTakenOnceAndByThatPodAlone) {
  EXPECT_FALSE(keeper_->take_deferred("u", {.hierarchy = 1, .id = 8})) << "made anew by that name";
  EXPECT_FALSE(keeper_->take_deferred("other", kVictim));
  EXPECT_TRUE(keeper_->take_deferred("u", kVictim));
  EXPECT_FALSE(keeper_->take_deferred("u", kVictim));
  EXPECT_TRUE(keeper_->deferred().empty());
  keeper_->add_adopted(found_);
  EXPECT_EQ(left().size(), 1U) << "kept twice";
}

TEST_F(KeptState, AVictimThatIsNotGoneInTimeIsKept) {
  begin(eviction::Signal::kMemoryAvailable);
  step(enforce::EvictionState::kKilled);
  step(enforce::EvictionState::kExceededGrace);
  EXPECT_EQ(left().size(), 1U);
}

TEST_F(KeptState, AVictimOfADiskIsKeptUntilItsDiskIsReleased) {
  begin(eviction::Signal::kNodeFsAvailable);
  release();
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_TRUE(kept[0].for_disk);
  EXPECT_TRUE(kept[0].gone);
}

TEST_F(KeptState, AVictimOfADiskIsForgottenWithWhatItTookUpThere) {
  begin(eviction::Signal::kNodeFsAvailable);
  release();
  EXPECT_TRUE(keeper_->mark_disk_released(kVictim));
  EXPECT_FALSE(keeper_->mark_disk_released(kVictim)) << "once";
  EXPECT_TRUE(left().empty());
}

TEST_F(KeptState, DiskVictimWithProcessesIsKeptAfterItsDiskWait) {
  begin(eviction::Signal::kNodeFsAvailable);
  EXPECT_TRUE(keeper_->mark_disk_released(kVictim));
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_FALSE(kept[0].for_disk);
}

TEST_F(KeptState, IsOfNoUseInATimeNamespaceWithAnotherClock) {
  EXPECT_EQ(clock_name("b", Duration{0}), "b");
  EXPECT_EQ(clock_name("b", std::chrono::hours(1)), clock_name("b", std::chrono::hours(1)));
  begin(eviction::Signal::kMemoryAvailable, std::chrono::seconds(30));
  EXPECT_EQ(left().size(), 1U);
  StateOrigin elsewhere = kOrigin;
  elsewhere.boot_id = clock_name(kOrigin.boot_id, -std::chrono::hours(1));
  const FoundState found = find_state(file_, elsewhere, kNow);
  EXPECT_FALSE(found.found);
  EXPECT_NE(found.problem.find("of another boot"), std::string::npos) << found.problem;
}

}  // namespace
}  // namespace evictd::daemon
