// SPDX-License-Identifier: Apache-2.0
#include "export/record_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/fd.h"
#include "export/record_reader.h"
#include "support/fake_tree.h"
#include "support/file_size_limit.h"

namespace evictd::exporting {
namespace {

class RecordFileTest : public testing::Test {
 protected:
  [[nodiscard]] RecordFile file(std::int64_t max_bytes = 1000, int files = 3) const {
    return RecordFile({.path = path_, .max_bytes = max_bytes, .files = files});
  }
  [[nodiscard]] std::string content(const std::string& suffix = "") const {
    std::ifstream in(path_ + suffix);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Somebody else's file.
  void write(const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
    std::ofstream(path_) << text;
  }
  static std::string line(int id) { return R"({"schema":1,"id":)" + std::to_string(id) + "}"; }

  test::FakeTree tree_;
  std::string path_ = tree_.real("/records/here.jsonl");
};

TEST_F(RecordFileTest, MakesItsDirectoryAndWritesWholeLines) {
  RecordFile records = file();
  ASSERT_TRUE(records.append("one", Durability::kCached));
  ASSERT_TRUE(records.append("two", Durability::kSynced));
  EXPECT_EQ(content(), "one\ntwo\n");
}

TEST_F(RecordFileTest, RotatesBeforeItWouldGrowTooLargeAndForgetsTheOldest) {
  RecordFile records = file(20, 2);
  for (const char* text : {"first-line", "second-line", "third-line"}) {
    ASSERT_TRUE(records.append(text, Durability::kCached));
  }
  EXPECT_EQ(content(), "third-line\n");
  EXPECT_EQ(content(".1"), "second-line\n");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".2"));
}

TEST_F(RecordFileTest, ALineThatACrashCutShortIsTakenAway) {
  ASSERT_TRUE(file().append("whole", Durability::kCached));
  std::ofstream(path_, std::ios::app) << "hal";
  ASSERT_TRUE(file().append("next", Durability::kCached));
  EXPECT_EQ(content(), "whole\nnext\n");
}

TEST_F(RecordFileTest, AFileThatSomebodyTookAwayIsMadeAnew) {
  RecordFile records = file();
  ASSERT_TRUE(records.append("gone", Durability::kCached));
  std::filesystem::remove(path_);
  ASSERT_TRUE(records.append("new", Durability::kCached));
  EXPECT_EQ(content(), "new\n");
}

TEST_F(RecordFileTest, AFullDiskIsAnErrorThatNamesTheFile) {
  RecordFile full = file();
  ASSERT_TRUE(full.append("first", Durability::kCached));
  const test::FileSizeLimit limit(8);
  const Result<> written = full.append("line", Durability::kSynced);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message().find("write " + path_), std::string::npos)
      << written.error().message();
  EXPECT_EQ(content(), "first\n") << "no half line stays";
}

TEST_F(RecordFileTest, WhatIsNoRegularFileIsNotWrittenTo) {
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const base::Fd reader(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  for (const std::string& path : {path_, std::string("/dev/full")}) {
    RecordFile records({.path = path, .max_bytes = 1000, .files = 2});
    const Result<> written = records.append("line", Durability::kCached);
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().message(), "open " + path + ": not a regular file");
  }
}

TEST_F(RecordFileTest, TheReaderTakesRotatedFilesInOrder) {
  RecordFile records = file(25, 3);
  for (int id = 1; id <= 3; ++id) {
    ASSERT_TRUE(records.append(line(id), Durability::kCached));
  }
  const auto read = read_record_file(path_);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->lines.size(), 3U);
  EXPECT_EQ(read->lines[0].json["id"], 1);
  EXPECT_EQ(read->lines[2].json["id"], 3);
  EXPECT_EQ(read->lines[0].place, path_ + ".2:1");
  EXPECT_EQ(read->lines[2].place, path_ + ":1");
  EXPECT_TRUE(read->warnings.empty());
}

TEST_F(RecordFileTest, TheReaderTakesRotatedFilesWhereTheNextIsNotMadeYet) {
  RecordFile records = file(25, 3);
  for (int id = 1; id <= 3; ++id) {
    ASSERT_TRUE(records.append(line(id), Durability::kCached));
  }
  std::filesystem::remove(path_);
  const auto read = read_record_file(path_);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->lines.size(), 2U);
  EXPECT_EQ(read->lines[1].json["id"], 2);
  EXPECT_TRUE(read->warnings.empty());
}

TEST(RecordReader, SkipsWhatIsNoRecordWithOneWarning) {
  const auto read = read_record_text("{\"schema\":1}\ngarbage\n[]\n{\"schema\":1}\n{\"sch", "f");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->lines.size(), 2U);
  EXPECT_EQ(read->lines[1].place, "f:4");
  ASSERT_EQ(read->warnings.size(), 1U);
  EXPECT_EQ(read->warnings[0], "f:2: not a record line of evictd, skipped, and 2 more");
}

TEST(RecordReader, ANewerSchemaIsAnErrorWithItsLine) {
  const auto read = read_record_text("{\"schema\":1}\n{\"schema\":2}\n", "f");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(), "f:2: schema 2 is newer than what this program reads (1)");
}

TEST(RecordReader, ASchemaBeyondEveryWholeNumberIsNewerToo) {
  const auto read = read_record_text("{\"schema\":18446744073709551615}\n", "f");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(),
            "f:1: schema 18446744073709551615 is newer than what this program reads (1)");
}

TEST(RecordReader, ARecordingIsNamedAsOneWithWhatReadsIt) {
  const auto read = read_record_text("\x28\xb5\x2f\xfdrest", "demo.rec");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(),
            "demo.rec: a recording for evictctl replay, not a record file; allowed: a recordFile "
            "of evictd");
}

TEST(RecordReader, ASchemaBelowZeroIsNone) {
  const auto read = read_record_text("{\"schema\":-1}\n", "f");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->lines.empty());
  EXPECT_EQ(read->warnings.size(), 1U);
}

std::string error_of(const std::string& text) {
  const auto read = read_record_text(text, "f");
  return read ? "none" : read.error().message();
}

TEST(RecordReader, WhatNestsTooDeepIsAnErrorWithItsLine) {
  EXPECT_EQ(error_of("{\"schema\":1}\n" + std::string(1'000'000, '[')),
            "f:2: nests deeper than 64 levels");
  EXPECT_EQ(error_of(R"({"schema":1,"ranking":)" + std::string(1'000'000, '[') + "\n"),
            "f:1: nests deeper than 64 levels");
}

TEST(RecordReader, AKeyThatIsThereTwiceIsAnErrorWithItsLine) {
  EXPECT_EQ(error_of("{\"schema\":1}\n{\"schema\":1,\"id\":1,\"id\":2}\n"),
            "f:2: the key \"id\" is there twice");
}

TEST_F(RecordFileTest, ALineThatIsTooLongIsSkippedAndTheRestIsRead) {
  const std::string record = "{\"schema\":1}\n";
  const std::string longest(kLongestRecordLine + 1, 'x');
  write(record + longest + "\n" + record + longest);
  const auto read = read_record_file(path_);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->lines.size(), 2U);
  ASSERT_EQ(read->warnings.size(), 1U);
  EXPECT_NE(read->warnings[0].find(":2: longer than 16 MiB, skipped, and 1 more"),
            std::string::npos)
      << read->warnings[0];
  const auto text = read_record_text(longest + "\n" + record, "f");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->lines.size(), 1U);
  EXPECT_EQ(text->warnings, std::vector<std::string>{"f:1: longer than 16 MiB, skipped"});
}

TEST_F(RecordFileTest, ALineIsReadWhereverItsPartsWereReadApart) {
  const std::string whole = "{\"schema\":1,\"text\":\"" + std::string(700'000, 'y') + "\"}";
  write(whole + "\n" + whole);
  const auto read = read_record_file(path_);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->lines.size(), 2U);
  EXPECT_EQ(read->lines[1].json.dump(), whole);
  EXPECT_TRUE(read->warnings.empty());
}

TEST(RecordReader, ADeviceIsNotReadForEver) {
  const auto read = read_record_file("/dev/full");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(), "read /dev/full: not a regular file");
}

TEST(RecordReader, AFileThatCannotBeReadIsAnErrorWithItsReason) {
  const auto read = read_record_file("/proc/self/mem");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(), "read /proc/self/mem: Input/output error");
}

TEST(RecordReader, AMissingFileIsAnError) {
  const auto read = read_record_file("/nowhere/records.jsonl");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace evictd::exporting
