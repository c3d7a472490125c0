// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::exporting {

/// Whether append() must wait until the line is on the disk.
enum class Durability { kCached, kSynced };

/// A JSON Lines file that is rotated by size: FILE is the current one, FILE.1 the one before. A
/// reader never sees half a line, except at the very end after a crash: open() cuts that off.
/// Blocks as long as the disk does.
class RecordFile {
 public:
  struct Options {
    std::filesystem::path path;
    /// FILE is renamed when a line would make it larger than this.
    std::int64_t max_bytes = 0;
    /// Maximum number of files, including FILE.
    int files = 1;
  };

  explicit RecordFile(Options options) : options_(std::move(options)) {}

  /// Writes `line` and a line end. Opens the file if it is not open, or if it was removed or
  /// replaced. A failed call leaves the file unchanged, and the next call tries again.
  /// Errors, with the path: kInvalid if it exists but is not a regular file; else as open(2),
  /// write(2), rename(2) and fdatasync(2).
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
