// SPDX-License-Identifier: Apache-2.0
#include "harness/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stage/scratch_directory.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

TEST(Series, PercentilesAreValuesThatWereMeasured) {
  Series series;
  for (int value = 200; value >= 1; --value) {
    series.add(value);
  }
  EXPECT_EQ(series.percentile(50), 100);
  EXPECT_EQ(series.percentile(99), 198);
  EXPECT_EQ(series.max(), 200);
}

TEST(Series, NothingMeasuredIsZero) {
  EXPECT_EQ(Series{}.percentile(50), 0);
}

TEST(Report, WritesWhatTheTablesNeed) {
  Result<stage::ScratchDirectory> scratch = stage::ScratchDirectory::create("evictd-test-");
  ASSERT_TRUE(scratch) << scratch.error().message();
  Report report{"crossing"};
  Series series;
  series.add(1.23456);
  report.add("latency", {{"pages", "4k"}}, "us", series);
  report.add("outcome", {{"pages", "4k"}}, "ms", series, {{"won", 1}, {"OOM kills", 0}});
  report.note("one trial");
  const std::filesystem::path path = scratch->path() / "results" / "crossing.json";
  const Result<> written = report.write(path);
  ASSERT_TRUE(written) << written.error().message();
  const nlohmann::json whole = nlohmann::json::parse(stage::read_text(path).value());
  EXPECT_EQ(whole["bench"], "crossing");
  EXPECT_TRUE(whole["machine"].contains("kernel"));
  EXPECT_TRUE(whole.contains("date") && whole.contains("commit"));
  EXPECT_EQ(whole["notes"][0], "one trial");
  const nlohmann::json& row = whole["rows"][0];
  EXPECT_EQ(row["params"]["pages"], "4k");
  EXPECT_EQ(row["n"], 1);
  EXPECT_EQ(row["p50"], 1.235);
  EXPECT_EQ(row["samples"][0], 1.235);
  // Counts keep their order.
  EXPECT_EQ(whole["rows"][1]["counts"], nlohmann::json::parse(R"([["won", 1], ["OOM kills", 0]])"));
}

}  // namespace
}  // namespace evictd::bench
