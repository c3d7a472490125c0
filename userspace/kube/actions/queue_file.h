// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::kube {

/// A file of lines, in a directory that one evictd-kube at a time owns. Lines are appended; from
/// time to time a shorter file replaces it. After a crash of the process or the machine, every line
/// but the last is intact. Every call blocks.
class QueueFile {
 public:
  /// `name` is the file's name. Errors: kBusy if another process owns the directory; else as
  /// mkdir(2), open(2) and flock(2), naming the directory.
  [[nodiscard]] static Result<QueueFile> open(const std::string& directory,
                                              const std::string& name);

  /// Returns the complete lines and truncates an incomplete one that a crash left. Errors:
  /// kExhausted if the file is too long to be a queue; else as open(2), read(2) and ftruncate(2).
  [[nodiscard]] Result<std::vector<std::string>> read();
  /// Adds a line. After an error the file is unchanged. Errors: as write(2).
  [[nodiscard]] Result<> append(std::string_view line);
  /// Flushes the added lines to the disk. Errors: as fdatasync(2).
  [[nodiscard]] Result<> sync();
  /// Replaces the file with one that has these lines, once that one is on the disk.
  /// Errors: as open(2), write(2), fsync(2) and rename(2); the old file then stays.
  [[nodiscard]] Result<> replace(const std::vector<std::string>& lines);
  /// Renames the file to "NAME.damaged", so that it can be inspected.
  [[nodiscard]] Result<> set_aside();

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  QueueFile(std::string name, std::string path, base::Fd directory, base::Fd lock);

  std::string name_;
  std::string path_;
  base::Fd directory_;
  base::Fd lock_;
  base::Fd file_;
  std::size_t size_ = 0;
};

}  // namespace evictd::kube
