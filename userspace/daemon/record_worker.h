// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/spsc_queue.h"
#include "base/timer.h"
#include "core/clock.h"
#include "evictd/result.h"
#include "export/record_file.h"

namespace evictd::daemon {

/// A thread of ordinary priority that writes the record file: a disk that is full, slow or hung
/// holds up nobody else. What could not be written stays in memory; once the disk takes lines
/// again, the file gets one that says how many are missing, together with the line that follows.
/// Thread rule: made and used by housekeeping.
class RecordWorker {
 public:
  /// What became of lines since the start.
  struct Counters {
    std::uint64_t written = 0;
    /// Not in the file: a write failed, or the queue was full.
    std::uint64_t lost = 0;
    /// Waiting to be written.
    std::uint64_t waiting = 0;
  };

  struct Item {
    std::string line;
    exporting::Durability durability = exporting::Durability::kCached;
    /// That of the line, which a gap before it gets too; empty: it has none.
    std::string time{};
  };

  [[nodiscard]] static Result<std::unique_ptr<RecordWorker>> start(
      exporting::RecordFile::Options options, const core::Clock& clock);
  RecordWorker(const RecordWorker&) = delete;
  RecordWorker& operator=(const RecordWorker&) = delete;
  /// Writes what is waiting, and waits for the disk to take it.
  ~RecordWorker();

  /// Never waits. A line that the queue does not take is counted as lost.
  void write(Item item);

  [[nodiscard]] Counters counters() const;
  /// Why lines do not reach the file now; empty while they do. A write that has not returned for
  /// `kPatience` counts as a failure.
  [[nodiscard]] std::string trouble(MonoTime now) const;

  static constexpr Duration kPatience = std::chrono::seconds(5);

 private:
  RecordWorker(base::WakeUp wake_up, exporting::RecordFile file, const core::Clock& clock);
  void run();
  void write_one(const Item& item);
  [[nodiscard]] Result<> append(const Item& item);

  /// Lines, and bytes of them, that may wait for a slow disk.
  static constexpr std::size_t kQueue = 1024;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20U;

  base::SpscQueue<Item> queue_{kQueue};
  base::WakeUp wake_up_;
  exporting::RecordFile file_;
  const core::Clock& clock_;
  std::uint64_t given_ = 0;
  std::uint64_t refused_ = 0;
  std::atomic<std::uint64_t> waiting_bytes_{0};
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> failed_{0};
  /// Nanoseconds on CLOCK_MONOTONIC since when the disk has been at one line; 0 while it is not.
  std::atomic<std::int64_t> busy_since_{0};
  std::atomic<bool> stop_{false};
  /// Of the worker: lines lost that the file does not tell of yet.
  std::uint64_t untold_ = 0;
  std::atomic<std::uint64_t> refused_to_tell_{0};
  mutable std::mutex mutex_;
  std::string failure_;  // under mutex_
  std::thread thread_;
};

}  // namespace evictd::daemon
