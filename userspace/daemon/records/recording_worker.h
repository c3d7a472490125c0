// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/clock.h"
#include "daemon/shared/worker.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "replay/recording_file.h"

namespace evictd::daemon {

/// Where and how much evictd records.
struct RecordingOptions {
  std::filesystem::path file;
  /// The recording ends before its file exceeds about this size.
  Bytes max_bytes = 256_MiB;
  /// The recording ends after this time; unset: never.
  std::optional<Duration> max_time;
};

/// A thread of ordinary priority that compresses and writes a recording. It ends at its bounds, or
/// when the disk refuses a write. Thread rule: created and used by housekeeping.
class RecordingWorker {
 public:
  /// Errors: those of RecordingFile::create().
  [[nodiscard]] static Result<std::unique_ptr<RecordingWorker>> start(RecordingOptions options,
                                                                      const core::Clock& clock);

  /// Writes all waiting lines, then how the recording ended; waits until the disk has them. Nothing
  /// is written after that. So does the destructor.
  void stop() { worker_.end(); }

  /// Never blocks. Returns false if the lines were not taken because too much is waiting.
  [[nodiscard]] bool write(std::string lines);
  /// "size", "time", "stopped" or the failure; empty while the recording continues.
  [[nodiscard]] std::string ended() const;
  /// Compressed bytes in the file.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// The value of ended() if stop() ended it and the disk took everything.
  static constexpr const char* kStopped = "stopped";

 private:
  RecordingWorker(RecordingOptions options, const core::Clock& clock, replay::RecordingFile file);
  void run();
  void add(const std::string& lines);
  void flush();
  void finish(const std::string& why);
  /// Until a flush or the end is due; nullopt if neither will be.
  [[nodiscard]] std::optional<Duration> time_to_wait() const;

  static constexpr std::size_t kQueue = 4096;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{32} << 20U;

  RecordingOptions options_;
  const core::Clock& clock_;
  replay::RecordingFile file_;
  MonoTime started_at_{};
  /// Since when lines wait for a flush.
  std::optional<MonoTime> unwritten_since_;
  std::atomic<std::uint64_t> bytes_{0};
  bool finished_ = false;
  mutable std::mutex mutex_;
  std::string ended_;  // under mutex_
  Worker<std::string> worker_{JobBounds{.jobs = kQueue, .bytes = kMostBytes}};
};

}  // namespace evictd::daemon
