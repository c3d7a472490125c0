// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// Tells the log of each problem once, and once that it is over. One thread uses it.
class ProblemLog {
 public:
  /// Borrows `log`.
  explicit ProblemLog(base::Log& log) : log_(log) {}

  /// `problems` are all that there are now.
  void tell(const std::vector<Error>& problems);

 private:
  base::Log& log_;
  /// As they were told.
  std::vector<std::string> known_;
};

}  // namespace evictd::daemon
