// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// A program to run once.
struct CommandOptions {
  /// Absolute path, then arguments. Not empty.
  std::vector<std::string> argv;
  Duration timeout{0};
  /// Readable when the program must be killed at once; -1 for never. Borrowed.
  int stop_fd = -1;
};

/// How it ended.
struct CommandEnd {
  /// As waitpid(2) gives it.
  int status = 0;
  bool timed_out = false;
  bool stopped = false;
  /// Start of its stdout and stderr; output beyond 16 KiB is read and dropped.
  std::string output;

  /// "exit status 0", "signal 9", "killed after its timeout".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool succeeded() const { return status == 0 && !timed_out && !stopped; }
};

/// Starts the program with spawn_ordinary(), in its own process group and without stdin, and waits
/// for it. The whole group gets SIGKILL at the timeout, and after the program has exited, so that
/// no process remains.
/// Errors: those of spawn_ordinary() and pidfd_open(2), naming the program.
[[nodiscard]] Result<CommandEnd> run_command(const CommandOptions& options);

}  // namespace evictd::enforce
