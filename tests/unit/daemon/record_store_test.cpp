// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/record_store.h"

#include <gtest/gtest.h>

namespace evictd::daemon {
namespace {

using enforce::EvictionState;

CgroupId cgroup(std::uint64_t id) {
  return {.hierarchy = 1, .id = id};
}

MonoTime at(std::int64_t ns) {
  return MonoTime(Duration(ns));
}

EvictionStep step(std::uint64_t id, EvictionState state, std::int64_t ns, Bytes usage = Bytes{-1}) {
  EvictionStep made;
  made.progress.pod = cgroup(id);
  made.progress.state = state;
  made.progress.at = at(ns);
  made.usage = usage;
  return made;
}

TEST(RecordStore, NumbersRecordsFromOne) {
  RecordStore store;
  EXPECT_EQ(store.count(), 0U);
  EXPECT_EQ(store.add({}, cgroup(1)).id, 1U);
  EXPECT_EQ(store.add({}, cgroup(2)).id, 2U);
  EXPECT_EQ(store.count(), 2U);
}

TEST(RecordStore, NamesTheNodeInWhatIsMadeHere) {
  RecordStore store;
  store.start_after(6, "worker-1");
  EXPECT_EQ(store.add({}, cgroup(1)).node, "worker-1");
  EXPECT_EQ(store.add_pass({}).node, "worker-1");
  exporting::EvictionRecord earlier;
  earlier.node = "worker-0";
  EXPECT_EQ(store.add_adopted(earlier, cgroup(2)).node, "worker-0") << "as it was written";
}

TEST(RecordStore, ForgetsTheOldestButGoesOnCounting) {
  RecordStore store;
  for (std::size_t i = 0; i < RecordStore::kKept + 2; ++i) {
    store.add({}, cgroup(i + 1));
  }
  EXPECT_EQ(store.latest().size(), RecordStore::kKept);
  EXPECT_EQ(store.latest().front().id, 3U);
  EXPECT_EQ(store.count(), RecordStore::kKept + 2);
  EXPECT_EQ(store.apply_step(step(1, EvictionState::kKilled, 1)), nullptr);
}

TEST(RecordStore, AStepGoesToTheNewestEvictionOfThePod) {
  RecordStore store;
  store.add({}, cgroup(1));
  store.add({}, cgroup(1));
  store.add({}, cgroup(2));
  const exporting::EvictionRecord* record = store.apply_step(step(1, EvictionState::kKilled, 40));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->id, 2U);
  EXPECT_EQ(record->state, "killed");
  EXPECT_EQ(record->timeline.killed, at(40));
}

TEST(RecordStore, AStepOfADryRunIsNoneOfTheEvictionThatFollowedIt) {
  RecordStore store;
  exporting::EvictionRecord dry;
  dry.dry_run = true;
  store.add(dry, cgroup(1));
  store.add({}, cgroup(1));
  EvictionStep pretended = step(1, EvictionState::kReleased, 40);
  pretended.dry_run = true;
  const exporting::EvictionRecord* record = store.apply_step(pretended);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->id, 1U);
  EXPECT_EQ(store.latest().back().timeline.exited, std::nullopt);
}

TEST(RecordStore, AReleaseThatLeftAlmostNothingIsAlsoTheEndOfFreeing) {
  RecordStore store;
  store.add({}, cgroup(1));
  const exporting::EvictionRecord* record =
      store.apply_step(step(1, EvictionState::kReleased, 50, 100_KiB));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->state, "released");
  EXPECT_EQ(record->timeline.exited, at(50));
  EXPECT_EQ(record->remaining_bytes, 100 * 1024);
  EXPECT_EQ(record->timeline.freed, at(50));
}

TEST(RecordStore, AReleaseThatLeftFilesInMemoryHasFreedNothingYet) {
  RecordStore store;
  store.add({}, cgroup(1));
  const exporting::EvictionRecord* record =
      store.apply_step(step(1, EvictionState::kReleased, 50, 20_MiB));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->timeline.freed, std::nullopt);
  EXPECT_EQ(record->remaining_bytes, 20 * 1024 * 1024);
}

TEST(RecordStore, AReleaseTellsHowManyTasksNobodyHasReaped) {
  RecordStore store;
  store.add({}, cgroup(1));
  EvictionStep released = step(1, EvictionState::kReleased, 50, 100_KiB);
  EXPECT_EQ(store.apply_step(released)->unreaped_tasks, std::nullopt) << "they are not counted";
  released.tasks = 400;
  EXPECT_EQ(store.apply_step(released)->unreaped_tasks, 400);
}

TEST(RecordStore, ARemovedCgroupHasNothingLeft) {
  RecordStore store;
  store.add({}, cgroup(1));
  const exporting::EvictionRecord* record = store.apply_step(step(1, EvictionState::kReleased, 50));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->remaining_bytes, std::nullopt);
  EXPECT_EQ(record->timeline.freed, at(50));
}

TEST(RecordStore, AnExceededGraceIsAStateAndNoMoment) {
  RecordStore store;
  store.add({}, cgroup(1));
  const exporting::EvictionRecord* record =
      store.apply_step(step(1, EvictionState::kExceededGrace, 60));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->state, "exceeded_grace");
  EXPECT_EQ(record->timeline.exited, std::nullopt);
  ASSERT_EQ(record->events.size(), 1U);
  EXPECT_EQ(record->events[0].on, "pod");
  EXPECT_EQ(record->events[0].reason, "ExceededGracePeriod");
}

TEST(RecordStore, VictimSparedAtTheEndOfItsGraceHasTheReason) {
  RecordStore store;
  store.add({}, cgroup(1));
  EvictionStep refused = step(1, EvictionState::kExceededGrace, 60);
  refused.progress.not_killed = "never_evict";
  const exporting::EvictionRecord* record = store.apply_step(refused);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->state, "exceeded_grace");
  EXPECT_EQ(record->not_killed, "never_evict");
  EXPECT_TRUE(record->events.empty()) << "a kubelet tells of pods that outlive their SIGKILL";
}

TEST(RecordStore, VictimKilledBeforeItsProtectionIsNotCalledSpared) {
  RecordStore store;
  store.add({}, cgroup(1));
  static_cast<void>(store.apply_step(step(1, EvictionState::kKilled, 50)));
  EvictionStep refused = step(1, EvictionState::kExceededGrace, 60);
  refused.progress.not_killed = "never_evict";
  const exporting::EvictionRecord* record = store.apply_step(refused);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->not_killed, "");
}

/// Nobody but the kernel side had sent SIGKILL at first.
exporting::EvictionRecord killed_by_kernel(std::int64_t ns) {
  exporting::EvictionRecord record;
  record.method = "kernel";
  record.state = "killed";
  record.timeline.first_signal = at(ns);
  record.timeline.killed = at(ns);
  return record;
}

TEST(RecordStore, VictimSparedAfterAKillOfTheKernelHasTheReason) {
  for (const bool finished : {false, true}) {
    RecordStore store;
    store.add(killed_by_kernel(40), cgroup(1));
    if (finished) {
      static_cast<void>(store.apply_step(step(1, EvictionState::kKilled, 50)));
    }
    EvictionStep spared = step(1, EvictionState::kExceededGrace, 60);
    spared.progress.not_killed = "unreachable";
    const exporting::EvictionRecord* record = store.apply_step(spared);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->not_killed, finished ? "" : "unreachable");
    EXPECT_EQ(record->events.size(), finished ? 1U : 0U);
  }
}

/// A record of the eviction of "u" whose SIGTERM was sent at `ns`.
exporting::EvictionRecord in_grace(std::int64_t ns) {
  exporting::EvictionRecord record;
  record.uid = "u";
  record.outcome = "evicted";
  record.state = "terminating";
  record.grace_seconds = 1;
  record.timeline.signal = at(ns);
  return record;
}

/// One that cut its grace and, from `ns` on, had it killed.
exporting::EvictionRecord cut_at(std::int64_t ns) {
  exporting::EvictionRecord record;
  record.uid = "u";
  record.outcome = "escalated";
  record.state = "killed";
  record.timeline.signal = at(ns);
  record.timeline.killed = at(ns);
  return record;
}

TEST(RecordStore, AnEscalationAndWhatItCutTellOfEachOther) {
  RecordStore store;
  store.add(in_grace(100), cgroup(1));
  const exporting::EvictionRecord& escalation = store.add(cut_at(900), cgroup(1));
  EXPECT_EQ(escalation.escalates, 1U);
  EXPECT_EQ(escalation.escalated_by, std::nullopt);
  EXPECT_EQ(exporting::grace_used(escalation.timeline), Duration(800)) << "since the first SIGTERM";
  const auto cut = store.cut_by(escalation);
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0]->id, 1U);
  EXPECT_EQ(cut[0]->escalated_by, 2U);
  EXPECT_EQ(cut[0]->state, "killed");
  EXPECT_EQ(exporting::grace_used(cut[0]->timeline), Duration(800));
}

TEST(RecordStore, AnEvictionWhoseGraceWasCutEndsWithTheEscalation) {
  RecordStore store;
  store.add(in_grace(100), cgroup(1));
  store.add(cut_at(900), cgroup(1));
  ASSERT_NE(store.apply_step(step(1, EvictionState::kKilled, 900)), nullptr);
  const exporting::EvictionRecord* last = store.apply_step(step(1, EvictionState::kReleased, 950));
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->id, 2U);
  for (const exporting::EvictionRecord& record : store.latest()) {
    EXPECT_EQ(record.state, "released") << record.id;
    EXPECT_EQ(record.timeline.exited, at(950)) << record.id;
  }
}

TEST(RecordStore, AGraceThatIsCutTwiceIsCountedFromTheFirstSigterm) {
  RecordStore store;
  store.add(in_grace(100), cgroup(1));
  exporting::EvictionRecord shortened = cut_at(500);
  shortened.state = "terminating";
  shortened.timeline.killed.reset();
  store.add(shortened, cgroup(1));
  const exporting::EvictionRecord& last = store.add(cut_at(900), cgroup(1));
  EXPECT_EQ(last.escalates, 2U);
  EXPECT_EQ(exporting::grace_used(last.timeline), Duration(800));
  const auto cut = store.cut_by(last);
  ASSERT_EQ(cut.size(), 2U);
  EXPECT_EQ(cut[0]->id, 1U);
  EXPECT_EQ(cut[1]->id, 2U);
  EXPECT_EQ(cut[0]->timeline.killed, at(900));
}

TEST(RecordStore, AnEscalationOfWhatIsNotRecordedStandsAlone) {
  RecordStore store;
  exporting::EvictionRecord over = in_grace(100);
  over.state = "released";
  store.add(over, cgroup(1));
  const exporting::EvictionRecord& escalation = store.add(cut_at(900), cgroup(1));
  EXPECT_EQ(escalation.escalates, std::nullopt);
  EXPECT_TRUE(store.cut_by(escalation).empty());
}

}  // namespace
}  // namespace evictd::daemon
