// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::exporting {

/// Whether a line must have reached the disk when append() returns.
enum class Durability { kCached, kSynced };

/// A file of JSON Lines that is rotated by size: FILE is written, FILE.1 is the one before it.
/// A reader never sees half a line, but for one that a crash cut short at the very end: that is
/// taken away when the file is opened again. Blocks as the disk does.
class RecordFile {
 public:
  struct Options {
    std::filesystem::path path;
    /// FILE is renamed when a line would make it larger than this.
    std::int64_t max_bytes = 0;
    /// How many files there are at most, FILE included.
    int files = 1;
  };

  explicit RecordFile(Options options) : options_(std::move(options)) {}

  /// Writes `line` and a line end. Opens the file where that is not done yet, or somebody took it
  /// away. After a failure the file is as it was, and the next call tries again.
  /// Errors: kInvalid for what is there but no regular file, else as open(2), write(2), rename(2)
  /// and fdatasync(2); with the path.
  Result<> append(std::string_view line, Durability durability);

  [[nodiscard]] const std::filesystem::path& path() const { return options_.path; }

 private:
  Result<> open();
  Result<> cut_unfinished_line();
  Result<> rotate();
  [[nodiscard]] bool was_taken_away() const;
  [[nodiscard]] std::filesystem::path numbered(int number) const;

  Options options_;
  base::Fd fd_;
  std::int64_t size_ = 0;
};

}  // namespace evictd::exporting
