// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::stage {

/// The end of a child, as its parent's waitpid saw it.
struct ChildExit {
  /// The status of waitpid(2).
  int status = 0;
  /// When waitpid returned.
  MonoTime at{};

  [[nodiscard]] bool killed_by(int signal) const;
  /// "exit status 1" or "signal 9".
  [[nodiscard]] std::string text() const;
};

struct ChildOptions {
  /// Program and arguments.
  std::vector<std::string> argv;
  /// "NAME=value", placed before the environment of this process.
  std::vector<std::string> environment{};
  /// File for stdout and stderr; empty: those of this process.
  std::filesystem::path output{};
};

/// A child process, with no signal blocked and SIGPIPE not ignored. It dies with this process; the
/// destructor kills and reaps it. One thread uses the object; another one may call wait().
class Child {
 public:
  /// Errors: kNotFound if there is no such program; those of fork(2) and of the writes.
  static Result<Child> start(const ChildOptions& options);

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Readable once the child is dead.
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }
  /// Whether it still runs; it may or may not have been waited for.
  [[nodiscard]] bool lives() const;
  void signal(int number) const;
  /// Waits for its end and stamps it. Errors: kTimedOut if it still runs after `timeout`.
  Result<ChildExit> wait(Duration timeout);
  /// Its end, if wait() saw it.
  [[nodiscard]] const std::optional<ChildExit>& ended() const { return ended_; }

 private:
  Child(pid_t pid, base::Fd pidfd);
  void destroy();

  pid_t pid_ = -1;
  base::Fd pidfd_;
  std::optional<ChildExit> ended_;
};

}  // namespace evictd::stage
