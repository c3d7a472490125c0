// SPDX-License-Identifier: Apache-2.0
#include "cli/top/event_list.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::cli::top {
namespace {

using Json = nlohmann::ordered_json;

Json condition(bool status) {
  return {{"kind", "condition"},
          {"time", "2026-11-25T16:10:43.821341Z"},
          {"type", "MemoryPressure"},
          {"status", status}};
}

TEST(EventReading, HasTheTimeOfTheDayTheWordsAndThePod) {
  const EventLine event = read_event(Json::parse(
      R"({"kind": "progress", "time": "2026-11-25T16:10:43.821341Z", "id": 1, "pod": "batch/report",
          "uid": "cccc", "state": "killed", "not_killed": ""})"));
  EXPECT_EQ(event.time, "16:10:43.821");
  EXPECT_EQ(event.words, "pod batch/report is killed (decision 1)");
  EXPECT_EQ(event.pod_uid, "cccc");
}

TEST(EventReading, ALineWithoutATimeIsShownToo) {
  EXPECT_EQ(read_event(Json::parse(R"({"kind": "gap", "lost": 2})")).words,
            "2 lines are missing here");
  EXPECT_EQ(read_event(Json::parse(R"({"kind": "gap", "time": "soon"})")).time, "soon");
}

TEST(EventListing, WhatComesWhilePausedIsShownAfterwards) {
  EventList events{WallTime{}};
  events.take(condition(true));
  events.pause();
  events.take(condition(false));
  EXPECT_EQ(events.shown().size(), 1U);
  EXPECT_EQ(events.waiting(), 1U);
  events.resume();
  ASSERT_EQ(events.shown().size(), 2U);
  EXPECT_EQ(events.shown().back().words, "node condition MemoryPressure cleared");
  EXPECT_EQ(events.waiting(), 0U);
}

TEST(EventListing, ADecisionThatIsWrittenAgainWithItsEndIsShownOnce) {
  EventList events{WallTime{}};
  Json decision = {
      {"kind", "decision"},     {"id", 1},           {"time", "2026-11-25T16:10:43.821341Z"},
      {"pod", "batch/report"},  {"state", "killed"}, {"outcome", "evicted"},
      {"escalated_by", nullptr}};
  events.take(decision);
  decision["state"] = "released";
  events.take(decision);
  EXPECT_EQ(events.shown().size(), 1U);
}

TEST(EventListing, ForgetsTheOldestOfVeryMany) {
  EventList events{WallTime{}};
  for (int i = 0; i < 1000; ++i) {
    events.take(condition(i % 2 == 0));
  }
  EXPECT_EQ(events.shown().size(), 500U);
}

}  // namespace
}  // namespace evictd::cli::top
