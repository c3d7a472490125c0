// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "evictd/result.h"

namespace evictd::bench {

/// Processes that this one forked for the load that they are. They ignore Ctrl-C, which is the
/// bench's to handle, and die with the object and with this process. One thread uses it.
class ForkedProcesses {
 public:
  /// Forks one that does `work`, and is not heard of again if that returns. Errors: those of
  /// fork(2), said to be of forking `what`.
  Result<pid_t> add(const std::string& what, const std::function<void()>& work);
  /// Takes the exit status of those that have been killed.
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
