// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "enforce/kill_target.h"

namespace evictd::enforce {

/// Attempts to reclaim memory that killed pods left charged to their cgroups. Only grows.
struct ReclaimerCounters {
  /// Pods whose memory the kernel was asked to reclaim.
  std::uint64_t reclaims = 0;
  /// Of these, pods with memory left afterwards, for example files on a tmpfs without swap.
  std::uint64_t incomplete = 0;
  /// Pods without a reclaim file (v2 before 5.19), or whose file could not be written.
  std::uint64_t failed = 0;
};

/// Makes the kernel reclaim the memory still charged to a pod without processes: page cache and
/// slab; with swap also files on a tmpfs. Uses memory.reclaim (v2) or memory.force_empty (v1) of
/// the pod's own cgroup, which covers its whole subtree.
class Reclaimer {
 public:
  enum class Step : std::uint8_t { kMore, kDone };

  /// Reclaims one part: the cgroup cannot be removed during the call. v1 takes no size, so one call
  /// reclaims all. Uses only constant parts of `target`, so that the hot thread may use it
  /// meanwhile; the caller keeps it alive. Skips a cgroup that is gone or has a process again.
  /// Blocks as long as the kernel tries.
  [[nodiscard]] Step step(const KillTarget& target);

  [[nodiscard]] const ReclaimerCounters& counters() const { return counters_; }

 private:
  Step give_up(bool incomplete);

  ReclaimerCounters counters_;
  /// A part of the current pod was requested.
  bool begun_ = false;
};

}  // namespace evictd::enforce
