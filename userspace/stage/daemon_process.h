// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "stage/child.h"

namespace evictd::stage {

struct DaemonOptions {
  /// The evictd to run.
  std::filesystem::path binary;
  /// Empty: none, for what runs without (--notify-only).
  std::filesystem::path config;
  /// A private directory: notify socket and log are made in it, and evictd's control socket.
  std::filesystem::path directory;
  /// A program with arguments that is to run evictd, such as one that takes privileges away.
  std::vector<std::string> launcher{};
  /// "NAME=value", for its environment.
  std::vector<std::string> environment{};
  /// Given to evictd behind its configuration.
  std::vector<std::string> arguments{};
};

/// The real daemon on a private configuration. Stopped when the object is destroyed.
/// One thread uses it.
class DaemonProcess {
 public:
  /// Starts it and returns once it says READY=1 by sd_notify.
  /// Errors: kTimedOut after a minute; kIo with the end of its log if it dies.
  static Result<DaemonProcess> start(const DaemonOptions& options);

  /// SIGHUP, and returns once it is ready again. Errors: as start().
  Result<> reload();
  /// Returns once it tells its service manager this line, such as WATCHDOG=1. Errors: as start().
  Result<> await_told(std::string_view line);
  /// Whether it tells its service manager this line before `limit` is over, as a service manager
  /// waits. Errors: kIo with the end of its log if it dies.
  Result<bool> tells_within(std::string_view line, Duration limit);
  /// One request to its control socket, and the answer's text. Errors: as base::request_line().
  [[nodiscard]] Result<std::string> ask(std::string_view request) const;
  /// SIGTERM, and SIGKILL after 10 s.
  Result<ChildExit> stop();

  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  /// Ready for reading once the daemon is dead.
  [[nodiscard]] int pidfd() const { return child_.pidfd(); }
  [[nodiscard]] std::filesystem::path log() const { return directory_ / "evictd.log"; }
  /// At most the last 2000 bytes of what it has logged; empty if the log cannot be read.
  [[nodiscard]] std::string end_of_log() const;

 private:
  DaemonProcess(std::filesystem::path directory, base::Fd notify, Child child);

  std::filesystem::path directory_;
  base::Fd notify_;
  Child child_;
};

}  // namespace evictd::stage
