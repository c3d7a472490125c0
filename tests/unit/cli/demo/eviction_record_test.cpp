// SPDX-License-Identifier: Apache-2.0
#include "demo/eviction_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "export/eviction_record.h"

namespace evictd::demo {
namespace {

using Recorded = exporting::EvictionRecord;

MonoTime at_ns(std::int64_t ns) {
  return MonoTime{Duration{ns}};
}

/// evictd's answer to last_evictions.
std::string answer_of(const std::vector<Recorded>& records) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Recorded& record : records) {
    list.push_back(exporting::to_json(record));
  }
  return list.dump();
}

Recorded evicted(const std::string& uid) {
  Recorded record;
  record.ns = "default";
  record.name = "besteffort-hog";
  record.uid = uid;
  record.outcome = "evicted";
  record.state = "killed";
  return record;
}

TEST(DemoEvictionRecord, TakesWhatEvictdSaysOfAnEviction) {
  Recorded told = evicted("u-1");
  told.timeline = {.hook = at_ns(1000),
                   .wake = at_ns(2000),
                   .begin = std::nullopt,
                   .observe = at_ns(3000),
                   .decide = at_ns(4000),
                   .first_signal = at_ns(4500),
                   .signal = at_ns(5000),
                   .killed = at_ns(5000),
                   .exited = std::nullopt,
                   .freed = std::nullopt,
                   .grace_began = std::nullopt};
  exporting::RecordedCandidate chosen;
  chosen.place = 1;
  chosen.name = "besteffort-hog";
  chosen.reason = "chosen";
  exporting::RecordedCandidate passed_over;
  passed_over.name = "static";
  passed_over.reason = "protected";
  told.ranking = {chosen, passed_over};
  told.hooks = {{"charge", "tp_btf/mod_memcg_state"},
                {"fork", "tp_btf/task_newtask"},
                {"exit", "tp_btf/task_newtask"}};
  told.grace = exporting::RecordedGrace{.given_ms = 0, .wanted_ms = 10, .time_left_ms = {}};
  const auto records = parse_evictions(answer_of({told}));
  ASSERT_TRUE(records) << records.error().message();
  ASSERT_EQ(records->size(), 1U);
  const EvictionRecord& record = records->front();
  EXPECT_EQ(record.uid, "u-1");
  EXPECT_EQ(record.hook, at_ns(1000));
  EXPECT_EQ(record.kill, at_ns(4500)) << "without a grace, the first SIGKILL";
  EXPECT_FALSE(record.freed);
  EXPECT_TRUE(record.grace_was_shortened);
  EXPECT_THAT(record.hooks,
              testing::UnorderedElementsAre("tp_btf/mod_memcg_state", "tp_btf/task_newtask"));
  ASSERT_EQ(record.ranking.size(), 1U);
  EXPECT_EQ(record.ranking[0].reason, "chosen");
}

/// A hard eviction with a grace of 2 s, cut after 100 us, and another pod's between.
std::string cut_grace() {
  Recorded begun = evicted("u-1");
  begun.grace_seconds = 2;
  begun.timeline.hook = at_ns(1000);
  begun.timeline.wake = at_ns(2000);
  begun.timeline.observe = at_ns(3000);
  begun.timeline.decide = at_ns(4000);
  begun.timeline.first_signal = at_ns(5000);
  begun.timeline.signal = at_ns(5000);
  Recorded other = evicted("u-2");
  other.timeline.wake = at_ns(7);
  other.timeline.first_signal = at_ns(8);
  Recorded escalation = evicted("u-1");
  escalation.outcome = "escalated";
  escalation.timeline.hook = at_ns(91000);
  escalation.timeline.first_signal = at_ns(105000);
  escalation.timeline.killed = at_ns(106000);
  escalation.timeline.exited = at_ns(200000);
  escalation.timeline.freed = at_ns(300000);
  return answer_of({begun, other, escalation});
}

TEST(DemoEvictionRecord, OfAGraceThatWasCutTakesOnlyTheKillFromTheEscalation) {
  const auto records = parse_evictions(cut_grace());
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
  Recorded told = evicted("u-1");
  told.grace_seconds = 1;
  told.timeline.observe = at_ns(12'000'000'000);
  told.thresholds.resize(3);
  told.thresholds[0].stood = "not_met";
  told.thresholds[1].stood = "past_grace";
  told.thresholds[1].met_for_ms = 7000;
  told.thresholds[2].stood = "acted_on";
  told.thresholds[2].met_for_ms = 2004;
  const auto records = parse_evictions(answer_of({told}));
  ASSERT_TRUE(records) << records.error().message();
  EXPECT_EQ(records->front().first_met, at_ns(9'996'000'000));
}

TEST(DemoEvictionRecord, KnowsThatAPassBeforeHeldUntilUsageWasMeasured) {
  const auto decided = [](const std::string& hold_reason, std::int64_t ns) {
    Recorded record;
    record.outcome = hold_reason.empty() ? "evicted" : "held";
    record.hold_reason = hold_reason;
    record.timeline.decide = at_ns(ns);
    return record;
  };
  const std::string records =
      R"({"schema": 1, "file": null, "records": )" +
      answer_of({decided("usage_pending", 2000), decided("victim_in_grace", 3000),
                 decided("", 4000), decided("usage_pending", 5000)}) +
      "}";
  EvictionRecord eviction;
  eviction.decide = at_ns(4000);
  EXPECT_EQ(held_for_usage(records, eviction), at_ns(2000));
  eviction.decide = at_ns(1000);
  EXPECT_EQ(held_for_usage(records, eviction), std::nullopt);
  EXPECT_EQ(held_for_usage(R"({"error": "no"})", eviction), std::nullopt);
  EXPECT_EQ(held_for_usage("[3]", eviction), std::nullopt);
}

TEST(DemoEvictionRecord, IsOfThePodThatIsAskedForAndOfNoOther) {
  const auto records = parse_evictions(cut_grace());
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
