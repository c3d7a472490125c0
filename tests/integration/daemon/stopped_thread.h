// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace evictd::daemon::test {

/// Holds one thread of another process still, and lets it go when destroyed. The process' other
/// threads go on.
class StoppedThread {
 public:
  /// Returns once `thread` stands still; a test failure if it cannot be had.
  explicit StoppedThread(pid_t thread);
  StoppedThread(const StoppedThread&) = delete;
  StoppedThread& operator=(const StoppedThread&) = delete;
  ~StoppedThread();

 private:
  pid_t thread_;
};

}  // namespace evictd::daemon::test
