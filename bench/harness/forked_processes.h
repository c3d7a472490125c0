// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "evictd/result.h"

namespace evictd::bench {

/// Processes that were forked to create load. They ignore Ctrl-C, which the bench handles, and die
/// with the object and with this process. One thread uses it.
class ForkedProcesses {
 public:
  /// Forks a process that runs `work` and then exits. Errors: those of fork(2), with `what` as the
  /// subject.
  Result<pid_t> add(const std::string& what, const std::function<void()>& work);
  /// Reaps the killed processes.
  void reap();

  ForkedProcesses() = default;
  ForkedProcesses(const ForkedProcesses&) = delete;
  ForkedProcesses& operator=(const ForkedProcesses&) = delete;
  ForkedProcesses(ForkedProcesses&&) noexcept = default;
  ForkedProcesses& operator=(ForkedProcesses&& other) noexcept;
  ~ForkedProcesses();

 private:
  std::vector<pid_t> pids_;
};

}  // namespace evictd::bench
