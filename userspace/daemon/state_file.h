// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// The whole text of the file. Errors: kNotFound if there is none; kInvalid for what is no regular
/// file; as open(2) and read(2).
[[nodiscard]] Result<std::string> read_state_file(const std::string& path);

/// Replaces the file: another one beside it, written and synced, takes its name, and then the
/// directory is synced. At every moment the name means the old text or the new one, whole. Blocks.
/// Errors: kInvalid if it, or the one beside it, is there and no regular file; else as open(2),
/// write(2), fsync(2) and rename(2). The old text is still there then.
[[nodiscard]] Result<> replace_state_file(const std::string& path, std::string_view text);

/// A thread that does this, so that a slow disk holds up nobody. Of several texts that wait only
/// the newest is written. Thread rule: made and used by housekeeping.
class StateWriter {
 public:
  struct Counters {
    std::uint64_t writes = 0;
    std::uint64_t failures = 0;
    /// Of the last one that failed, empty once one has succeeded again.
    std::string last_failure;
  };

  explicit StateWriter(std::string path);
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;
  /// Writes what waits first.
  ~StateWriter();

  void write(std::string text);
  /// Waits until nothing that was given to write() is still to be written, be it that it failed, or
  /// for `time`. Returns whether that is so.
  [[nodiscard]] bool await_written(Duration time);
  [[nodiscard]] Counters counters() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void run();

  std::string path_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::optional<std::string> waiting_;
  bool writing_ = false;
  Counters counters_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace evictd::daemon
