// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::kube {

/// The lines of a file in a directory that one evictd-kube at a time keeps. Lines are
/// added at its end, and now and then it is replaced by a shorter one; whenever the process or the
/// machine stops, it is whole but for its last line. Everything blocks.
class QueueFile {
 public:
  /// `name` is the file's. Errors: kBusy where another process keeps the directory; else as
  /// mkdir(2), open(2) and flock(2), naming the directory.
  [[nodiscard]] static Result<QueueFile> open(const std::string& directory,
                                              const std::string& name);

  /// The lines that are whole; what a crash left of another one is taken away. Errors: kExhausted
  /// for a file that is too long to be one; else as open(2), read(2) and ftruncate(2).
  [[nodiscard]] Result<std::vector<std::string>> read();
  /// Adds a line. After an error the file is as it was. Errors: as write(2).
  [[nodiscard]] Result<> append(std::string_view line);
  /// What was added is on the disk then. Errors: as fdatasync(2).
  [[nodiscard]] Result<> sync();
  /// Another file with these lines takes its place, once it is on the disk.
  /// Errors: as open(2), write(2), fsync(2) and rename(2); the old one is there still.
  [[nodiscard]] Result<> replace(const std::vector<std::string>& lines);
  /// Gives it another name, "NAME.damaged", so that somebody may look at it.
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
