// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/adoption.h"
#include "unit/engine/moments.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::daemon {
namespace {

using std::chrono::seconds;

constexpr MonoTime kBegan{seconds(990)};
constexpr MonoTime kDue{seconds(1020)};

enforce::Inhabitants living(std::size_t processes, std::size_t dying = 0,
                            MonoTime oldest = MonoTime(seconds(100))) {
  return {.processes = processes, .dying = dying, .oldest = oldest};
}

SavedEviction saved(bool killed) {
  SavedEviction eviction;
  eviction.uid = "uid";
  eviction.hard = false;
  eviction.killed = killed;
  eviction.began_at = kBegan;
  eviction.kill_due_at = kDue;
  eviction.killed_at = killed ? MonoTime(seconds(995)) : MonoTime{};
  return eviction;
}

const enforce::Intent kIntent{.hard = false, .began_at = kBegan, .kill_due_at = kDue};

AdoptionKind kind_of(const std::optional<Adoption>& adoption) {
  EXPECT_TRUE(adoption);
  return adoption ? adoption->kind : AdoptionKind::kReleasing;
}

TEST(Adoption, NothingIsUnderWayInAPodThatNothingIsKnownOf) {
  EXPECT_FALSE(adoption_of({.inhabitants = living(0), .intent = std::nullopt}, kNow));
  EXPECT_FALSE(adoption_of({.inhabitants = living(3, 2), .intent = std::nullopt}, kNow));
}

TEST(Adoption, AVictimInItsGraceKeepsItsDeadlineByIntentAndByFile) {
  const SavedEviction file = saved(false);
  for (const FoundPod& pod :
       {FoundPod{.inhabitants = living(2), .intent = kIntent, .saved = nullptr},
        FoundPod{.inhabitants = living(2), .intent = std::nullopt, .saved = &file}}) {
    const auto adoption = adoption_of(pod, kNow);
    ASSERT_TRUE(adoption);
    EXPECT_EQ(adoption->kind, AdoptionKind::kInGrace);
    EXPECT_EQ(adoption->kill_due_at, kDue);
    EXPECT_FALSE(adoption->hard);
  }
}

TEST(Adoption, PidsMaxIsReadFromTheIntentThoughTheFileSaysKilled) {
  const SavedEviction file = saved(true);
  enforce::Intent intent = kIntent;
  intent.pids_max = "77";
  intent.hold_tasks = true;
  const auto adoption =
      adoption_of({.inhabitants = living(2), .intent = intent, .saved = &file}, kNow);
  ASSERT_TRUE(adoption);
  EXPECT_EQ(adoption->pids_max.word(), "77");
  EXPECT_TRUE(adoption->hold_tasks);
}

TEST(Adoption, AKilledVictimIsStillReleasing) {
  const SavedEviction file = saved(true);
  const auto adoption =
      adoption_of({.inhabitants = living(2), .intent = kIntent, .saved = &file}, kNow);
  ASSERT_TRUE(adoption);
  EXPECT_EQ(adoption->kind, AdoptionKind::kKilled);
  EXPECT_EQ(adoption->killed_at, file.killed_at);
}

TEST(Adoption, APodThatIsDyingByWhosoeverHandIsAwaitedAndNotTouched) {
  const auto adoption = adoption_of({.inhabitants = living(2, 2), .intent = std::nullopt}, kNow);
  ASSERT_TRUE(adoption);
  EXPECT_EQ(adoption->kind, AdoptionKind::kReleasing);
  EXPECT_EQ(adoption->killed_at, kNow);
}

TEST(Adoption, AVictimThatDiesInItsGraceIsReleasing) {
  const auto adoption = adoption_of({.inhabitants = living(2, 2), .intent = kIntent}, kNow);
  ASSERT_TRUE(adoption);
  EXPECT_EQ(adoption->kind, AdoptionKind::kKilled);
}

TEST(Adoption, ProcessesYoungerThanTheEvictionAreNotItsVictims) {
  const SavedEviction file = saved(true);
  const FoundPod pod{
      .inhabitants = living(1, 0, kBegan + seconds(1)), .intent = kIntent, .saved = &file};
  EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kOver);
}

TEST(Adoption, AnEvictionWhoseVictimsAreGoneIsOver) {
  EXPECT_EQ(kind_of(adoption_of({.inhabitants = living(0), .intent = kIntent}, kNow)),
            AdoptionKind::kOver);
}

TEST(Adoption, AVictimThatIsGoneIsAwaitedWhileItsDiskIs) {
  SavedEviction file = saved(true);
  const FoundPod pod{.inhabitants = living(0), .intent = std::nullopt, .saved = &file};
  EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kOver) << "it holds no disk";

  file.for_disk = true;
  const auto adoption = adoption_of(pod, kNow);
  EXPECT_EQ(kind_of(adoption), AdoptionKind::kGone);
  EXPECT_TRUE(adoption->for_disk);
  EXPECT_EQ(adoption->killed_at, file.killed_at);
  EXPECT_EQ(kind_of(adoption_of(pod, file.killed_at + seconds(30))), AdoptionKind::kOver)
      << "it was awaited for long enough";
}

TEST(Adoption, GoneVictimIsAwaitedWhileItsDeadTasksAreUnreaped) {
  const SavedEviction file = saved(true);
  FoundPod pod{.inhabitants = living(0), .intent = std::nullopt, .saved = &file};
  pod.tasks = 3;
  for (const MayEnd may_end : {MayEnd::kYes, MayEnd::kProtected, MayEnd::kDryRun}) {
    pod.may_end = may_end;
    const auto adoption = adoption_of(pod, kNow);
    EXPECT_EQ(kind_of(adoption), AdoptionKind::kUnreaped) << "it needs no signal";
    EXPECT_EQ(adoption->killed_at, file.killed_at);
  }
  EXPECT_EQ(kind_of(adoption_of(pod, file.killed_at + seconds(30))), AdoptionKind::kOver)
      << "it was awaited for long enough";
  for (const std::int64_t none : {0, -1}) {
    pod.tasks = none;
    EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kOver);
  }
}

TEST(Adoption, AVictimThatIsGoneIsAwaitedWhileItsCgroupIsCharged) {
  const SavedEviction file = saved(true);
  FoundPod pod{.inhabitants = living(0), .intent = std::nullopt, .saved = &file};
  pod.charged = 64_MiB;
  const auto adoption = adoption_of(pod, kNow);
  EXPECT_EQ(kind_of(adoption), AdoptionKind::kUnreaped);
  EXPECT_EQ(adoption->killed_at, file.killed_at);
  EXPECT_EQ(kind_of(adoption_of(pod, file.killed_at + seconds(30))), AdoptionKind::kOver)
      << "it was awaited for long enough";
  pod.charged = 1_MiB;
  EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kOver) << "of its own";
}

TEST(Adoption, WhoIsFoundAfterTheEndOfAVictimIsSparedHoweverOld) {
  SavedEviction file = saved(true);
  file.gone = true;
  const FoundPod pod{.inhabitants = living(2), .intent = std::nullopt, .saved = &file};
  EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kOver);
}

TEST(Adoption, IntentNewerThanAVictimsEndIsOfAnotherEviction) {
  SavedEviction file = saved(true);
  file.gone = true;
  const enforce::Intent intent{.hard = true,
                               .began_at = file.killed_at + seconds(1),
                               .kill_due_at = file.killed_at + seconds(10)};
  const FoundPod pod{.inhabitants = living(2), .intent = intent, .saved = &file};
  const auto adoption = adoption_of(pod, kNow);
  ASSERT_EQ(kind_of(adoption), AdoptionKind::kInGrace);
  EXPECT_EQ(adoption->kill_due_at, intent.kill_due_at);
}

TEST(Adoption, UnreadableVictimKeepsItsDeadlineAndIsNotGone) {
  for (enforce::Inhabitants seen : {living(0), living(1, 1, kBegan + seconds(1))}) {
    seen.unread = true;
    const auto in_grace = adoption_of({.inhabitants = seen, .intent = kIntent}, kNow);
    EXPECT_EQ(kind_of(in_grace), AdoptionKind::kInGrace);
    EXPECT_EQ(in_grace->kill_due_at, kDue);
    const SavedEviction file = saved(true);
    EXPECT_EQ(kind_of(adoption_of({.inhabitants = seen, .intent = kIntent, .saved = &file}, kNow)),
              AdoptionKind::kKilled);
    EXPECT_FALSE(adoption_of({.inhabitants = seen, .intent = std::nullopt}, kNow));
  }
}

TEST(Adoption, AnIntentOfMomentsToComeIsOfAnotherClockAndEndsNobody) {
  enforce::Intent intent = kIntent;
  intent.began_at = kNow + seconds(1);
  intent.kill_due_at = kNow + seconds(30);
  EXPECT_FALSE(adoption_of({.inhabitants = living(2), .intent = intent}, kNow));
  const SavedEviction file = saved(false);
  const auto adoption =
      adoption_of({.inhabitants = living(2), .intent = intent, .saved = &file}, kNow);
  ASSERT_EQ(kind_of(adoption), AdoptionKind::kInGrace) << "the file is known to be of this one";
  EXPECT_EQ(adoption->kill_due_at, kDue);
}

TEST(Adoption, AnIntentOfAnotherClockEndsNobodyThoughItsMomentsArePast) {
  FoundPod pod{.inhabitants = living(2), .intent = kIntent};
  pod.clock = "boot";
  EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kInGrace) << "it names no clock";
  pod.intent->clock = "boot";
  EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kInGrace);
  pod.intent->clock = "boot, clock ahead by 5 ns";
  EXPECT_FALSE(adoption_of(pod, kNow));
  pod.inhabitants = living(0);
  EXPECT_FALSE(adoption_of(pod, kNow)) << "nor is it known whose end that was";
}

TEST(Adoption, AnIntentTellsThatTheDiskIsAwaitedToo) {
  enforce::Intent intent = kIntent;
  intent.for_disk = true;
  const auto in_grace = adoption_of({.inhabitants = living(2), .intent = intent}, kNow);
  EXPECT_EQ(kind_of(in_grace), AdoptionKind::kInGrace);
  EXPECT_TRUE(in_grace->for_disk);
  const auto gone = adoption_of({.inhabitants = living(0), .intent = intent}, kNow);
  EXPECT_EQ(kind_of(gone), AdoptionKind::kGone);
  EXPECT_EQ(gone->killed_at, kNow) << "when it ended is not known";
}

TEST(Adoption, ADiskIsNotAwaitedWhereSomebodyElseLivesByNow) {
  SavedEviction file = saved(true);
  file.for_disk = true;
  const FoundPod pod{
      .inhabitants = living(1, 0, kBegan + seconds(1)), .intent = std::nullopt, .saved = &file};
  EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kOver);
}

TEST(Adoption, WhatIsProtectedByNowIsNotEndedWhateverWasBegun) {
  const SavedEviction in_grace = saved(false);
  const SavedEviction killed = saved(true);
  for (const SavedEviction* file : {&in_grace, &killed}) {
    FoundPod pod{.inhabitants = living(2), .intent = kIntent, .saved = file};
    pod.may_end = MayEnd::kProtected;
    EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kRefused);
  }
}

TEST(Adoption, ADryRunLeavesWhatWasBegunToALaterEvictd) {
  const SavedEviction in_grace = saved(false);
  const SavedEviction killed = saved(true);
  for (const SavedEviction* file : {&in_grace, &killed}) {
    FoundPod pod{.inhabitants = living(2), .intent = kIntent, .saved = file};
    pod.may_end = MayEnd::kDryRun;
    EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kLeft);
  }
}

TEST(Adoption, ADryRunLeavesAVictimThatIsGoneAndWhoseDiskIsAwaited) {
  SavedEviction file = saved(true);
  file.for_disk = true;
  FoundPod pod{.inhabitants = living(0), .intent = std::nullopt, .saved = &file};
  pod.may_end = MayEnd::kDryRun;
  EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kLeft) << "its data may be removed";
  EXPECT_EQ(kind_of(adoption_of(pod, file.killed_at + seconds(30))), AdoptionKind::kOver)
      << "nothing is left to be done";
  pod.may_end = MayEnd::kProtected;
  EXPECT_EQ(kind_of(adoption_of(pod, kNow)), AdoptionKind::kGone) << "its processes are no more";
}

TEST(Adoption, WhatNeedsNoSignalOfOursGoesOnWhereNobodyMayBeSignalled) {
  for (const MayEnd may_end : {MayEnd::kProtected, MayEnd::kDryRun}) {
    FoundPod gone{.inhabitants = living(0), .intent = kIntent};
    gone.may_end = may_end;
    EXPECT_EQ(kind_of(adoption_of(gone, kNow)), AdoptionKind::kOver);
    FoundPod dying{.inhabitants = living(2, 2), .intent = std::nullopt};
    dying.may_end = may_end;
    EXPECT_EQ(kind_of(adoption_of(dying, kNow)), AdoptionKind::kReleasing);
    FoundPod running{.inhabitants = living(2), .intent = std::nullopt};
    running.may_end = may_end;
    EXPECT_FALSE(adoption_of(running, kNow));
  }
}

TEST(Adoption, AKillAtOnceThatNobodyDiesOfIsDecidedAnew) {
  enforce::Intent intent = kIntent;
  intent.at_once = true;
  EXPECT_FALSE(adoption_of({.inhabitants = living(3), .intent = intent}, kNow));
}

TEST(Adoption, AKillAtOnceThatSomebodyDiesOfIsEnded) {
  enforce::Intent intent = kIntent;
  intent.at_once = true;
  for (const std::size_t dying : {1U, 3U}) {
    EXPECT_EQ(kind_of(adoption_of({.inhabitants = living(3, dying), .intent = intent}, kNow)),
              AdoptionKind::kKilled);
  }
}

}  // namespace
}  // namespace evictd::daemon
