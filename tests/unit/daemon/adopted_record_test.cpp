// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/adopted_record.h"
#include "unit/engine/moments.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonoTime kBeganThen{seconds(990)};
constexpr Adoption kKilled{.kind = AdoptionKind::kKilled,
                           .hard = true,
                           .began_at = kBeganThen,
                           .kill_due_at = kBeganThen + seconds(3),
                           .killed_at = kBeganThen + seconds(3)};

SavedEviction known() {
  SavedEviction known;
  known.uid = "u";
  known.ns = "team";
  known.name = "web";
  known.signal = "pid.available";
  known.threshold = "10%";
  return known;
}

TEST(AdoptedRecord, SaysWhatIsKnown) {
  const exporting::EvictionRecord record = make_adopted_record(known(), kKilled, {});
  EXPECT_EQ(record.trigger, "restart");
  EXPECT_EQ(record.outcome, "evicted");
  EXPECT_EQ(record.name, "web");
  EXPECT_EQ(record.signal, "pid.available");
  EXPECT_EQ(record.resource, "pids");
  EXPECT_EQ(record.grace_seconds, 3);
  EXPECT_EQ(record.state, "killed");
  EXPECT_EQ(record.timeline.killed, kBeganThen + seconds(3));
  EXPECT_FALSE(record.available);
}

TEST(AdoptedRecord, VictimThatMayHaveExitedInGraceIsNotCalledKilled) {
  Adoption ended = kKilled;
  ended.kind = AdoptionKind::kGone;
  SavedEviction in_grace = known();
  EXPECT_FALSE(make_adopted_record(in_grace, ended, {}).timeline.killed);
  EXPECT_EQ(make_adopted_record(in_grace, ended, {}).state, "released");
  in_grace.killed = true;
  EXPECT_TRUE(make_adopted_record(in_grace, ended, {}).timeline.killed);
}

TEST(AdoptedRecord, AGraceThatWasCutIsEscalated) {
  SavedEviction cut = known();
  cut.escalated = true;
  EXPECT_EQ(make_adopted_record(cut, kKilled, {}).outcome, "escalated");
}

TEST(AdoptedRecord, WithoutAStateFileThePodIsKnownAndTheReasonIsNot) {
  SavedEviction nothing;
  nothing.uid = "u";
  const exporting::EvictionRecord record = make_adopted_record(nothing, kKilled, {});
  EXPECT_EQ(record.uid, "u");
  EXPECT_EQ(record.signal, "");
  EXPECT_EQ(record.resource, "");
}

TEST(AdoptedRecord, VictimWithoutManifestKeepsTheStateFilesName) {
  HotPod pod;
  pod.uid = "u";
  pod.name = "u";  // As nothing but its cgroup names it.
  const SavedEviction saved = known();
  EXPECT_EQ(known_of(pod, &saved).ns, "team");
  EXPECT_EQ(known_of(pod, &saved).name, "web");
  EXPECT_EQ(known_of(pod, nullptr).name, "u");
  pod.ns = "other";
  pod.name = "db";
  EXPECT_EQ(known_of(pod, &saved).ns, "other") << "a manifest that is there knows better";
  EXPECT_EQ(known_of(pod, &saved).name, "db");
}

TEST(AdoptedRecord, ARecordOfTheSameEvictionIsRecognised) {
  exporting::EvictionRecord record;
  record.uid = "u";
  record.state = "terminating";
  record.timeline.signal = kBeganThen + milliseconds(1);
  EXPECT_TRUE(is_record_of(record, "u", kKilled, kNow));
  EXPECT_FALSE(is_record_of(record, "another", kKilled, kNow));
  record.state = "released";
  EXPECT_FALSE(is_record_of(record, "u", kKilled, kNow)) << "that one is over";
  Adoption ended = kKilled;
  ended.kind = AdoptionKind::kGone;
  EXPECT_TRUE(is_record_of(record, "u", ended, kNow)) << "and so is this one";
  record.timeline.signal = kBeganThen - milliseconds(1);
  EXPECT_FALSE(is_record_of(record, "u", ended, kNow)) << "of the eviction before";
  record.state = "killed";
  record.timeline.signal = kNow + seconds(1);
  EXPECT_FALSE(is_record_of(record, "u", kKilled, kNow)) << "of another boot";
}

}  // namespace
}  // namespace evictd::daemon
