// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::notify_client {

/// Tells when a file may have appeared, whichever of the directories above it are there. Not for
/// several threads.
class PathWait {
 public:
  /// Errors: as inotify_init1(2).
  [[nodiscard]] static Result<PathWait> create(std::string path);

  /// Forgets what was seen and looks from now on at the nearest directory above the file that
  /// exists. What changes after this call makes fd() readable, so: arm, look, wait.
  /// Errors: as inotify_add_watch(2) for a directory that exists.
  [[nodiscard]] Result<> arm();

  /// Readable once the file, or one of the directories that lead to it, came or went.
  [[nodiscard]] int fd() const { return inotify_.get(); }

 private:
  PathWait(base::Fd inotify, std::string path);

  void drain();

  base::Fd inotify_;
  std::string path_;
  int watch_ = -1;
};

}  // namespace evictd::notify_client
