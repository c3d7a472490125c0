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
  /// Empty: no configuration, for modes that need none (--notify-only).
  std::filesystem::path config;
  /// A private directory for the notify socket, the log and evictd's control socket.
  std::filesystem::path directory;
  /// A program with arguments that runs evictd, for example one that drops privileges.
  std::vector<std::string> launcher{};
  /// "NAME=value", for its environment.
  std::vector<std::string> environment{};
  /// Passed to evictd after its configuration.
  std::vector<std::string> arguments{};
};

/// The real daemon with a private configuration. The destructor stops it. One thread uses it.
class DaemonProcess {
 public:
  /// Starts it and returns once it reports READY=1 by sd_notify.
  /// Errors: kTimedOut after a minute; kIo with the end of its log if it dies.
  static Result<DaemonProcess> start(const DaemonOptions& options);

  /// Sends SIGHUP and returns once it is ready again. Errors: as start().
  Result<> reload();
  /// Returns once it sends this line, such as WATCHDOG=1, to its service manager. Errors: as
  /// start().
  Result<> await_notify_line(std::string_view line);
  /// Whether it sends this line to its service manager within `limit`, waiting as a service manager
  /// does. Errors: kIo with the end of its log if it dies.
  Result<bool> sends_within(std::string_view line, Duration limit);
  /// Sends one request to its control socket and returns the answer. Errors: as
  /// base::request_line().
  [[nodiscard]] Result<std::string> ask(std::string_view request) const;
  /// Sends SIGTERM, and SIGKILL after 10 s.
  Result<ChildExit> stop();

  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  /// Readable once the daemon is dead.
  [[nodiscard]] int pidfd() const { return child_.pidfd(); }
  [[nodiscard]] std::filesystem::path log() const { return directory_ / "evictd.log"; }
  /// The last 2000 bytes of its log at most; empty if the log cannot be read.
  [[nodiscard]] std::string end_of_log() const;

 private:
  DaemonProcess(std::filesystem::path directory, base::Fd notify, Child child);

  std::filesystem::path directory_;
  base::Fd notify_;
  Child child_;
};

}  // namespace evictd::stage
