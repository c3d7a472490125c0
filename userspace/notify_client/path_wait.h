// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::notify_client {

/// Reports that a file may have appeared, even if its parent directories do not exist yet. Not
/// thread-safe.
class PathWait {
 public:
  /// Errors: as inotify_init1(2).
  [[nodiscard]] static Result<PathWait> create(std::string path);

  /// Forgets earlier events and watches the nearest existing directory above the file. Any later
  /// change makes fd() readable, so the order is: arm, check, wait.
  /// Errors: as inotify_add_watch(2) for a directory that exists.
  [[nodiscard]] Result<> arm();

  /// Readable once the file, or a directory on its path, was created or removed.
  [[nodiscard]] int fd() const { return inotify_.get(); }

 private:
  PathWait(base::Fd inotify, std::string path);

  void drain();

  base::Fd inotify_;
  std::string path_;
  int watch_ = -1;
};

}  // namespace evictd::notify_client
