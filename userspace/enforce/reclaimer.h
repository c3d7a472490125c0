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
/// pod's own cgroup, which is about all below it as well.
class Reclaimer {
 public:
  enum class Step : std::uint8_t { kMore, kDone };

  /// Asks for one part of it: while the kernel is at it, nobody can remove the cgroup. On v1, where
  /// no amount can be named, that is all. Only what does not change of `target` is used, so the hot
  /// thread may use it meanwhile; the caller keeps it alive. A cgroup that is gone, or has a
  /// process again, is left alone. Blocks for as long as the kernel tries.
  [[nodiscard]] Step step(const KillTarget& target);

  [[nodiscard]] const ReclaimerCounters& counters() const { return counters_; }

 private:
  Step give_up(bool incomplete);

  ReclaimerCounters counters_;
  /// Some of the pod at hand was asked for.
  bool begun_ = false;
};

}  // namespace evictd::enforce
