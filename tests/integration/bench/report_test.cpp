// SPDX-License-Identifier: Apache-2.0
#include "harness/report.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "stage/scratch_directory.h"
#include "stage/text_file.h"
#include "support/temporary_directory.h"

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
  report.add("ratio", {{"pages", "4k"}}, "ratio", 0.5);
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
  EXPECT_EQ(whole["rows"][2]["n"], 1);
  EXPECT_EQ(whole["rows"][2]["max"], 0.5);
  // Counts keep their order.
  EXPECT_EQ(whole["rows"][1]["counts"], nlohmann::json::parse(R"([["won", 1], ["OOM kills", 0]])"));
}

TEST(Report, KeepsARemarkOfARowWithThatRow) {
  Report report{"crossing", Report::Lines::kNone};
  report.add("latency", {{"pages", "4k"}}, "us", 1.0);
  report.add_row_note("two void trials");
  report.add("latency", {{"pages", "thp"}}, "us", 2.0);
  const nlohmann::json whole = nlohmann::json::parse(report.text());
  EXPECT_EQ(whole["rows"][0]["notes"], nlohmann::json::array({"two void trials"}));
  EXPECT_FALSE(whole["rows"][1].contains("notes"));
  EXPECT_TRUE(whole["notes"].empty());
}

/// A report in a folder of its own with a program that is to hand it out, as the machine has one.
class HandedOutReport : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("EVICTD_VM_HAND_OUT"); }

  void hand_out_by(const std::string& command) const {
    const std::filesystem::path program = file("hand-out");
    ASSERT_TRUE(stage::replace_file(program, "#!/bin/sh\n" + command + "\n"));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    ::setenv("EVICTD_VM_HAND_OUT", program.c_str(), 1);
  }

  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    return directory_.path() / name;
  }

  /// Not on tmpfs, which may be mounted so that no program in it can be run.
  test::TemporaryDirectory directory_;
};

TEST_F(HandedOutReport, IsHandedOutAsOftenAsItIsWritten) {
  const std::filesystem::path out = file("out.json");
  const std::filesystem::path handed = file("handed.json");
  hand_out_by("cp " + out.string() + " " + handed.string());
  Report report{"crossing", Report::Lines::kNone};
  for (std::size_t rows = 1; rows < 3; ++rows) {
    report.add("latency", {{"row", rows}}, "us", 1.0);
    const Result<> written = report.write(out);
    ASSERT_TRUE(written) << written.error().message();
    const nlohmann::json whole = nlohmann::json::parse(stage::read_text(handed).value());
    EXPECT_EQ(whole["rows"].size(), rows);
  }
}

TEST_F(HandedOutReport, SaysThatItCouldNotBeHandedOut) {
  hand_out_by("exit 3");
  const Result<> written = Report{"crossing", Report::Lines::kNone}.write(file("out.json"));
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message().find("exit status 3"), std::string::npos);
}

}  // namespace
}  // namespace evictd::bench
