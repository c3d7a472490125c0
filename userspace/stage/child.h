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

/// How a child ends, as its parent's waitpid saw it.
struct ChildExit {
  /// As waitpid(2) gives it.
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
  /// "NAME=value", put in front of the environment of this process.
  std::vector<std::string> environment{};
  /// Where stdout and stderr go; empty: where ours go.
  std::filesystem::path output{};
};

/// One process that this one started, with no signal blocked and SIGPIPE not ignored. It dies with
/// this process, and is killed and reaped when the object is destroyed. One thread uses it; wait()
/// may be left to another one.
class Child {
 public:
  /// Errors: kNotFound if there is no such program, and what fork(2) and the writes say.
  static Result<Child> start(const ChildOptions& options);

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Ready for reading once the child is dead.
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }
  /// Whether it still runs; to be waited for or not.
  [[nodiscard]] bool lives() const;
  void signal(int number) const;
  /// Waits for its end and stamps it. Errors: kTimedOut when it still lives after `timeout`.
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
