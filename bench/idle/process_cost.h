// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/fd.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// Resources that a process has used so far.
struct ProcessCost {
  /// CPU time of all threads, including exited ones. Source: clock_getcpuclockid(3).
  Duration cpu{0};
  /// Voluntary sleeps of the threads, which equal their wakeups. Source: voluntary_ctxt_switches of
  /// /proc/PID/task/*/status.
  std::int64_t sleeps = 0;
  /// VmRSS of /proc/PID/status.
  Bytes resident{0};
  /// Run time of its BPF programs, without timer callbacks.
  /// Source: run_time_ns of the programs in /proc/PID/fdinfo; needs RunTimeStatistics.
  Duration programs{0};
  /// Memory of its BPF maps. Source: memlock in /proc/PID/fdinfo.
  Bytes maps{0};
};

/// Errors: kNotFound once the process is gone.
[[nodiscard]] Result<ProcessCost> cost_of(pid_t pid);

/// Makes the kernel keep run-time statistics of BPF programs while the object lives.
class RunTimeStatistics {
 public:
  /// Errors: kPermission.
  static Result<RunTimeStatistics> enable();

 private:
  explicit RunTimeStatistics(base::Fd fd) : fd_(std::move(fd)) {}
  base::Fd fd_;
};

}  // namespace evictd::bench
