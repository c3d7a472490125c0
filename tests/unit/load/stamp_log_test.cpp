// SPDX-License-Identifier: Apache-2.0
#include "load/stamp_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "load/stamp_writer.h"

namespace evictd::load {
namespace {

/// A log with a ring of sixteen entries.
class StampLogFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "evictd-stamps-XXXXXX";
    const int fd = ::mkstemp(name.data());
    ASSERT_GE(fd, 0);
    ::close(fd);
    path_ = name;
  }
  void TearDown() override { ::unlink(path_.c_str()); }

  [[nodiscard]] StampWriter writer(const std::string& usage_file = "") const {
    Result<StampWriter> made = StampWriter::create({.path = path_,
                                                    .kind = LoadKind::kMemory,
                                                    .batch = 100,
                                                    .page_bytes = 4096,
                                                    .capacity = 16,
                                                    .usage_file = usage_file});
    EXPECT_TRUE(made) << made.error().message();
    return std::move(*made);
  }
  /// Batch n, from 0, takes [10 n, 10 n + 10) ns and ends with 100 (n + 1) units.
  static void add(StampWriter& writer, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t n = from; n < to; ++n) {
      writer.add(10 * n, 10 * n + 10, 100 * (n + 1));
    }
  }

  std::string path_;
};

TEST_F(StampLogFile, AReaderFollowsTheWriterLive) {
  StampWriter stamps = writer();
  const Result<StampLog> log = StampLog::open(path_);
  ASSERT_TRUE(log) << log.error().message();
  EXPECT_EQ(log->count(), 0U);
  EXPECT_FALSE(log->last());
  EXPECT_EQ(log->pid(), ::getpid());
  EXPECT_EQ(log->batch(), 100U);

  stamps.set_state(LoadState::kRunning);
  add(stamps, 0, 3);

  EXPECT_EQ(log->state(), LoadState::kRunning);
  EXPECT_EQ(log->count(), 3U);
  EXPECT_EQ(log->last()->total, 300U);
  EXPECT_EQ(log->last()->usage, -1);
}

TEST_F(StampLogFile, TheFirstBatchOfWhichSomethingHoldsIsFound) {
  StampWriter stamps = writer();
  add(stamps, 0, 10);
  const Result<StampLog> log = StampLog::open(path_);
  ASSERT_TRUE(log);

  EXPECT_EQ(log->first_where([](const LoadStamp& stamp) { return stamp.total > 500; })->end_ns,
            60U);
  EXPECT_FALSE(log->first_where([](const LoadStamp& stamp) { return stamp.total > 1000; }));
  EXPECT_EQ(log->first_where([](const LoadStamp& stamp) { return stamp.start_ns >= 70; })->total,
            800U);
}

TEST_F(StampLogFile, AFullRingKeepsTheNewestBatches) {
  StampWriter stamps = writer();
  add(stamps, 0, 40);
  const Result<StampLog> log = StampLog::open(path_);
  ASSERT_TRUE(log);

  EXPECT_EQ(log->count(), 40U);
  EXPECT_EQ(log->first_kept(), 25U);
  EXPECT_FALSE(log->at(24));
  EXPECT_EQ(log->at(25)->total, 2600U);
  EXPECT_EQ(log->last()->total, 4000U);
  EXPECT_EQ(log->first_where([](const LoadStamp&) { return true; })->total, 2600U);
}

TEST_F(StampLogFile, TheRateCountsAllKeptBatches) {
  StampWriter stamps = writer();
  add(stamps, 0, 10);
  const Result<StampLog> log = StampLog::open(path_);
  ASSERT_TRUE(log);

  // 1000 units in 100 ns.
  EXPECT_DOUBLE_EQ(log->rate_per_second(), 1e10);
}

TEST_F(StampLogFile, TheUsageOfAFileIsStampedBesideTheBatch) {
  const std::string usage = path_ + ".usage";
  std::ofstream(usage) << "12345\n";
  StampWriter stamps = writer(usage);
  add(stamps, 0, 1);
  ::unlink(usage.c_str());
  const Result<StampLog> log = StampLog::open(path_);
  ASSERT_TRUE(log);

  EXPECT_EQ(log->at(0)->usage, 12345);
}

TEST_F(StampLogFile, AnythingElseIsNoStampLog) {
  EXPECT_EQ(StampLog::open(path_).error().code, Errc::kMalformed);
  std::ofstream(path_) << std::string(4096, 'x');
  EXPECT_EQ(StampLog::open(path_).error().code, Errc::kMalformed);
  EXPECT_EQ(StampLog::open(path_ + ".none").error().code, Errc::kNotFound);
}

TEST_F(StampLogFile, ACapacityBeyondTheFileIsRefused) {
  { StampWriter stamps = writer(); }
  ASSERT_EQ(::truncate(path_.c_str(), sizeof(LoadStampHeader) + 15 * sizeof(LoadStamp)), 0);

  EXPECT_EQ(StampLog::open(path_).error().code, Errc::kMalformed);
}

TEST_F(StampLogFile, CountsWhatWasRefusedBesideTheBatches) {
  StampWriter stamps = writer();
  const Result<StampLog> log = StampLog::open(path_);
  ASSERT_TRUE(log) << log.error().message();
  EXPECT_EQ(log->refused(), 0U);
  stamps.add_refused();
  add(stamps, 0, 1);
  stamps.add_refused();
  stamps.add_refused_untold();
  EXPECT_EQ(log->refused(), 2U);
  EXPECT_EQ(log->refused_untold(), 1U);
  EXPECT_EQ(log->count(), 1U);
}

}  // namespace
}  // namespace evictd::load
