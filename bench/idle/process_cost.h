// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/fd.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// What a process has cost so far.
struct ProcessCost {
  /// Time on a CPU, all threads, those that have ended included. Source: clock_getcpuclockid(3).
  Duration cpu{0};
  /// Times a thread went to sleep by itself, which is how often it was woken. Source:
  /// voluntary_ctxt_switches of /proc/PID/task/*/status.
  std::int64_t sleeps = 0;
  /// VmRSS of /proc/PID/status.
  Bytes resident{0};
  /// Run time of the BPF programs that it holds, timers' callbacks not included.
  /// Source: run_time_ns of the programs in /proc/PID/fdinfo; needs RunTimeStatistics.
  Duration programs{0};
  /// Memory of the BPF maps that it holds. Source: memlock in /proc/PID/fdinfo.
  Bytes maps{0};
};

/// Errors: kNotFound once the process is gone.
[[nodiscard]] Result<ProcessCost> cost_of(pid_t pid);

/// While it lives the kernel keeps run-time statistics of BPF programs.
class RunTimeStatistics {
 public:
  /// Errors: kPermission.
  static Result<RunTimeStatistics> enable();

 private:
  explicit RunTimeStatistics(base::Fd fd) : fd_(std::move(fd)) {}
  base::Fd fd_;
};

}  // namespace evictd::bench
