// SPDX-License-Identifier: Apache-2.0
#include "demo/eviction_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evictd::demo {
namespace {

TEST(DemoEvictionRecord, TakesWhatEvictdSaysOfAnEviction) {
  const auto records = parse_evictions(R"([{
      "id": 1, "pod": "default/besteffort-hog", "uid": "u-1", "grace_seconds": 0,
      "timeline": {"hook_ns": 1000, "wake_ns": 2000, "observe_ns": 3000, "decide_ns": 4000,
                   "first_signal_ns": 4500, "signal_ns": 5000, "killed_ns": 5000, "exited_ns": null, "freed_ns": null},
      "ranking": [{"place": 1, "name": "besteffort-hog", "reason": "chosen"},
                  {"place": 0, "name": "static", "reason": "protected"}],
      "hooks": {"charge": "tp_btf/mod_memcg_state", "fork": "tp_btf/task_newtask",
                "exit": "tp_btf/task_newtask"}}])");
  ASSERT_TRUE(records) << records.error().message();
  ASSERT_EQ(records->size(), 1U);
  const EvictionRecord& record = records->front();
  EXPECT_EQ(record.uid, "u-1");
  EXPECT_EQ(record.hook, MonoTime{Duration{1000}});
  EXPECT_EQ(record.kill, MonoTime{Duration{4500}}) << "without a grace, the first SIGKILL";
  EXPECT_FALSE(record.freed);
  EXPECT_THAT(record.hooks,
              testing::UnorderedElementsAre("tp_btf/mod_memcg_state", "tp_btf/task_newtask"));
  ASSERT_EQ(record.ranking.size(), 1U);
  EXPECT_EQ(record.ranking[0].reason, "chosen");
}

/// A hard eviction with a grace of 2 s, cut after 100 us.
constexpr const char* kCut = R"([
    {"id": 1, "uid": "u-1", "outcome": "evicted", "grace_seconds": 2,
     "timeline": {"hook_ns": 1000, "wake_ns": 2000, "observe_ns": 3000, "decide_ns": 4000,
                  "first_signal_ns": 5000, "signal_ns": 5000, "killed_ns": null,
                  "exited_ns": null, "freed_ns": null}},
    {"id": 2, "uid": "u-2", "outcome": "evicted", "grace_seconds": 0,
     "timeline": {"wake_ns": 7, "first_signal_ns": 8}},
    {"id": 3, "uid": "u-1", "outcome": "escalated", "grace_seconds": 0,
     "timeline": {"hook_ns": 91000, "wake_ns": 92000, "observe_ns": 93000, "decide_ns": 94000,
                  "first_signal_ns": 105000, "signal_ns": 105000, "killed_ns": 106000,
                  "exited_ns": 200000, "freed_ns": 300000}}])";

MonoTime at_ns(std::int64_t ns) {
  return MonoTime{Duration{ns}};
}

TEST(DemoEvictionRecord, OfAGraceThatWasCutTakesOnlyTheKillFromTheEscalation) {
  const auto records = parse_evictions(kCut);
  ASSERT_TRUE(records) << records.error().message();
  const std::optional<EvictionRecord> whole = eviction_of(*records, "u-1");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->hook, at_ns(1000));
  EXPECT_EQ(whole->wake, at_ns(2000));
  EXPECT_EQ(whole->observe, at_ns(3000));
  EXPECT_EQ(whole->decide, at_ns(4000));
  EXPECT_EQ(whole->signal, at_ns(5000));
  EXPECT_EQ(whole->kill, at_ns(105000));
  EXPECT_EQ(whole->freed, at_ns(300000));
  EXPECT_TRUE(whole->grace_was_cut);
}

TEST(DemoEvictionRecord, KnowsSinceWhenTheThresholdThatWasActedOnHadBeenMet) {
  const auto records = parse_evictions(R"([{"id": 1, "uid": "u-1", "grace_seconds": 1,
      "timeline": {"hook_ns": null, "observe_ns": 12000000000},
      "thresholds": [{"stood": "not_met", "met_for_ms": null},
                     {"stood": "past_grace", "met_for_ms": 7000},
                     {"stood": "acted_on", "met_for_ms": 2004}]}])");
  ASSERT_TRUE(records) << records.error().message();
  EXPECT_EQ(records->front().first_met, at_ns(9'996'000'000));
}

TEST(DemoEvictionRecord, KnowsThatAPassBeforeHeldUntilUsageWasMeasured) {
  constexpr const char* kRecords = R"({"schema": 1, "file": null, "records": [
      {"id": 1, "outcome": "held", "hold_reason": "usage_pending", "timeline": {"decide_ns": 2000}},
      {"id": 2, "outcome": "held", "hold_reason": "victim_in_grace", "timeline": {"decide_ns": 3000}},
      {"id": 3, "outcome": "evicted", "hold_reason": "", "timeline": {"decide_ns": 4000}},
      {"id": 4, "outcome": "held", "hold_reason": "usage_pending", "timeline": {"decide_ns": 5000}}]})";
  EvictionRecord eviction;
  eviction.decide = at_ns(4000);
  EXPECT_EQ(held_for_usage(kRecords, eviction), at_ns(2000));
  eviction.decide = at_ns(1000);
  EXPECT_EQ(held_for_usage(kRecords, eviction), std::nullopt);
  EXPECT_EQ(held_for_usage(R"({"error": "no"})", eviction), std::nullopt);
  EXPECT_EQ(held_for_usage("[3]", eviction), std::nullopt);
}

TEST(DemoEvictionRecord, IsOfThePodThatIsAskedForAndOfNoOther) {
  const auto records = parse_evictions(kCut);
  ASSERT_TRUE(records) << records.error().message();
  const std::optional<EvictionRecord> other = eviction_of(*records, "u-2");
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->grace_was_cut);
  EXPECT_EQ(other->kill, at_ns(8));
  EXPECT_FALSE(eviction_of(*records, "u-3"));
}

TEST(DemoEvictionRecord, AnAnswerThatIsNoListIsAnError) {
  EXPECT_EQ(parse_evictions(R"({"error":"unknown op"})").error().code, Errc::kMalformed);
  EXPECT_EQ(parse_evictions("").error().code, Errc::kMalformed);
  EXPECT_EQ(parse_evictions("[3]").error().code, Errc::kMalformed);
}

}  // namespace
}  // namespace evictd::demo
