// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "evictd/bytes.h"
#include "evictd/time.h"

namespace evictd {

/// Who read a number.
enum class UsageSource {
  kCgroupFiles,  ///< memory.current, memory.stat, pids.current and their v1 names.
  kBpfTable,     ///< The row that the kernel side keeps.
};

/// One reading of one cgroup, as the ranking needs it. A value of -1 means "not read": without the
/// controller, or with the row's counter address gone.
struct CgroupUsage {
  /// Charged bytes, live within the kernel's per-CPU stock. Source: memory.current /
  /// usage_in_bytes.
  Bytes usage{-1};
  /// Inactive file cache of the subtree; comes through rstat and may be 2 s old.
  Bytes inactive_file{-1};
  /// memory.max / limit_in_bytes, INT64_MAX for none; read for the pod root only.
  Bytes limit{-1};
  /// Tasks (threads and unreaped zombies). Source: pids.current.
  std::int64_t tasks = -1;
  /// Time lost to memory so far: PSI "some", or direct reclaim time where there is no PSI per
  /// cgroup.
  Duration stall{0};
  /// Growth of `usage` per second over the last refreshes, negative while it falls.
  std::int64_t rate_bytes_per_second = 0;
  /// The same of working_set(); with the kernel side only.
  std::int64_t working_set_rate_bytes_per_second = 0;
  /// When these values were read.
  MonoTime read_at{};
  UsageSource source = UsageSource::kCgroupFiles;

  /// usage - inactive_file, floored at zero: what the kubelet calls the working set.
  [[nodiscard]] constexpr Bytes working_set() const {
    const Bytes difference = usage - (inactive_file.value < 0 ? Bytes{0} : inactive_file);
    return difference.value < 0 ? Bytes{0} : difference;
  }
  [[nodiscard]] constexpr bool has_memory() const { return usage.value >= 0; }
};

/// One reading of the node itself.
struct NodeUsage {
  /// MemTotal of /proc/meminfo.
  Bytes memory_total{-1};
  /// v1: root memory.usage_in_bytes; v2: anon + file of the root memory.stat.
  Bytes usage{-1};
  Bytes inactive_file{-1};
  /// MemAvailable, SwapTotal, SwapFree and Hugetlb (all pages of all sizes, in use or not) of
  /// /proc/meminfo; -1 where they were not asked for.
  Bytes mem_available{-1};
  Bytes swap_total{-1};
  Bytes swap_free{-1};
  Bytes hugetlb{-1};
  /// MemFree, Active(file) + Inactive(file), and KReclaimable (before 4.20 SReclaimable), as above.
  Bytes mem_free{-1};
  Bytes file_pages{-1};
  Bytes reclaimable{-1};
  /// Free, or the kernel can have it back: free pages, both lists of file cache, reclaimable slab
  /// and kernel memory. MemAvailable is this less what the kernel keeps back. Only the kernel side
  /// tells it; -1 without.
  Bytes at_hand{-1};
  /// What the kernel itself can still give before its OOM killer chooses, free swap by its worth
  /// included, and by how much that falls a second (0 while it does not); -1 where not known.
  Bytes reserve{-1};
  std::int64_t reserve_rate = -1;
  /// min(pid_max, threads-max).
  std::int64_t max_pid = -1;
  /// Tasks on the node: the denominator in the 4th field of /proc/loadavg (nr_threads).
  std::int64_t tasks = -1;
  MonoTime read_at{};
  UsageSource source = UsageSource::kCgroupFiles;
};

}  // namespace evictd
