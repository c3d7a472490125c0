// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

#include "evictd/result.h"

namespace evictd::bench {

/// Processes of ordinary priority that do nothing but take a CPU each. They die with the object,
/// and with this process.
class BusyLoops {
 public:
  /// Errors: those of fork(2).
  static Result<BusyLoops> start(int count);

  BusyLoops() = default;
  BusyLoops(const BusyLoops&) = delete;
  BusyLoops& operator=(const BusyLoops&) = delete;
  BusyLoops(BusyLoops&&) noexcept = default;
  BusyLoops& operator=(BusyLoops&& other) noexcept;
  ~BusyLoops();

 private:
  std::vector<pid_t> pids_;
};

}  // namespace evictd::bench
