// SPDX-License-Identifier: Apache-2.0
#include "kube/observe/dry_run_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::kube {
namespace {

using nlohmann::json;

json dry_run() {
  return {
      {"schema", 1},
      {"kind", "decision"},
      {"seq", 1001},
      {"id", 7},
      {"time", "2026-11-20T22:03:11.25Z"},
      {"namespace", "n"},
      {"name", "a"},
      {"uid", "u"},
      {"trigger", "event"},
      {"outcome", "evicted"},
      {"state", "released"},
      {"dry_run", true},
      {"signal", "memory.available"},
      {"resource", "memory"},
      {"available", 5000},
      {"ranking",
       {{{"uid", "x"}, {"place", 0}, {"usage", 1}}, {{"uid", "u"}, {"place", 1}, {"usage", 9}}}}};
}

ObservedLine read(const json& line) {
  return read_observed_line(line.dump()).value();
}

TEST(ObservedLine, ADryRunTellsWhomItChoseAndWhatItSaw) {
  const ObservedLine line = read(dry_run());
  EXPECT_EQ(line.seq, 1001U);
  EXPECT_EQ(line.is_dry_run, true);
  ASSERT_TRUE(line.decision);
  EXPECT_EQ(line.decision->name, "a");
  EXPECT_EQ(line.decision->id, 7U);
  EXPECT_EQ(line.decision->resource, "memory");
  EXPECT_EQ(line.decision->available, 5000);
  EXPECT_EQ(line.decision->usage, 9);
  EXPECT_EQ(line.decision->time_source, "record");
}

TEST(ObservedLine, NobodyIsChosenByOtherDecisions) {
  for (const auto& [member, value] :
       std::vector<std::pair<const char*, json>>{{"dry_run", false},
                                                 {"state", ""},
                                                 {"outcome", "escalated"},
                                                 {"trigger", "restart"},
                                                 {"uid", ""},
                                                 {"time", "yesterday"},
                                                 {"kind", "progress"}}) {
    json line = dry_run();
    line[member] = value;
    EXPECT_FALSE(read(line).decision) << member;
  }
}

TEST(ObservedLine, SaysWhetherEvictdEvictsItself) {
  json line = dry_run();
  line["dry_run"] = false;
  EXPECT_EQ(read(line).is_dry_run, false);
  line["state"] = "";
  EXPECT_EQ(read(line).is_dry_run, std::nullopt);
  EXPECT_EQ(read({{"kind", "daemon"}, {"what", "started"}, {"dry_run", true}}).is_dry_run, true);
}

TEST(ObservedLine, OfALimitOnLocalStorageHasNoAmountOfASignal) {
  json line = dry_run();
  line["signal"] = "";
  line["available"] = 0;
  line["ranking"] = json::array();
  const ObservedLine read_back = read(line);
  ASSERT_TRUE(read_back.decision);
  EXPECT_EQ(read_back.decision->available, std::nullopt);
  EXPECT_EQ(read_back.decision->usage, std::nullopt);
}

TEST(ObservedLine, OfLostLinesNamesTheFirstThatIsThere) {
  EXPECT_EQ(read({{"kind", "skipped"}, {"first", 12}}).first, 12U);
}

TEST(ObservedLine, WrongTypesAreAsIfTheyWereMissing) {
  const json whole = dry_run();
  for (const auto& [name, value] : whole.items()) {
    json line = whole;
    line[name] = json::array({json::object()});
    EXPECT_TRUE(read_observed_line(line.dump())) << name;
  }
  EXPECT_FALSE(read_observed_line("[]"));
  EXPECT_FALSE(read_observed_line("{"));
}

}  // namespace
}  // namespace evictd::kube
