// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "enforce/kill_target.h"

namespace evictd::enforce {

/// What was done to give a killed pod's memory back sooner. Only grows.
struct ReleaserCounters {
  /// Processes whose memory was freed by us.
  std::uint64_t released = 0;
  /// Processes that had none left, or that somebody else was freeing.
  std::uint64_t needless = 0;
  /// Processes that were not being killed: nothing was done to them.
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
};

/// Frees the memory of killed pods on the caller's time with process_mrelease, which blocks for
/// tens of milliseconds a GiB: housekeeping's work, while the hot thread goes on. The kernel itself
/// refuses a process that has not been sent SIGKILL, so a wrong call can hurt nobody.
class Releaser {
 public:
  /// Goes once through all processes of a pod that was sent SIGKILL, opening its cgroup.procs anew.
  /// Only const parts of `target` are used, so the hot thread may use it meanwhile; the caller
  /// keeps it alive.
  void release(const KillTarget& target);

  [[nodiscard]] const ReleaserCounters& counters() const { return counters_; }

 private:
  void release_process(pid_t pid);

  ReleaserCounters counters_;
  /// Kernels before 5.15 have no process_mrelease: asked once.
  bool supported_ = true;
};

}  // namespace evictd::enforce
