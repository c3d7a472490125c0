// SPDX-License-Identifier: Apache-2.0
#include "web/eviction_history.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::web {
namespace {

using Json = nlohmann::ordered_json;

/// The first line of an eviction: chosen and signalled, not dead yet.
Json eviction(std::uint64_t id) {
  return Json::parse(R"({
    "kind": "decision", "outcome": "evicted", "dry_run": false, "signal": "memory.available",
    "local_limit": "", "resource": "memory", "available": 900000, "grace_seconds": 1,
    "observations": [{"signal": "memory.available", "age_us": 250}],
    "thresholds": [{"stood": "not_met", "met_below": 5}, {"stood": "acted_on", "met_below": 1000000}],
    "timeline": {"hook_ns": 1000000, "wake_ns": 1040000, "decide_ns": 1060000,
                 "first_signal_ns": 1090000, "exited_ns": null, "freed_ns": null}})")
      .patch(Json::parse(R"([{"op": "add", "path": "/id", "value": )" + std::to_string(id) + "}]"));
}

TEST(Histogram, CountsAValueInEachBucketThatHoldsIt) {
  constexpr std::array<double, 3> kBounds{1, 2, 4};
  Histogram histogram(kBounds);
  for (const double value : {0.5, 1.0, 3.0, 9.0}) {
    histogram.observe(value);
  }
  EXPECT_EQ(histogram.cumulative(0), 2U);
  EXPECT_EQ(histogram.cumulative(1), 2U);
  EXPECT_EQ(histogram.cumulative(2), 3U);
  EXPECT_EQ(histogram.count(), 4U);
  EXPECT_DOUBLE_EQ(histogram.sum(), 13.5);
}

TEST(EvictionHistory, CountsAnEvictionBySignal) {
  EvictionHistory history;
  history.take(eviction(1));
  history.take(eviction(2));
  EXPECT_EQ(history.evictions().at("memory.available"), 2U);
  EXPECT_EQ(history.past_threshold().count(), 2U);
  EXPECT_DOUBLE_EQ(history.past_threshold().sum(), 200000);
  EXPECT_EQ(history.grace_given().count(), 2U);
  EXPECT_DOUBLE_EQ(history.reading_age().at("memory.available").sum(), 500e-6);
}

TEST(EvictionHistory, CountsAGraceThatWasCutAsWhatWasGivenAndWhatWasWanted) {
  EvictionHistory history;
  Json record = eviction(1);
  record["grace_given"] = 250;
  record["grace_wanted"] = 1000;
  history.take(record);
  EXPECT_DOUBLE_EQ(history.grace_given().sum(), 0.25);
  EXPECT_DOUBLE_EQ(history.grace_wanted().sum(), 1);
  // Found under way.
  record = eviction(2);
  record["grace_given"] = record["grace_wanted"] = nullptr;
  history.take(record);
  EXPECT_DOUBLE_EQ(history.grace_given().sum(), 1.25);
  EXPECT_DOUBLE_EQ(history.grace_wanted().sum(), 2);
}

TEST(EvictionHistory, CountsTheOomGuardsEvictions) {
  EvictionHistory history;
  Json record = eviction(1);
  record["outcome"] = "oom_guard";
  history.take(record);
  EXPECT_EQ(history.evictions().at("memory.available"), 1U);
}

TEST(EvictionHistory, CountsEachFigureOfARecordOnce) {
  EvictionHistory history;
  Json record = eviction(1);
  history.take(record);
  EXPECT_EQ(history.interval(Interval::kSignal).count(), 1U);
  EXPECT_EQ(history.interval(Interval::kExit).count(), 0U);
  record["timeline"]["exited_ns"] = 5000000;
  history.take(record);
  history.take(record);
  EXPECT_EQ(history.evictions().at("memory.available"), 1U);
  EXPECT_EQ(history.interval(Interval::kSignal).count(), 1U);
  EXPECT_EQ(history.interval(Interval::kExit).count(), 1U);
  EXPECT_DOUBLE_EQ(history.interval(Interval::kExit).sum(), 4e-3);
}

TEST(EvictionHistory, CountsALocalLimitUnderItsName) {
  EvictionHistory history;
  Json record = eviction(1);
  record["signal"] = "";
  record["local_limit"] = "emptydirfs.limit";
  history.take(record);
  EXPECT_EQ(history.evictions().at("emptydirfs.limit"), 1U);
}

TEST(EvictionHistory, LeavesOutWhatEvictedNobody) {
  EvictionHistory history;
  Json dry_run = eviction(1);
  dry_run["dry_run"] = true;
  Json held = eviction(2);
  held["outcome"] = "held";
  history.take(dry_run);
  history.take(held);
  history.take(Json::parse(R"({"kind": "condition", "type": "MemoryPressure"})"));
  history.take(Json());
  EXPECT_TRUE(history.evictions().empty());
}

TEST(EvictionHistory, HasNoLatencyOfWhatPollingFound) {
  EvictionHistory history;
  Json record = eviction(1);
  record["timeline"]["hook_ns"] = nullptr;
  history.take(record);
  EXPECT_EQ(history.evictions().at("memory.available"), 1U);
  EXPECT_EQ(history.interval(Interval::kSignal).count(), 0U);
}

TEST(EvictionHistory, SurvivesARecordWithOddTypes) {
  EvictionHistory history;
  history.take(Json::parse(
      R"({"kind": "decision", "outcome": "evicted", "dry_run": false, "id": 3, "timeline": [],
          "observations": "x", "thresholds": {"a": 1}, "signal": 7, "available": "y"})"));
  EXPECT_EQ(history.evictions().at(""), 1U);
}

}  // namespace
}  // namespace evictd::web
