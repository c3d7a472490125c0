// SPDX-License-Identifier: Apache-2.0
#include "cli/record_source.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace evictd::cli {
namespace {

constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

TEST(MomentOf, ADurationIsSoLongAgo) {
  EXPECT_EQ(moment_of("5m", kNow).value(), kNow - std::chrono::minutes(5));
  EXPECT_EQ(moment_of("0", kNow).value(), kNow);
  EXPECT_EQ(moment_of("-0s", kNow).value(), kNow);
}

TEST(MomentOf, ANegativeDurationIsAnErrorThatSaysWhatIsAllowed) {
  for (const std::string text : {"-5m", "-1ns", "-2562047h47m16.854775808s"}) {
    const Result<WallTime> moment = moment_of(text, kNow);
    ASSERT_FALSE(moment) << text;
    EXPECT_EQ(moment.error().message(),
              "\"" + text + "\" is negative; allowed: 2026-01-31T12:00:00Z, or an age such as 5m");
  }
}

TEST(MomentOf, TheLongestDurationIsLongAgo) {
  constexpr Duration kLongest = Duration::max();
  EXPECT_EQ(moment_of("2562047h47m16.854775807s", kNow).value(), kNow - kLongest);
}

TEST(MomentOf, ATimeIsThatTime) {
  EXPECT_EQ(moment_of("1970-01-01T00:01:00Z", kNow).value(), WallTime(std::chrono::minutes(1)));
}

TEST(MomentOf, WhatIsNeitherIsAnErrorThatSaysWhatIs) {
  const Result<WallTime> moment = moment_of("yesterday", kNow);
  ASSERT_FALSE(moment);
  EXPECT_EQ(moment.error().message(),
            "\"yesterday\" is not a time; allowed: 2026-01-31T12:00:00Z, or an age such as 5m");
}

TEST(DecisionsOf, ADecisionThatCannotBeReadIsCalledByItsId) {
  using Json = nlohmann::ordered_json;
  const Records records = decisions_of(
      {{.json = {{"kind", "decision"}, {"id", 7}, {"ranking", Json::object()}}, .place = ""},
       {.json = {{"kind", "decision"}}, .place = ""},
       {.json = {{"kind", "daemon"}}, .place = ""}});
  EXPECT_TRUE(records.decisions.empty());
  ASSERT_EQ(records.warnings.size(), 2U);
  EXPECT_TRUE(records.warnings[0].starts_with("decision 7 is skipped: ")) << records.warnings[0];
  EXPECT_TRUE(records.warnings[1].starts_with("a decision without an id is skipped: "))
      << records.warnings[1];
}

TEST(DecisionsOf, ADecisionThatCannotBeReadIsNamedWithTheLineOfItsFile) {
  const Result<exporting::RecordLines> read = exporting::read_record_text(
      "{\"schema\":1,\"kind\":\"daemon\"}\nrubbish\n"
      "{\"schema\":1,\"kind\":\"decision\",\"id\":7,\"ranking\":{}}\n",
      "records.jsonl");
  ASSERT_TRUE(read) << read.error().message();
  const Records records = decisions_of(read->lines);
  ASSERT_EQ(records.warnings.size(), 1U);
  EXPECT_TRUE(records.warnings[0].starts_with("records.jsonl:3: decision 7 is skipped: "))
      << records.warnings[0];
}

TEST(SkipUnreadable, ADecisionThatCannotBeReadIsTakenOutWithTheSameWarning) {
  Result<exporting::RecordLines> read = exporting::read_record_text(
      "{\"schema\":1,\"kind\":\"daemon\"}\n{\"schema\":1,\"kind\":\"decision\",\"id\":\"x\"}\n"
      "{\"schema\":1,\"kind\":\"stall\"}\n",
      "records.jsonl");
  ASSERT_TRUE(read) << read.error().message();
  const std::vector<std::string> told = decisions_of(read->lines).warnings;
  EXPECT_EQ(skip_unreadable(read->lines), told);
  EXPECT_EQ(told,
            std::vector<std::string>{"records.jsonl:2: decision \"x\" is skipped: time: missing"});
  ASSERT_EQ(read->lines.size(), 2U);
  EXPECT_EQ(read->lines[1].json["kind"], "stall");
}

}  // namespace
}  // namespace evictd::cli
