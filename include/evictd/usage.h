// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "evictd/bytes.h"
#include "evictd/time.h"

namespace evictd {

/// Source of a reading.
enum class UsageSource {
  kCgroupFiles,  ///< memory.current, memory.stat, pids.current and their v1 names.
  kBpfTable,     ///< The row that the kernel side keeps.
};

/// One reading of one cgroup for the ranking. -1 means "not read": the controller is missing, or
/// the row has lost its counter address.
struct CgroupUsage {
  /// Charged bytes, exact up to the kernel's per-CPU stock. Source: memory.current /
  /// usage_in_bytes.
  Bytes usage{-1};
  /// Inactive file cache of the subtree. Flushed by rstat: up to 2 s old.
  Bytes inactive_file{-1};
  /// memory.max / limit_in_bytes, INT64_MAX for none; read for the pod root only.
  Bytes limit{-1};
  /// Tasks (threads and unreaped zombies). Source: pids.current.
  std::int64_t tasks = -1;
  /// Total memory stall time: PSI "some", or direct reclaim time without per-cgroup PSI.
  Duration stall{0};
  /// Growth of `usage` per second over the last refreshes; negative while it falls.
  std::int64_t rate_bytes_per_second = 0;
  /// Growth of working_set() per second. Only the kernel side sets it.
  std::int64_t working_set_rate_bytes_per_second = 0;
  /// When these values were read.
  MonoTime read_at{};
  UsageSource source = UsageSource::kCgroupFiles;

  /// usage - inactive_file, at least zero: the kubelet's working set.
  [[nodiscard]] constexpr Bytes working_set() const {
    const Bytes difference = usage - (inactive_file.value < 0 ? Bytes{0} : inactive_file);
    return difference.value < 0 ? Bytes{0} : difference;
  }
  [[nodiscard]] constexpr bool has_memory() const { return usage.value >= 0; }
  /// Growth per second of what thresholds count. The inactive file cache moves in steps, when
  /// statistics are flushed, so usage, which is exact, has to agree. From files: that of usage.
  [[nodiscard]] constexpr std::int64_t growth_per_second() const {
    return source == UsageSource::kBpfTable
               ? std::min(working_set_rate_bytes_per_second, rate_bytes_per_second)
               : rate_bytes_per_second;
  }
};

/// One reading of the node itself.
struct NodeUsage {
  /// MemTotal of /proc/meminfo.
  Bytes memory_total{-1};
  /// v1: root memory.usage_in_bytes; v2: anon + file of the root memory.stat.
  Bytes usage{-1};
  Bytes inactive_file{-1};
  /// MemAvailable, SwapTotal, SwapFree and Hugetlb (all pages of all sizes, used or free) of
  /// /proc/meminfo; -1 if not requested.
  Bytes mem_available{-1};
  Bytes swap_total{-1};
  Bytes swap_free{-1};
  Bytes hugetlb{-1};
  /// MemFree, Active(file) + Inactive(file), and KReclaimable (before 4.20 SReclaimable) of
  /// /proc/meminfo; -1 if not requested.
  Bytes mem_free{-1};
  Bytes file_pages{-1};
  Bytes reclaimable{-1};
  /// Free or reclaimable: free pages, both file LRU lists, reclaimable slab and kernel memory.
  /// MemAvailable is this minus the kernel's own reserves. -1 without the kernel side, the only
  /// source.
  Bytes at_hand{-1};
  /// `reserve`: bytes that the kernel can still allocate before its OOM killer acts, weighted free
  /// swap included. `reserve_rate`: its fall per second, 0 if it does not fall. -1: unknown.
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
