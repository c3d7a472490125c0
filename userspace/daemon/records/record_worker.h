// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "core/clock.h"
#include "daemon/shared/worker.h"
#include "evictd/result.h"
#include "export/record_file.h"

namespace evictd::daemon {

/// A thread of ordinary priority that writes the record file, so that a full, slow or hung disk
/// blocks no other thread. Lines that could not be written stay in memory. Once the disk takes
/// lines again, the file gets a line with the number of missing ones, together with the line that
/// follows. The end waits until the disk has all waiting lines. Thread rule: created and used by
/// housekeeping.
class RecordWorker {
 public:
  /// Counts of lines since the start.
  struct Counters {
    std::uint64_t written = 0;
    /// Not in the file: a write failed, or the queue was full.
    std::uint64_t lost = 0;
    /// Waiting to be written, without the line that is being written.
    std::uint64_t waiting = 0;
  };

  struct Item {
    std::string line;
    exporting::Durability durability = exporting::Durability::kCached;
    /// Time of the line, also used for a gap before it; empty: none.
    std::string time{};
  };

  [[nodiscard]] static Result<std::unique_ptr<RecordWorker>> start(
      exporting::RecordFile::Options options, const core::Clock& clock);

  /// Never blocks. A line that does not fit the queue counts as lost.
  void write(Item item);

  [[nodiscard]] Counters counters() const;
  /// Why lines do not reach the file now; empty if they do. A write that has not returned for
  /// `kPatience` counts as a failure.
  [[nodiscard]] std::string trouble(MonoTime now) const;

  static constexpr Duration kPatience = std::chrono::seconds(5);

 private:
  RecordWorker(exporting::RecordFile::Options options, const core::Clock& clock);
  void run();
  void write_one(const Item& item);
  [[nodiscard]] Result<> append(const Item& item);

  /// Maximum number of lines, and of their bytes, that may wait for a slow disk.
  static constexpr std::size_t kQueue = 1024;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20U;

  exporting::RecordFile file_;
  const core::Clock& clock_;
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> failed_{0};
  /// Since when the disk has been writing one line, nanoseconds on CLOCK_MONOTONIC; 0 if it is not.
  std::atomic<std::int64_t> busy_since_{0};
  /// Worker thread only: lost lines that the file reports.
  std::uint64_t told_ = 0;
  mutable std::mutex mutex_;
  std::string failure_;  // under mutex_
  Worker<Item> worker_{JobBounds{.jobs = kQueue, .bytes = kMostBytes}};
};

}  // namespace evictd::daemon
