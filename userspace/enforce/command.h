// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// A program that is run once.
struct CommandOptions {
  /// Absolute path, then arguments. Not empty.
  std::vector<std::string> argv;
  Duration timeout{0};
  /// Readable when it must end at once; -1 for never. Borrowed.
  int stop_fd = -1;
};

/// How it ended.
struct CommandEnd {
  /// As waitpid(2) gives it.
  int status = 0;
  bool timed_out = false;
  bool stopped = false;
  /// The start of what it wrote to stdout and stderr; more than 16 KiB is read and dropped.
  std::string output;

  /// "exit status 0", "signal 9", "killed after its timeout".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool succeeded() const { return status == 0 && !timed_out && !stopped; }
};

/// Runs the program in a process group of its own, with no stdin, as spawn_ordinary() starts it,
/// and waits for it. At the timeout the whole group gets SIGKILL; so it does when the program has
/// ended, lest it leaves something behind.
/// Errors: those of spawn_ordinary() and pidfd_open(2), naming the program.
[[nodiscard]] Result<CommandEnd> run_command(const CommandOptions& options);

}  // namespace evictd::enforce
