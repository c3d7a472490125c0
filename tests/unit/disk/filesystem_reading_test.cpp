// SPDX-License-Identifier: Apache-2.0
#include "disk/filesystem_reading.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace evictd::disk {
namespace {

TEST(FilesystemReading, ShowsWhatStatfsSays) {
  const MonoTime now{Duration(5)};
  const Result<FilesystemReading> reading = read_filesystem("/", now);
  ASSERT_TRUE(reading) << reading.error().message();
  EXPECT_GT(reading->capacity_bytes, 0);
  EXPECT_LE(reading->available_bytes, reading->capacity_bytes);
  EXPECT_EQ(reading->read_at, now);
}

TEST(FilesystemReading, NamesThePathThatIsNotThere) {
  const Result<FilesystemReading> reading = read_filesystem("/nowhere/at/all", {});
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().code, Errc::kNotFound);
  EXPECT_NE(reading.error().message().find("/nowhere/at/all"), std::string::npos);
}

TEST(ReadingCell, IsEmptyUntilItIsWrittenAndAfterItIsCleared) {
  ReadingCell cell;
  EXPECT_FALSE(cell.load());
  cell.store({.available_bytes = 1, .capacity_bytes = 2, .inodes_free = 3, .inodes = 4});
  ASSERT_TRUE(cell.load());
  EXPECT_EQ(cell.load()->inodes, 4);
  cell.clear();
  EXPECT_FALSE(cell.load());
}

TEST(ReadingCell, AReaderNeverSeesHalfOfAReading) {
  ReadingCell cell;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::int64_t n = 1; !stop.load(); ++n) {
      cell.store({.available_bytes = n, .capacity_bytes = n, .inodes_free = n, .inodes = n});
    }
  });
  int seen = 0;
  while (seen < 100'000) {
    if (const auto reading = cell.load()) {
      ASSERT_EQ(reading->available_bytes, reading->inodes);
      ASSERT_EQ(reading->capacity_bytes, reading->inodes_free);
      ++seen;
    }
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace evictd::disk
