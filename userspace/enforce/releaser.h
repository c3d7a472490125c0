// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "enforce/kill_target.h"

namespace evictd::enforce {

/// Attempts to free a killed pod's memory sooner. Only grows.
struct ReleaserCounters {
  /// Processes whose memory evictd freed.
  std::uint64_t released = 0;
  /// Processes without memory left, or that another process was freeing.
  std::uint64_t needless = 0;
  /// Processes that were not being killed: left alone.
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
};

/// Frees the memory of killed pods in the caller's thread with process_mrelease, which blocks for
/// tens of milliseconds per GiB. For the main thread, while the hot thread continues. The kernel
/// refuses a process without SIGKILL, so a wrong call is harmless.
class Releaser {
 public:
  /// Handles once all processes of a pod that got SIGKILL; opens its cgroup.procs itself. Uses only
  /// const parts of `target`, so that the hot thread may use it meanwhile; the caller keeps it
  /// alive.
  void release(const KillTarget& target);

  [[nodiscard]] const ReleaserCounters& counters() const { return counters_; }

 private:
  void release_process(pid_t pid);

  ReleaserCounters counters_;
  /// Kernels before 5.15 lack process_mrelease; tried once.
  bool supported_ = true;
};

}  // namespace evictd::enforce
