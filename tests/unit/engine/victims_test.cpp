// SPDX-License-Identifier: Apache-2.0
#include "engine/victims.h"

#include <gtest/gtest.h>

namespace evictd::engine {
namespace {

using Phase = VictimPhase;

Victim entry(std::uint64_t id, Phase phase) {
  Victim made;
  made.pod = CgroupId{.hierarchy = 1, .id = id};
  made.phase = phase;
  return made;
}

CgroupId pod(std::uint64_t id) {
  return {.hierarchy = 1, .id = id};
}

TEST(Victims, ANewerEntryOfAPodReplacesTheOlder) {
  Victims table;
  EXPECT_TRUE(table.add(entry(1, Phase::kSoftGrace)));
  EXPECT_TRUE(table.add(entry(1, Phase::kKilled)));
  ASSERT_EQ(table.all().size(), 1U);
  EXPECT_EQ(table.find(pod(1))->phase, Phase::kKilled);
}

TEST(Victims, FullTableTakesAKnownPodOrReplacesOneThatIsOver) {
  Victims table;
  for (std::uint64_t id = 1; id <= Victims::kCapacity; ++id) {
    EXPECT_TRUE(table.has_room_for(pod(id)));
    EXPECT_TRUE(table.add(entry(id, Phase::kKilled)));
  }
  const std::uint64_t more = Victims::kCapacity + 1;
  EXPECT_FALSE(table.has_room_for(pod(more)));
  EXPECT_FALSE(table.add(entry(more, Phase::kKilled)));
  EXPECT_TRUE(table.has_room_for(pod(1)));
  EXPECT_TRUE(table.add(entry(1, Phase::kOver)));
  EXPECT_TRUE(table.has_room_for(pod(more)));
  EXPECT_TRUE(table.add(entry(more, Phase::kKilled)));
}

TEST(Victims, FilesAreInUseUntilAReadingThatWasAskedForAfterTheyWent) {
  const MonoTime killed{std::chrono::hours(1)};
  const MonoTime freed = killed + std::chrono::seconds(2);
  Victim one = entry(1, Phase::kReleased);
  one.killed_at = killed;
  one.holds_disk = true;
  const auto holds = [&](const std::optional<MonoTime>& asked_at, MonoTime now) {
    return Victims::still_holds_disk(one, asked_at, now);
  };
  EXPECT_TRUE(holds(freed, freed)) << "nobody has said that they are gone";

  one.disk_freed_at = freed;
  EXPECT_TRUE(holds(freed - Duration(1), freed + std::chrono::seconds(1)));
  EXPECT_TRUE(holds(std::nullopt, freed + std::chrono::seconds(1)));
  EXPECT_FALSE(holds(freed, freed));
  EXPECT_FALSE(holds(std::nullopt, killed + std::chrono::seconds(30))) << "at most for so long";

  one.holds_disk = false;
  EXPECT_FALSE(holds(std::nullopt, killed)) << "it was evicted for another resource";
}

TEST(Victims, FilesAreAwaitedWhenTheCgroupIsGone) {
  const MonoTime now{std::chrono::hours(1)};
  Victims table;
  Victim holds = entry(1, Phase::kHardGrace);
  holds.holds_disk = true;
  EXPECT_TRUE(table.add(holds));
  EXPECT_TRUE(table.add(entry(2, Phase::kKilled)));
  for (const std::uint64_t id : {1U, 2U, 3U}) {
    table.mark_cgroup_gone(pod(id), now);
  }
  EXPECT_EQ(table.find(pod(2)), nullptr) << "nothing of it is left";
  ASSERT_NE(table.find(pod(1)), nullptr);
  EXPECT_EQ(table.find(pod(1))->phase, Phase::kReleased);
  EXPECT_EQ(table.find(pod(1))->killed_at, now);

  table.forget_freed(now, now);
  EXPECT_NE(table.find(pod(1)), nullptr) << "nobody has said that they are gone";
  table.find(pod(1))->disk_freed_at = now;
  table.forget_freed(now, now);
  EXPECT_TRUE(table.empty());
}

TEST(Victims, FilesWithoutACgroupAreNotAwaitedForLongerThanOthers) {
  const MonoTime killed{std::chrono::hours(1)};
  Victims table;
  Victim holds = entry(1, Phase::kKilled);
  holds.holds_disk = true;
  holds.killed_at = killed;
  EXPECT_TRUE(table.add(holds));
  table.mark_cgroup_gone(pod(1), killed + std::chrono::seconds(20));
  table.forget_freed(std::nullopt, killed + std::chrono::seconds(29));
  EXPECT_FALSE(table.empty());
  table.forget_freed(std::nullopt, killed + std::chrono::seconds(30));
  EXPECT_TRUE(table.empty());
}

TEST(Victims, PodsOfAnotherHierarchyAreOtherPods) {
  Victims table;
  EXPECT_TRUE(table.add(entry(1, Phase::kKilled)));
  EXPECT_EQ(table.find(CgroupId{.hierarchy = 2, .id = 1}), nullptr);
}

TEST(Victims, RemovingOneKeepsTheOthers) {
  Victims table;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    EXPECT_TRUE(table.add(entry(id, Phase::kKilled)));
  }
  table.remove(pod(1));
  table.remove(pod(9));
  EXPECT_EQ(table.find(pod(1)), nullptr);
  EXPECT_NE(table.find(pod(2)), nullptr);
  EXPECT_NE(table.find(pod(3)), nullptr);
}

TEST(Victims, WhatIsOverMakesRoomWhenFull) {
  Victims table;
  for (std::uint64_t id = 1; id <= Victims::kCapacity; ++id) {
    EXPECT_TRUE(table.add(entry(id, id == 5 ? Phase::kOver : Phase::kKilled)));
  }
  EXPECT_TRUE(table.add(entry(1000, Phase::kKilled)));
  EXPECT_EQ(table.find(pod(5)), nullptr);
  EXPECT_FALSE(table.add(entry(1001, Phase::kKilled)));
  EXPECT_EQ(table.all().size(), Victims::kCapacity);
}

TEST(Victims, WhatIsLeftOfAVictimIsNotChosenAgain) {
  EXPECT_EQ(standing_of(Phase::kSoftGrace), eviction::Standing::kInSoftGrace);
  EXPECT_EQ(standing_of(Phase::kHardGrace), eviction::Standing::kInHardGrace);
  for (const Phase phase : {Phase::kKilled, Phase::kReleased, Phase::kOver}) {
    EXPECT_EQ(standing_of(phase), eviction::Standing::kKilled);
  }
}

CgroupUsage usage_of(Bytes memory, std::int64_t tasks) {
  CgroupUsage usage;
  usage.usage = memory;
  usage.tasks = tasks;
  return usage;
}

TEST(Victims, VictimLosingTasksOrMemoryIsDyingOtherwiseStuck) {
  Victim one;
  one.phase = VictimPhase::kKilled;
  one.usage = 100_MiB;
  one.tasks = 400;
  EXPECT_TRUE(Victims::is_dying(one, usage_of(100_MiB, 150)));
  EXPECT_TRUE(Victims::is_dying(one, usage_of(60_MiB, 400)));
  EXPECT_FALSE(Victims::is_dying(one, usage_of(100_MiB, 400)));
  EXPECT_FALSE(Victims::is_dying(one, usage_of(100_MiB - 4_KiB, 400))) << "a stock drained";
}

TEST(Victims, VictimPastItsGraceIsJudgedOnlyAfterTimeToDie) {
  const MonoTime killed{std::chrono::hours(1)};
  Victims table;
  EXPECT_EQ(table.next_judgement(), std::nullopt);
  Victim one = entry(1, Phase::kKilled);
  one.killed_at = killed;
  EXPECT_TRUE(table.add(one));
  EXPECT_EQ(table.next_judgement(), std::nullopt) << "it has not exceeded its grace";
  one.exceeded = true;
  one.killed_at = killed + std::chrono::minutes(1);
  EXPECT_TRUE(table.add(one));
  Victim earlier = entry(2, Phase::kKilled);
  earlier.exceeded = true;
  earlier.killed_at = killed;
  EXPECT_TRUE(table.add(earlier));
  EXPECT_EQ(table.next_judgement(), killed + kLeastTimeToDie);
  earlier.phase = Phase::kReleased;
  EXPECT_EQ(Victims::judgement_due(earlier), std::nullopt) << "it is gone";
}

TEST(Victims, AReleasedCgroupThatGotAProcessSinceIsInUseAgain) {
  const MonoTime released{std::chrono::hours(1)};
  Victims table;
  Victim left = entry(1, Phase::kReleased);
  left.released_at = released;
  EXPECT_TRUE(table.add(left));
  Victim& kept = *table.find(pod(1));
  const CgroupUsage zombie = usage_of(1_MiB, 1);
  EXPECT_FALSE(Victims::is_in_use_again(kept, zombie));
  table.mark_populated(pod(1), released);
  table.mark_populated(pod(2), released + Duration(1));
  EXPECT_FALSE(Victims::is_in_use_again(kept, zombie)) << "told of those that are gone";
  table.mark_populated(pod(1), released + Duration(1));
  EXPECT_TRUE(Victims::is_in_use_again(kept, zombie));
  EXPECT_EQ(standing_of(Phase::kInUseAgain), eviction::Standing::kActive);
}

TEST(Victims, AReleasedCgroupThatGrowsIsInUseAgain) {
  Victim left = entry(1, Phase::kReleased);
  EXPECT_FALSE(Victims::is_in_use_again(left, usage_of(5_MiB, 3)));
  EXPECT_FALSE(Victims::is_in_use_again(left, usage_of(2_MiB, 1)));
  EXPECT_FALSE(Victims::is_in_use_again(left, CgroupUsage{})) << "nothing could be read";
  Victim other = left;
  EXPECT_TRUE(Victims::is_in_use_again(other, usage_of(2_MiB, 2)));
  other = left;
  EXPECT_FALSE(Victims::is_in_use_again(other, usage_of(3_MiB, 1))) << "late charges";
  EXPECT_TRUE(Victims::is_in_use_again(other, usage_of(4_MiB, 1)));
  other = left;
  other.phase = Phase::kKilled;
  EXPECT_FALSE(Victims::is_in_use_again(other, usage_of(50_MiB, 9))) << "still dying";
}

TEST(Victims, CgroupPastItsReleaseIsReusedIfItGrowsUnlessGivenUp) {
  Victim left = entry(1, Phase::kReleased);
  EXPECT_FALSE(Victims::is_in_use_again(left, usage_of(2_MiB, 1)));
  left.phase = Phase::kOver;
  EXPECT_FALSE(Victims::is_in_use_again(left, usage_of(2_MiB, 1)));
  EXPECT_TRUE(Victims::is_in_use_again(left, usage_of(2_MiB, 2)));
  Victim given_up = entry(2, Phase::kOver);
  EXPECT_FALSE(Victims::is_in_use_again(given_up, usage_of(2_MiB, 1)));
  EXPECT_FALSE(Victims::is_in_use_again(given_up, usage_of(50_MiB, 9))) << "it never went";
}

TEST(Victims, AVictimThatWasNotKilledYetIsNotDying) {
  Victim one;
  one.phase = VictimPhase::kHardGrace;
  one.usage = 100_MiB;
  one.tasks = 400;
  EXPECT_FALSE(Victims::is_dying(one, usage_of(1_MiB, 1)));
}

TEST(Victims, DryRunVictimOfItsOwnLimitIsPassedOverWithoutAHold) {
  Victim named = entry(1, Phase::kHardGrace);
  named.dry_run = true;
  EXPECT_EQ(standing_of(named), eviction::Standing::kInHardGrace)
      << "for pressure it is waited for";
  named.for_own_limit = true;
  EXPECT_EQ(standing_of(named), eviction::Standing::kKilled);
  named.dry_run = false;
  EXPECT_EQ(standing_of(named), eviction::Standing::kInHardGrace) << "its grace really runs";
}

}  // namespace
}  // namespace evictd::engine
