// SPDX-License-Identifier: Apache-2.0
#include "eviction/observation.h"

#include <algorithm>
#include <limits>

#include "eviction/amounts.h"

namespace evictd::eviction {
namespace {

std::optional<Observation> of_memory(const std::optional<MemoryStatistics>& memory) {
  if (!memory || !memory->available_bytes || !memory->working_set_bytes) {
    return std::nullopt;
  }
  return Observation{wrapped(*memory->available_bytes),
                     wrapped(*memory->available_bytes + *memory->working_set_bytes), memory->time};
}

std::optional<Observation> of_bytes(const std::optional<FilesystemStatistics>& fs) {
  if (!fs || !fs->available_bytes || !fs->capacity_bytes) {
    return std::nullopt;
  }
  return Observation{wrapped(*fs->available_bytes), wrapped(*fs->capacity_bytes), fs->time};
}

std::optional<Observation> of_inodes(const std::optional<FilesystemStatistics>& fs) {
  if (!fs || !fs->inodes_free || !fs->inodes) {
    return std::nullopt;
  }
  return Observation{wrapped(*fs->inodes_free), wrapped(*fs->inodes), fs->time};
}

std::optional<Observation> of_tasks(const std::optional<TaskStatistics>& tasks) {
  if (!tasks || !tasks->max_pid || !tasks->running) {
    return std::nullopt;
  }
  const auto available = wrapped(static_cast<std::uint64_t>(*tasks->max_pid) -
                                 static_cast<std::uint64_t>(*tasks->running));
  return Observation{available, *tasks->max_pid, tasks->time};
}

}  // namespace

Observations observe(const NodeStatistics& statistics, Compat compat) {
  Observations seen;
  seen[Signal::kMemoryAvailable] = of_memory(statistics.memory);
  seen[Signal::kAllocatableMemoryAvailable] = of_memory(statistics.pods_memory);
  seen[Signal::kPidAvailable] = of_tasks(statistics.tasks);
  seen[Signal::kNodeFsAvailable] = of_bytes(statistics.node_fs);
  seen[Signal::kNodeFsInodesFree] = of_inodes(statistics.node_fs);
  seen[Signal::kImageFsAvailable] = of_bytes(statistics.image_fs);
  seen[Signal::kImageFsInodesFree] = of_inodes(statistics.image_fs);
  if (compat == Compat::k1_26) {
    if (!seen[Signal::kImageFsAvailable]) {
      seen[Signal::kImageFsInodesFree].reset();
    }
    return seen;
  }
  seen[Signal::kContainerFsAvailable] = of_bytes(statistics.container_fs);
  seen[Signal::kContainerFsInodesFree] = of_inodes(statistics.container_fs);
  return seen;
}

std::string_view to_string(MemorySource source) {
  switch (source) {
    case MemorySource::kKubelet:
      return "kubelet";
    case MemorySource::kMemAvailable:
      return "memAvailable";
  }
  return "";
}

std::optional<Observation> observe_memory(const NodeUsage& node, const MemoryRules& rules) {
  Observation seen{.available = 0, .capacity = node.memory_total.value, .time = node.read_at};
  switch (rules.source) {
    case MemorySource::kKubelet:
      if (node.usage.value < 0 || node.inactive_file.value < 0) {
        return std::nullopt;
      }
      seen.available =
          seen.capacity - std::max<std::int64_t>(0, node.usage.value - node.inactive_file.value);
      break;
    case MemorySource::kMemAvailable:
      if (node.mem_available.value < 0) {
        return std::nullopt;
      }
      seen.available = node.mem_available.value;
      break;
  }
  if (node.memory_total.value < 0 ||
      (rules.swap_aware && (node.swap_total.value < 0 || node.swap_free.value < 0)) ||
      (rules.hugepage_aware && node.hugetlb.value < 0)) {
    return std::nullopt;
  }
  if (rules.hugepage_aware) {
    seen.capacity -= node.hugetlb.value;
    if (rules.source == MemorySource::kKubelet) {
      // The kernel's own estimate never had them.
      seen.available = std::max<std::int64_t>(0, seen.available - node.hugetlb.value);
    }
  }
  if (rules.swap_aware) {
    seen.available += node.swap_free.value;
    seen.capacity += node.swap_total.value;
  }
  return seen;
}

std::optional<std::int64_t> kernel_available(const NodeUsage& node, const MemoryRules& rules) {
  if (node.mem_available.value < 0 || (rules.swap_aware && node.swap_free.value < 0)) {
    return std::nullopt;
  }
  return node.mem_available.value + (rules.swap_aware ? node.swap_free.value : 0);
}

std::optional<Observation> observe_allocatable_memory(const CgroupUsage& pod_root) {
  const std::int64_t limit = pod_root.limit.value;
  if (!pod_root.has_memory() || limit < 0 || limit == std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  const std::int64_t working_set = pod_root.working_set().value;
  return Observation{std::max<std::int64_t>(0, limit - working_set), limit, pod_root.read_at};
}

std::optional<Observation> observe_pids(const NodeUsage& node) {
  if (node.max_pid < 0 || node.tasks < 0) {
    return std::nullopt;
  }
  return Observation{node.max_pid - node.tasks, node.max_pid, node.read_at};
}

std::optional<Observation> observe_pids(const CgroupUsage& pod_root, std::int64_t pids_max) {
  if (pod_root.tasks < 0 || pids_max < 0 || pids_max == std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return Observation{pids_max - pod_root.tasks, pids_max, pod_root.read_at};
}

}  // namespace evictd::eviction
