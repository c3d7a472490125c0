// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "enforce/kill_target.h"

namespace evictd::enforce {

/// What was done to give back what dead pods have left charged to their cgroups. Only grows.
struct ReclaimerCounters {
  /// Pods that the kernel was asked to reclaim the memory of.
  std::uint64_t reclaims = 0;
  /// Of those, pods of which it gave back less than all: files on a tmpfs without swap, for one.
  std::uint64_t incomplete = 0;
  /// Pods whose cgroup has no such file (v2 before 5.19), or whose file could not be written.
  std::uint64_t failed = 0;
};

/// Has the kernel reclaim what a pod without a process is still charged with: page cache and slab,
/// and with swap files on a tmpfs too. By memory.reclaim (v2) or memory.force_empty (v1) of the
/// pod's own cgroup, which is about all below it as well. Blocks for as long as the kernel tries,
/// seconds where much is dirty: for a thread that nobody waits for.
class Reclaimer {
 public:
  /// Only const parts of `target` are used, so the hot thread may use it meanwhile; the caller
  /// keeps it alive. A cgroup that is gone, or has a process again, is left alone.
  void reclaim(const KillTarget& target);

  [[nodiscard]] const ReclaimerCounters& counters() const { return counters_; }

 private:
  ReclaimerCounters counters_;
};

}  // namespace evictd::enforce
