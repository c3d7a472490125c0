// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// Logs each problem once, and its end once. One thread uses it.
class ProblemLog {
 public:
  /// Borrows `log`.
  explicit ProblemLog(base::Log& log) : log_(log) {}

  /// `problems` are all current problems.
  void log_changes(const std::vector<Error>& problems);

 private:
  base::Log& log_;
  /// The problems as logged.
  std::vector<std::string> known_;
};

}  // namespace evictd::daemon
