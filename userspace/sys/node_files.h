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

/// The source of the node's memory usage.
enum class NodeMemorySource {
  kRootUsage,  ///< v1: memory.usage_in_bytes of the root cgroup.
  kRootStat,   ///< v2: anon + file of the root's memory.stat.
  kMemFree,    ///< v2 without memory.stat in the root: MemTotal - MemFree.
};

/// "root memory.usage_in_bytes", "root memory.stat anon+file", "MemTotal-MemFree".
[[nodiscard]] std::string_view to_string(NodeMemorySource source);

/// Open descriptors of the files that describe the node. Thread rule: as CgroupFiles.
class NodeFiles {
 public:
  NodeFiles() = default;

  /// Errors: kNotFound with the file's name if a required file does not exist.
  [[nodiscard]] static Result<NodeFiles> open(const Root& root, const CgroupLayout& layout);

  /// Fills all of NodeUsage. A value that cannot be read stays -1, and the result is kFailed.
  /// Cost: six preads, about 20 us; no allocation.
  [[nodiscard]] ReadState read(MonoTime now, ReadBuffer& buffer, NodeUsage& usage) const;
  /// As read(), without memory usage, which the kernel side also reports: on v2 reading its file
  /// makes the kernel flush the statistics of all cgroups. Cost: four preads, 12 us.
  [[nodiscard]] ReadState read_all_but_use(MonoTime now, ReadBuffer& buffer,
                                           NodeUsage& usage) const;
  /// Only the number of tasks; no other file has the exact number. Cost: one pread, 1 us.
  [[nodiscard]] std::optional<std::int64_t> read_live_tasks(ReadBuffer& buffer) const;

  /// Adds values that only /proc/meminfo has: the kernel's estimate, swap, huge pages. A missing
  /// value (Hugetlb before 4.17) stays -1. Cost: one pread, 10 us.
  void read_meminfo(ReadBuffer& buffer, NodeUsage& usage) const;

  /// Usage and inactive file from /proc/meminfo alone, which counts the same pages as the NUMA
  /// nodes: page cache, including what was swapped out of it and in again, and anonymous pages. A
  /// missing value is -1. Cost: one pread, 10 us.
  void read_meminfo_pages(ReadBuffer& buffer, NodeUsage& usage) const;

  /// Only the node's task limit. Cost: two preads, 2 us.
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
