// SPDX-License-Identifier: Apache-2.0
#include "web/record_list.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::web {
namespace {

using Json = nlohmann::ordered_json;

Json three_records() {
  return Json::parse(R"({"records": [
      {"id": 1, "outcome": "evicted", "ranking": [1], "pod": "a/b"},
      {"id": 2, "outcome": "held", "observations": [1]},
      {"id": 3, "outcome": "evicted", "thresholds": [1], "local_candidates": []}]})");
}

TEST(RecordList, ListsTheNewestFirstInBrief) {
  const Json listed = list_records(three_records(), {});
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_EQ(listed[0], Json::parse(R"({"id": 3, "outcome": "evicted"})"));
  EXPECT_EQ(listed[2], Json::parse(R"({"id": 1, "outcome": "evicted", "pod": "a/b"})"));
}

TEST(RecordList, TakesALimitAndAnOutcome) {
  EXPECT_EQ(list_records(three_records(), {.limit = 1, .outcomes = ""})[0]["id"], 3);
  const Json evicted = list_records(three_records(), {.limit = 9, .outcomes = "evicted"});
  ASSERT_EQ(evicted.size(), 2U);
  EXPECT_EQ(evicted[1]["id"], 1);
  EXPECT_EQ(list_records(three_records(), {.limit = 9, .outcomes = "oom_guard,evicted"}).size(),
            2U);
  EXPECT_TRUE(list_records(three_records(), {.limit = 9, .outcomes = "evict"}).empty());
}

TEST(RecordList, FindsOneWhole) {
  EXPECT_EQ(find_record(three_records(), 1)["ranking"], Json::parse("[1]"));
  EXPECT_TRUE(find_record(three_records(), 4).is_null());
}

TEST(RecordList, SurvivesAnotherAnswer) {
  EXPECT_TRUE(list_records(Json::parse(R"({"records": 3})"), {}).empty());
  EXPECT_TRUE(list_records(Json::parse("[]"), {}).empty());
  EXPECT_TRUE(find_record(Json::parse(R"({"records": [null, {"id": "1"}]})"), 1).is_null());
}

}  // namespace
}  // namespace evictd::web
