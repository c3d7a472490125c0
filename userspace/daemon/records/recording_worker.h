// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/spsc_queue.h"
#include "base/timer.h"
#include "core/clock.h"
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
  RecordingWorker(const RecordingWorker&) = delete;
  RecordingWorker& operator=(const RecordingWorker&) = delete;
  ~RecordingWorker();

  /// Writes all waiting lines, then how the recording ended; waits until the disk has them. Nothing
  /// is written after that.
  void stop();

  /// Never blocks. Returns false if the lines were not taken because too much is waiting.
  [[nodiscard]] bool write(std::string lines);
  /// "size", "time", "stopped" or the failure; empty while the recording continues.
  [[nodiscard]] std::string ended() const;
  /// Compressed bytes in the file.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// The value of ended() if stop() ended it and the disk took everything.
  static constexpr const char* kStopped = "stopped";

 private:
  RecordingWorker(RecordingOptions options, const core::Clock& clock, base::WakeUp wake_up,
                  replay::RecordingFile file);
  void run();
  void take_lines();
  void flush();
  void finish(const std::string& why);
  [[nodiscard]] int wait_ms() const;

  static constexpr std::size_t kQueue = 4096;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{32} << 20U;

  RecordingOptions options_;
  const core::Clock& clock_;
  base::SpscQueue<std::string> queue_{kQueue};
  base::WakeUp wake_up_;
  replay::RecordingFile file_;
  MonoTime started_at_{};
  /// Since when lines wait for a flush.
  std::optional<MonoTime> unwritten_since_;
  std::atomic<std::uint64_t> waiting_bytes_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<bool> stop_{false};
  bool finished_ = false;
  mutable std::mutex mutex_;
  std::string ended_;  // under mutex_
  std::thread thread_;
};

}  // namespace evictd::daemon
