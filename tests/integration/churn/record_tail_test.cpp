// SPDX-License-Identifier: Apache-2.0
#include "record_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "stage/scratch_directory.h"

namespace evictd::churn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChurnRecordTail : public testing::Test {
 protected:
  void SetUp() override {
    Result<stage::ScratchDirectory> made = stage::ScratchDirectory::create("evictd-test-");
    ASSERT_TRUE(made) << made.error().message();
    scratch_.emplace(std::move(*made));
    tail_.emplace(file());
  }

  [[nodiscard]] std::filesystem::path file() const { return scratch_->path() / "records"; }
  void append(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }
  [[nodiscard]] std::vector<std::string> read() {
    std::vector<std::string> lines;
    const Result<> done = tail_->read([&](std::string_view line) { lines.emplace_back(line); });
    EXPECT_TRUE(done) << done.error().message();
    return lines;
  }

  std::optional<stage::ScratchDirectory> scratch_;
  std::optional<RecordTail> tail_;
};

TEST_F(ChurnRecordTail, GivesEachLineOnceAndOnlyWhenItIsWhole) {
  EXPECT_THAT(read(), IsEmpty());
  append("one\ntw");
  EXPECT_THAT(read(), ElementsAre("one"));
  EXPECT_THAT(read(), IsEmpty());
  append("o\nthree\n");
  EXPECT_THAT(read(), ElementsAre("two", "three"));
}

TEST_F(ChurnRecordTail, MissesNothingOverARotation) {
  append("one\n");
  EXPECT_THAT(read(), ElementsAre("one"));
  append("two\n");
  std::filesystem::rename(file(), scratch_->path() / "records.1");
  append("three\n");
  EXPECT_THAT(read(), ElementsAre("two", "three"));
}

}  // namespace
}  // namespace evictd::churn
