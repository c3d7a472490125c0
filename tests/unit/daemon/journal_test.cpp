// SPDX-License-Identifier: Apache-2.0
#include "daemon/journal.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/system_clock.h"
#include "support/fake_tree.h"
#include "support/file_size_limit.h"

namespace evictd::daemon {
namespace {

class JournalTest : public testing::Test {
 protected:
  [[nodiscard]] Journal journal(const std::string& file) {
    config::RecordSettings records;
    records.file = file;
    return Journal::create(
               {.records = records,
                .clock = &clock_,
                .publish = [this](std::string_view line) { published_.emplace_back(line); }})
        .value();
  }
  /// Until the worker has tried all lines. The deadline is for failure only.
  static void await_worker(const Journal& journal) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (journal.worker()->counters().waiting != 0) {
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
  EXPECT_TRUE(lines.lines_since(clock_.wall_now() + std::chrono::hours(1)).empty());
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
  EXPECT_EQ(lines.check(clock_.now()), "records are written to " + file + " again");
  await_worker(lines);
  const std::string written = content(file);
  EXPECT_NE(written.find(R"("kind":"gap")"), std::string::npos) << written;
  EXPECT_NE(written.find(R"("lost":2)"), std::string::npos) << written;
  EXPECT_NE(written.find("found"), std::string::npos) << written;
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
