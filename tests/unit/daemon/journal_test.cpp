// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/journal.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/system_clock.h"
#include "core/rfc3339.h"
#include "support/fake_tree.h"
#include "support/file_size_limit.h"

namespace evictd::daemon {
namespace {

/// Stands still.
class JournalClock final : public core::Clock {
 public:
  [[nodiscard]] MonoTime now() const override { return MonoTime(std::chrono::seconds(100)); }
  [[nodiscard]] WallTime wall_now() const override {
    return WallTime(std::chrono::hours(24) + std::chrono::seconds(10));
  }
};

class JournalTest : public testing::Test {
 protected:
  [[nodiscard]] Journal journal(const std::string& file) {
    config::RecordSettings records;
    records.file = file;
    return Journal::create(
               {.records = records,
                .node = "worker-1",
                .clock = &clock_,
                .publish = [this](std::string_view line) { published_.emplace_back(line); }})
        .value();
  }
  /// Until the worker has tried all lines. The deadline is for failure only.
  static void await_worker(const Journal& journal) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const std::size_t added = journal.lines_since(WallTime{}).size();
    const auto tried = [&] {
      const RecordWorker::Counters counters = journal.worker()->counters();
      return counters.written + counters.lost;
    };
    while (tried() < added) {
      ASSERT_LT(std::chrono::steady_clock::now(), give_up);
      std::this_thread::yield();
    }
  }
  static std::string content(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  base::SystemClock clock_;
  test::FakeTree tree_;
  std::vector<std::string> published_;
};

TEST_F(JournalTest, WithoutAFileKeepsLinesInMemoryAndPublishesThem) {
  Journal lines = journal("");
  lines.add("condition", {{"type", "MemoryPressure"}});
  ASSERT_EQ(lines.lines_since(WallTime{}).size(), 1U);
  EXPECT_EQ(published_, lines.lines_since(WallTime{}));
  const auto line = nlohmann::ordered_json::parse(published_[0]);
  EXPECT_EQ(line["schema"], 1);
  EXPECT_EQ(line["kind"], "condition");
  EXPECT_EQ(line["node"], "worker-1");
  EXPECT_TRUE(lines.lines_since(clock_.wall_now() + std::chrono::hours(1)).empty());
}

TEST(JournalOfLateNews, AnEventHasTheTimeAtWhichItHappenedHoweverLateItIsTold) {
  const JournalClock clock;
  Journal lines =
      Journal::create({.records = {}, .node = "", .clock = &clock, .publish = nullptr}).value();
  lines.add("stall", {{"pod", "a"}}, clock.now() - std::chrono::seconds(4));
  lines.add("stall", {{"pod", "b"}});
  const auto kept = lines.lines_since(WallTime{});
  ASSERT_EQ(kept.size(), 2U);
  const auto late = nlohmann::ordered_json::parse(kept[0]);
  EXPECT_EQ(late["time"], "1970-01-02T00:00:06.000000Z");
  EXPECT_EQ(late["moment_ns"], 96'000'000'000);
  EXPECT_EQ(nlohmann::ordered_json::parse(kept[1])["time"], "1970-01-02T00:00:10.000000Z");
}

TEST_F(JournalTest, WritesEveryLineToTheFile) {
  const std::string file = tree_.real("/records.jsonl");
  {
    Journal lines = journal(file);
    lines.add("stall", {{"pod", "a"}});
    lines.add_whole({{"schema", 1}, {"kind", "decision"}, {"id", 7}},
                    exporting::Durability::kSynced);
    await_worker(lines);
    EXPECT_EQ(lines.worker()->counters().written, 2U);
  }
  EXPECT_EQ(content(file), published_[0] + "\n" + published_[1] + "\n");
  EXPECT_EQ(journal(file).last_id(), 7U) << "ids go on where the file ends";
}

TEST_F(JournalTest, WhatAnEarlierOneWroteIsRememberedAfterARestart) {
  const std::string file = tree_.real("/records.jsonl");
  const auto noon = core::wall_time_from_rfc3339("2000-01-31T12:00:00Z").value();
  {
    Journal earlier = journal(file);
    exporting::EvictionRecord decision;
    decision.at = noon;
    earlier.add_whole(exporting::to_json(decision), exporting::Durability::kSynced);
    earlier.add("stall", {{"pod", "a"}});
  }
  Journal lines = journal(file);
  lines.add("daemon", {{"what", "started"}});
  EXPECT_EQ(lines.lines_since(WallTime{}), published_);
  EXPECT_EQ(lines.lines_since(noon).size(), 3U);
  EXPECT_EQ(lines.lines_since(noon + std::chrono::seconds(1)).front(), published_[1]);
}

/// Of a line as it is published.
std::uint64_t seq_in(const std::string& line) {
  return nlohmann::ordered_json::parse(line)["seq"].get<std::uint64_t>();
}

TEST_F(JournalTest, ACursorGoesOnBehindItsLine) {
  Journal lines = journal("");
  for (const char* const pod : {"a", "b", "c"}) {
    lines.add("stall", {{"pod", pod}});
  }
  const Journal::LinesAfter after = lines.lines_after(seq_in(published_[0]));
  EXPECT_TRUE(after.complete);
  EXPECT_EQ(after.first, seq_in(published_[1]));
  EXPECT_EQ(after.lines, std::vector(published_.begin() + 1, published_.end()));
  const Journal::LinesAfter none = lines.lines_after(seq_in(published_[2]));
  EXPECT_TRUE(none.complete && none.lines.empty());
  EXPECT_EQ(none.first, seq_in(published_[2]) + 1);
}

TEST_F(JournalTest, ACursorOfNoLineOfOursMissesSome) {
  Journal lines = journal("");
  lines.add("stall", {{"pod", "a"}});
  for (const std::uint64_t stranger : {std::uint64_t{0}, seq_in(published_[0]) + 1}) {
    const Journal::LinesAfter after = lines.lines_after(stranger);
    EXPECT_FALSE(after.complete) << stranger;
    EXPECT_EQ(after.lines, published_);
    EXPECT_EQ(after.first, seq_in(published_[0]));
  }
}

TEST_F(JournalTest, ACursorBehindWhichLinesWereForgottenMissesSome) {
  Journal lines = journal("");
  for (int i = 0; i < 2050; ++i) {
    lines.add("stall", {{"pod", "a"}});
  }
  EXPECT_FALSE(lines.lines_after(seq_in(published_[0])).complete);
  const Journal::LinesAfter after = lines.lines_after(seq_in(published_[1]));
  EXPECT_TRUE(after.complete) << "2048 lines are kept";
  EXPECT_EQ(after.lines.size(), 2048U);
}

TEST_F(JournalTest, ACursorOutlivesARestart) {
  const std::string file = tree_.real("/records.jsonl");
  {
    Journal earlier = journal(file);
    earlier.add("stall", {{"pod", "a"}});
    earlier.add("stall", {{"pod", "b"}});
  }
  Journal lines = journal(file);
  lines.add("stall", {{"pod", "c"}});
  const Journal::LinesAfter after = lines.lines_after(seq_in(published_[0]));
  EXPECT_TRUE(after.complete);
  EXPECT_EQ(after.lines, std::vector(published_.begin() + 1, published_.end()));
}

TEST_F(JournalTest, NumbersGoOnBehindTheFileThoughTheClockWasSetBack) {
  const std::string file = tree_.real("/records.jsonl");
  constexpr std::uint64_t kFuture = 1ULL << 52U;
  std::ofstream(file) << R"({"schema":1,"kind":"stall","seq":4503599627370496})"
                         "\n";
  journal(file).add("stall", {{"pod", "a"}});
  EXPECT_EQ(seq_in(published_[0]), kFuture + 1);
}

TEST_F(JournalTest, ADecisionInTheFileThatCannotBeReadIsNotRemembered) {
  const std::string file = tree_.real("/records.jsonl");
  std::ofstream(file) << R"({"schema":1,"kind":"decision","id":"x"})"
                         "\n"
                      << R"({"schema":1,"kind":"stall","time":"2000-01-31T12:00:00Z"})"
                         "\n";
  const std::vector<std::string> kept = journal(file).lines_since(WallTime{});
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_NE(kept[0].find("stall"), std::string::npos) << kept[0];
}

TEST_F(JournalTest, AFullDiskDegradesToMemoryAndSaysSoOnce) {
  const std::string file = tree_.real("/records.jsonl");
  Journal lines = journal(file);
  const test::FileSizeLimit limit(0);
  lines.add("stall", {{"pod", "a"}});
  await_worker(lines);
  EXPECT_EQ(lines.worker()->counters().lost, 1U);
  const std::string said = lines.check(clock_.now());
  EXPECT_NE(said.find("write " + file), std::string::npos) << said;
  EXPECT_NE(said.find("continuing without the file"), std::string::npos) << said;
  EXPECT_EQ(lines.check(clock_.now()), "") << "once";
  EXPECT_FALSE(lines.trouble().empty());
  const auto kept = lines.lines_since(WallTime{});
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(nlohmann::ordered_json::parse(kept[1])["what"], "record_file");
}

TEST_F(JournalTest, WhatIsNoRegularFileLosesEveryLineAndSaysWhy) {
  Journal lines = journal("/dev/full");
  lines.add("stall", {{"pod", "a"}});
  await_worker(lines);
  EXPECT_EQ(lines.worker()->counters().lost, 1U);
  const std::string said = lines.check(clock_.now());
  EXPECT_NE(said.find("open /dev/full: not a regular file"), std::string::npos) << said;
  EXPECT_NE(said.find("continuing without the file"), std::string::npos) << said;
}

TEST_F(JournalTest, ADiskThatTakesLinesAgainIsToldHowManyAreMissing) {
  // A directory stands where the file should be.
  const std::string file = tree_.real("/records.jsonl");
  std::filesystem::create_directories(file);
  Journal lines = journal(file);
  lines.add("stall", {{"pod", "lost"}});
  await_worker(lines);
  EXPECT_NE(lines.check(clock_.now()), "");
  await_worker(lines);
  std::filesystem::remove(file);
  lines.add("stall", {{"pod", "found"}});
  await_worker(lines);
  EXPECT_EQ(lines.check(clock_.now()), "") << "a line was lost since the check before";
  EXPECT_EQ(lines.check(clock_.now()),
            "records are written to " + file + " again; lines missing from it: 2");
  await_worker(lines);
  const std::string written = content(file);
  EXPECT_NE(written.find(R"("kind":"gap")"), std::string::npos) << written;
  EXPECT_NE(written.find(R"("lost":2)"), std::string::npos) << written;
  EXPECT_NE(written.find("found"), std::string::npos) << written;
}

TEST_F(JournalTest, GapIsWrittenOnlyWithTheNextLineAndHasItsTime) {
  const std::string file = tree_.real("/records.jsonl");
  Journal lines = journal(file);
  lines.add("stall", {{"pod", "first"}});
  await_worker(lines);
  const std::string before = content(file);
  {
    // A gap would fit, none of the lines would.
    const test::FileSizeLimit limit(before.size() + 200);
    for (int lost = 0; lost < 3; ++lost) {
      lines.add("stall", {{"pod", std::string(1000, 'x')}});
      await_worker(lines);
    }
    EXPECT_EQ(content(file), before);
  }
  lines.add("stall", {{"pod", "last"}});
  await_worker(lines);
  std::istringstream written(content(file).substr(before.size()));
  std::string gap;
  std::string line;
  ASSERT_TRUE(std::getline(written, gap) && std::getline(written, line));
  EXPECT_EQ(line, published_.back());
  EXPECT_EQ(nlohmann::ordered_json::parse(gap)["lost"], 3);
  EXPECT_EQ(nlohmann::ordered_json::parse(gap)["time"],
            nlohmann::ordered_json::parse(line)["time"]);
}

TEST_F(JournalTest, InterleavedFailuresAreOneProblemUntilNoneFails) {
  const std::string file = tree_.real("/records.jsonl");
  Journal lines = journal(file);
  std::string said;
  for (int round = 0; round < 3; ++round) {
    std::filesystem::create_directories(file);
    lines.add("stall", {{"pod", "lost"}});
    await_worker(lines);
    std::filesystem::remove(file);
    lines.add("stall", {{"pod", "found"}});
    await_worker(lines);
    said += lines.check(clock_.now());
    await_worker(lines);
    std::filesystem::remove(file);
  }
  EXPECT_EQ(said, "records cannot be written: " + file +
                      ": only some lines are written; the others failed or found the queue full, "
                      "continuing without the file: they are kept in memory");
  EXPECT_EQ(lines.worker()->counters().lost, 3U);
  EXPECT_EQ(lines.check(clock_.now()),
            "records are written to " + file + " again; lines missing from it: 3");
}

TEST_F(JournalTest, TheLastEvictionOfAPodIsFoundWithThoseWhoseGraceItCut) {
  const std::string file = tree_.real("/records.jsonl");
  exporting::EvictionRecord first;
  first.id = 3;
  first.uid = "u";
  first.outcome = "evicted";
  first.state = "killed";
  first.escalated_by = 4;
  exporting::EvictionRecord cut = first;
  cut.id = 4;
  cut.outcome = "escalated";
  cut.escalates = 3;
  cut.escalated_by.reset();
  exporting::EvictionRecord over = first;
  over.id = 5;
  over.uid = "over";
  over.state = "released";
  {
    Journal lines = journal(file);
    for (const exporting::EvictionRecord& record : {first, cut, over}) {
      lines.add_whole(exporting::to_json(record), exporting::Durability::kCached);
    }
    await_worker(lines);
  }
  const Journal again = journal(file);
  ASSERT_EQ(again.last_evictions().size(), 2U);
  const std::vector<exporting::EvictionRecord>& story = again.last_evictions().at("u");
  ASSERT_EQ(story.size(), 2U);
  EXPECT_EQ(story[0].id, 3U);
  EXPECT_EQ(story[1].id, 4U);
  EXPECT_EQ(again.last_evictions().at("over").size(), 1U);
}

}  // namespace
}  // namespace evictd::daemon
