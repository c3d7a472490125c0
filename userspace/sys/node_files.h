// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "evictd/result.h"
#include "evictd/usage.h"
#include "sys/cgroup_files.h"
#include "sys/cgroup_layout.h"
#include "sys/kept_file.h"

namespace evictd::sys {

/// What "usage" of the node is taken from.
enum class NodeMemorySource {
  kRootUsage,  ///< v1: memory.usage_in_bytes of the root cgroup.
  kRootStat,   ///< v2: anon + file of the root's memory.stat.
  kMemFree,    ///< v2 without memory.stat in the root: MemTotal - MemFree.
};

/// "root memory.usage_in_bytes", "root memory.stat anon+file", "MemTotal-MemFree".
[[nodiscard]] std::string_view to_string(NodeMemorySource source);

/// Kept descriptors of the files that describe the node. Thread rule: as CgroupFiles.
class NodeFiles {
 public:
  NodeFiles() = default;

  /// Errors: kNotFound, naming the file, when one that must be there is not.
  [[nodiscard]] static Result<NodeFiles> open(const Root& root, const CgroupLayout& layout);

  /// Reads all of NodeUsage. What could not be read stays -1, and the answer is kFailed.
  /// Cost: six preads, about 20 us; no allocation.
  [[nodiscard]] ReadState read(MonoTime now, ReadBuffer& buffer, NodeUsage& usage) const;
  /// All but memory in use, which the kernel side tells too; on cgroup v2 its file makes the kernel
  /// bring the statistics of all cgroups up to date. The rest as read(). Cost: four preads, 12 us.
  [[nodiscard]] ReadState read_all_but_use(MonoTime now, ReadBuffer& buffer,
                                           NodeUsage& usage) const;
  /// Only the number of tasks, which nothing but this file tells exactly. Cost: one pread, 1 us.
  [[nodiscard]] std::optional<std::int64_t> read_live_tasks(ReadBuffer& buffer) const;

  /// Also what only /proc/meminfo tells: kernel's estimate, swap, huge pages. What is not in there
  /// (Hugetlb before 4.17) stays -1. Cost: one pread, 10 us.
  void read_meminfo(ReadBuffer& buffer, NodeUsage& usage) const;

  /// Usage and inactive file of /proc/meminfo alone, which counts the pages that the NUMA nodes do:
  /// page cache with what is swapped out of it and in again, and anonymous pages. -1 for what is
  /// not in there. Cost: one pread, 10 us.
  void read_meminfo_pages(ReadBuffer& buffer, NodeUsage& usage) const;

  /// Only the most tasks that the node may have. Cost: two preads, 2 us.
  [[nodiscard]] ReadState read_max_pid(ReadBuffer& buffer, NodeUsage& usage) const;

  [[nodiscard]] NodeMemorySource memory_source() const { return memory_source_; }

 private:
  [[nodiscard]] bool read_memory(ReadBuffer& buffer, NodeUsage& usage) const;
  [[nodiscard]] bool read_tasks(ReadBuffer& buffer, NodeUsage& usage) const;

  KeptFile meminfo_;
  KeptFile loadavg_;
  KeptFile pid_max_;
  KeptFile threads_max_;
  KeptFile root_usage_;
  KeptFile root_stat_;
  NodeMemorySource memory_source_ = NodeMemorySource::kRootUsage;
};

}  // namespace evictd::sys
