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

/// Returns the whole text of the file. Errors: kNotFound if it does not exist; kInvalid if it is
/// not a regular file; as open(2) and read(2).
[[nodiscard]] Result<std::string> read_state_file(const std::string& path);

/// Replaces the file: writes and syncs another one beside it, renames that to its name, then syncs
/// the directory. At every moment the name refers to the whole old text or the whole new one.
/// Blocks. Errors: kInvalid if it, or the one beside it, exists and is not a regular file. Else as
/// open(2), write(2), fsync(2) and rename(2). After an error the old text is still there.
[[nodiscard]] Result<> replace_state_file(const std::string& path, std::string_view text);

/// A thread that replaces the file, so that a slow disk blocks no other thread. Of several waiting
/// texts only the newest is written. Thread rule: created and used by housekeeping.
class StateWriter {
 public:
  struct Counters {
    std::uint64_t writes = 0;
    std::uint64_t failures = 0;
    /// Error of the last write that failed; empty once one has succeeded again.
    std::string last_failure;
  };

  explicit StateWriter(std::string path);
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;
  /// Writes a waiting text first.
  ~StateWriter();

  void write(std::string text);
  /// Waits until no text given to write() is waiting, whether written or failed, for at most
  /// `time`. Returns whether none is.
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
