// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/shared/worker.h"
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
/// texts only the newest is written; the end writes it first. Thread rule: created and used by
/// housekeeping.
class StateWriter {
 public:
  struct Counters {
    std::uint64_t writes = 0;
    std::uint64_t failures = 0;
    /// Error of the last write that failed; empty once one has succeeded again.
    std::string last_failure;
  };

  /// Without a thread nothing is written: that is the last failure then.
  explicit StateWriter(std::string path);

  void write(std::string text) { worker_.replace(std::move(text)); }
  /// Waits until no text given to write() is waiting, whether written or failed, for at most
  /// `time`. Returns whether none is.
  [[nodiscard]] bool await_written(Duration time) { return worker_.await_idle(time); }
  [[nodiscard]] Counters counters() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void run();

  std::string path_;
  mutable std::mutex mutex_;
  Counters counters_;  // under mutex_
  Worker<std::string> worker_;
};

}  // namespace evictd::daemon
