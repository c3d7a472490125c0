// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/compat.h"
#include "eviction/signal.h"

namespace evictd::eviction {

/// What the kernel itself can still give before its OOM killer has to choose, in bytes, and how
/// fast that falls, in bytes a second; 0 while it does not. docs/eviction.md has the formula.
struct KernelReserve {
  std::int64_t left = 0;
  std::int64_t rate = 0;
  /// With less than this left whoever allocates has to reclaim first, so that `rate` is what the
  /// kernel lets through: the low watermarks.
  std::int64_t tight = 0;

  bool operator==(const KernelReserve&) const = default;
};

/// One signal as it was seen. Units: bytes, inodes or tasks, as the signal has.
struct Observation {
  std::int64_t available = 0;
  std::int64_t capacity = 0;
  /// When the numbers were read; unset means not known, which never makes them stale.
  std::optional<MonoTime> time;
  /// Of memory.available, and only once a threshold is met: what the kernel itself could still
  /// give. It keeps back memory that the kubelet's formula counts as available, on a small node all
  /// that such a threshold leaves. Unset: not asked for.
  std::optional<std::int64_t> kernel_available = std::nullopt;
  /// How fast `available` falls, in units a second; 0 while it does not. Unset: not known.
  std::optional<std::int64_t> rate = std::nullopt;
  /// Of memory.available. Unset: not known, and then there is no guard.
  std::optional<KernelReserve> reserve = std::nullopt;

  /// What is left before the kernel would have to kill, as far as is known.
  [[nodiscard]] std::int64_t left() const {
    return std::min(available, kernel_available.value_or(available));
  }

  bool operator==(const Observation&) const = default;
};

/// What was seen in one pass, one place a signal.
class Observations {
 public:
  [[nodiscard]] const std::optional<Observation>& operator[](Signal signal) const {
    return places_[static_cast<std::size_t>(signal)];
  }
  std::optional<Observation>& operator[](Signal signal) {
    return places_[static_cast<std::size_t>(signal)];
  }
  bool operator==(const Observations&) const = default;

 private:
  std::array<std::optional<Observation>, kSignalCount + 1>
      places_;  // observe() never sets kUnknown's
};

/// Memory statistics of the node or of one system container, as the kubelet's summary has them.
struct MemoryStatistics {
  std::optional<MonoTime> time;
  std::optional<std::uint64_t> available_bytes;
  std::optional<std::uint64_t> usage_bytes;
  std::optional<std::uint64_t> working_set_bytes;
};

struct FilesystemStatistics {
  std::optional<MonoTime> time;
  std::optional<std::uint64_t> available_bytes;
  std::optional<std::uint64_t> capacity_bytes;
  std::optional<std::uint64_t> inodes_free;
  std::optional<std::uint64_t> inodes;
};

struct TaskStatistics {
  std::optional<MonoTime> time;
  std::optional<std::int64_t> max_pid;
  std::optional<std::int64_t> running;
};

/// Statistics of the node; what is unset was not read.
struct NodeStatistics {
  std::optional<MemoryStatistics> memory;
  /// Whether a system container "pods" is there at all, and its memory.
  bool has_pods_container = false;
  std::optional<MemoryStatistics> pods_memory;
  std::optional<FilesystemStatistics> node_fs;
  std::optional<FilesystemStatistics> image_fs;
  std::optional<FilesystemStatistics> container_fs;
  std::optional<TaskStatistics> tasks;
};

/// One observation for every signal whose statistics are complete. In 1.26 there is no containerfs,
/// and the inodes of imagefs are seen only together with its bytes. Amounts above 2^63-1 wrap.
[[nodiscard]] Observations observe(const NodeStatistics& statistics, Compat compat);

/// What memory.available is worked out from.
enum class MemorySource : std::uint8_t {
  kKubelet,       ///< Total less working set, in which active file cache counts as used.
  kMemAvailable,  ///< The kernel's own estimate of what can be had without swapping.
};

/// "kubelet", "memAvailable".
[[nodiscard]] std::string_view to_string(MemorySource source);

/// How memory.available is worked out; the defaults are the kubelet's.
struct MemoryRules {
  MemorySource source = MemorySource::kKubelet;
  /// Free swap is available, and swap is capacity.
  bool swap_aware = false;
  /// Huge pages set aside are neither available nor capacity.
  bool hugepage_aware = false;

  /// Whether more of /proc/meminfo is needed than MemTotal.
  [[nodiscard]] bool need_meminfo() const {
    return source != MemorySource::kKubelet || swap_aware || hugepage_aware;
  }
  /// Whether what is available is capacity less working set: nothing else can move it.
  [[nodiscard]] bool follow_working_set() const {
    return source == MemorySource::kKubelet && !swap_aware;
  }
  bool operator==(const MemoryRules&) const = default;
};

/// memory.available from a reading of the node; docs/eviction.md has the formula of each rule.
/// Unset if what a rule needs was not read.
[[nodiscard]] std::optional<Observation> observe_memory(const NodeUsage& node,
                                                        const MemoryRules& rules = {});

/// What the kernel could give by its own estimate, free swap with it where `rules` count that as
/// available. Unset if it was not read.
[[nodiscard]] std::optional<std::int64_t> kernel_available(const NodeUsage& node,
                                                           const MemoryRules& rules);
/// allocatableMemory.available from a reading of the pod root: limit less working set, at least 0.
/// Unset if it was not read or has no limit.
[[nodiscard]] std::optional<Observation> observe_allocatable_memory(const CgroupUsage& pod_root);
/// pid.available from a reading of the node. Unset if it was not read.
[[nodiscard]] std::optional<Observation> observe_pids(const NodeUsage& node);
/// pid.available of the pod root: its own pids.max less its tasks.
[[nodiscard]] std::optional<Observation> observe_pids(const CgroupUsage& pod_root,
                                                      std::int64_t pids_max);

}  // namespace evictd::eviction
