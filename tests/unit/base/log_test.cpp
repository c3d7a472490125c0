// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace evictd::base {
namespace {

class FixedClock final : public core::Clock {
 public:
  [[nodiscard]] MonoTime now() const override { return {}; }
  [[nodiscard]] WallTime wall_now() const override {
    // 2026-01-31T12:00:00.007Z
    return WallTime(std::chrono::milliseconds(1'769'860'800'007));
  }
};

/// What warn() writes, without its line end.
std::string line(std::string_view message, LogFields fields, LogFormat format,
                 LogStream stream = LogStream::kPlain) {
  const FixedClock clock;
  Log log({.format = format, .level = LogLevel::kWarn}, clock, stream);
  testing::internal::CaptureStderr();
  log.warn(message, fields);
  std::string written = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(written.ends_with('\n')) << written;
  return written.substr(0, written.size() - 1);
}

TEST(Log, TextHasTimeLevelMessageAndFields) {
  EXPECT_EQ(line("evicted pod", {{"pod", "shop/cart"}, {"bytes", std::int64_t{5}}, {"dry", false}},
                 LogFormat::kText),
            "2026-01-31T12:00:00.007Z warn evicted pod pod=shop/cart bytes=5 dry=false");
}

TEST(Log, TextQuotesAValueThatCouldBeMisread) {
  EXPECT_EQ(
      line("m", {{"a", "x y"}, {"b", ""}, {"c", "k=v"}, {"d", "say \"hi\""}}, LogFormat::kText),
      R"(2026-01-31T12:00:00.007Z warn m a="x y" b="" c="k=v" d="say \"hi\"")");
}

TEST(Log, UnderTheJournalALineBeginsWithItsSeverity) {
  EXPECT_EQ(line("m", {}, LogFormat::kText, LogStream::kJournal), "<4>m");
}

TEST(Log, EachLevelHasItsNameAndItsSeverity) {
  const FixedClock clock;
  testing::internal::CaptureStderr();
  for (const LogStream stream : {LogStream::kPlain, LogStream::kJournal}) {
    Log log({.format = LogFormat::kText, .level = LogLevel::kDebug}, clock, stream);
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "2026-01-31T12:00:00.007Z debug d\n"
            "2026-01-31T12:00:00.007Z info i\n"
            "2026-01-31T12:00:00.007Z warn w\n"
            "2026-01-31T12:00:00.007Z error e\n"
            "<7>d\n<6>i\n<4>w\n<3>e\n");
}

TEST(Log, AMessageIsNoPattern) {
  EXPECT_EQ(line("%v {} %n", {}, LogFormat::kText, LogStream::kJournal), "<4>%v {} %n");
}

TEST(Log, JsonIsOneObject) {
  const std::string text =
      line("say \"hi\"", {{"pod", "a"}, {"share", 0.5}, {"n", std::int64_t{-1}}}, LogFormat::kJson);
  EXPECT_EQ(text, R"({"ts":"2026-01-31T12:00:00.007Z","level":"warn","msg":"say \"hi\"",)"
                  R"("pod":"a","share":0.5,"n":-1})");
}

TEST(Log, JsonIsTheSameUnderTheJournal) {
  EXPECT_EQ(line("m", {}, LogFormat::kJson, LogStream::kJournal),
            line("m", {}, LogFormat::kJson, LogStream::kPlain));
}

TEST(Log, AFieldOfWhatThereIsNoneOfIsLeftOut) {
  EXPECT_EQ(line("m", {{"gone", {}}, {"n", std::int64_t{-1}}}, LogFormat::kText),
            "2026-01-31T12:00:00.007Z warn m n=-1");
  EXPECT_EQ(line("m", {{"n", std::int64_t{-1}}, {"gone", {}}}, LogFormat::kJson),
            R"({"ts":"2026-01-31T12:00:00.007Z","level":"warn","msg":"m","n":-1})");
}

TEST(Log, NoInputCanForgeASecondLine) {
  const std::string hostile = "a\n2026 error forged\x1b[2J";
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string text = line(hostile, {{"pod", hostile}}, format);
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  }
}

TEST(Log, NoInputCanMoveTheCursorOfATerminalWithOneCharacter) {
  const std::string hostile =
      "a\xc2\x9b"
      "2J\x7f";
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string text = line(hostile, {{"pod", hostile}}, format);
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << text;
    EXPECT_EQ(text.find('\x7f'), std::string::npos) << text;
  }
}

TEST(Log, BytesThatAreNoUtf8AreReplacedInText) {
  EXPECT_EQ(line("a\xff\x9b"
                 "b",
                 {{"pod", "\xc3("}}, LogFormat::kText),
            "2026-01-31T12:00:00.007Z warn a\xef\xbf\xbd\xef\xbf\xbd"
            "b pod=\"\xef\xbf\xbd(\"");
}

TEST(Log, BytesThatAreNoUtf8StillMakeValidJson) {
  const std::string text = line("\xff", {{"pod", "\xc3("}}, LogFormat::kJson);
  EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}

TEST(Log, WritesFromItsLevelOnAndFollowsAReload) {
  const FixedClock clock;
  testing::internal::CaptureStderr();
  Log log({.format = LogFormat::kText, .level = LogLevel::kWarn}, clock);
  log.info("quiet");
  log.warn("first", {{"n", std::int64_t{1}}});
  log.set_options({.format = LogFormat::kJson, .level = LogLevel::kDebug});
  log.debug("second");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "2026-01-31T12:00:00.007Z warn first n=1\n"
            "{\"ts\":\"2026-01-31T12:00:00.007Z\",\"level\":\"debug\",\"msg\":\"second\"}\n");
}

}  // namespace
}  // namespace evictd::base
