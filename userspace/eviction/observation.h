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

/// `left`: bytes that the kernel can still allocate before its OOM killer acts. `rate`: its fall in
/// bytes a second, 0 if it does not fall. docs/eviction.md has the formula.
struct KernelReserve {
  std::int64_t left = 0;
  std::int64_t rate = 0;
  /// The low watermarks. With less left, every allocation reclaims first, and reclaim limits
  /// `rate`.
  std::int64_t tight = 0;

  bool operator==(const KernelReserve&) const = default;
};

/// One observation of one signal. Units: the signal's bytes, inodes or tasks.
struct Observation {
  std::int64_t available = 0;
  std::int64_t capacity = 0;
  /// When the numbers were read. Unset: unknown, and never stale.
  std::optional<MonoTime> time;
  /// Only for memory.available, once a threshold is met: what the kernel could still allocate. The
  /// kernel reserves memory that the kubelet's formula counts as available; on a small node this
  /// can be all that such a threshold leaves. Unset: not read.
  std::optional<std::int64_t> kernel_available = std::nullopt;
  /// Fall of `available`, units a second; 0 if it does not fall. Unset: unknown.
  std::optional<std::int64_t> rate = std::nullopt;
  /// Only for memory.available. Unset: unknown, which disables the OOM guard.
  std::optional<KernelReserve> reserve = std::nullopt;

  /// What is left before the kernel would have to kill, as far as known.
  [[nodiscard]] std::int64_t left() const {
    return std::min(available, kernel_available.value_or(available));
  }

  bool operator==(const Observation&) const = default;
};

/// The observations of one pass, one place per signal.
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

/// Memory statistics of the node or of one system container, as in the kubelet's summary.
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

/// Statistics of the node; unset fields were not read.
struct NodeStatistics {
  std::optional<MemoryStatistics> memory;
  /// Whether a system container "pods" exists, and its memory.
  bool has_pods_container = false;
  std::optional<MemoryStatistics> pods_memory;
  std::optional<FilesystemStatistics> node_fs;
  std::optional<FilesystemStatistics> image_fs;
  std::optional<FilesystemStatistics> container_fs;
  std::optional<TaskStatistics> tasks;
};

/// Returns an observation of every signal whose statistics are complete. 1.26 has no containerfs
/// and observes the inodes of imagefs only together with its bytes. Values above 2^63-1 wrap.
[[nodiscard]] Observations observe(const NodeStatistics& statistics, Compat compat);

/// Source of memory.available.
enum class MemorySource : std::uint8_t {
  kKubelet,       ///< Total minus working set; active file cache counts as used.
  kMemAvailable,  ///< The kernel's estimate of memory available without swapping.
};

/// "kubelet", "memAvailable".
[[nodiscard]] std::string_view to_string(MemorySource source);

/// How memory.available is computed; the defaults are the kubelet's.
struct MemoryRules {
  MemorySource source = MemorySource::kKubelet;
  /// Free swap counts as available, and swap as capacity.
  bool swap_aware = false;
  /// Reserved huge pages count neither as available nor as capacity.
  bool hugepage_aware = false;

  /// Whether the rules need more of /proc/meminfo than MemTotal.
  [[nodiscard]] bool need_meminfo() const {
    return source != MemorySource::kKubelet || swap_aware || hugepage_aware;
  }
  /// Whether available is capacity minus working set, so that nothing else changes it.
  [[nodiscard]] bool follow_working_set() const {
    return source == MemorySource::kKubelet && !swap_aware;
  }
  bool operator==(const MemoryRules&) const = default;
};

/// memory.available from a reading of the node; docs/eviction.md has the formula of each rule.
/// Unset if what a rule needs was not read.
[[nodiscard]] std::optional<Observation> observe_memory(const NodeUsage& node,
                                                        const MemoryRules& rules = {});

/// What the kernel estimates as available, plus free swap if `rules` count it as available. Unset
/// if it was not read.
[[nodiscard]] std::optional<std::int64_t> kernel_available(const NodeUsage& node,
                                                           const MemoryRules& rules);
/// allocatableMemory.available from a reading of the pod root: limit minus working set, at least 0.
/// Unset if the pod root was not read or has no limit.
[[nodiscard]] std::optional<Observation> observe_allocatable_memory(const CgroupUsage& pod_root);
/// pid.available from a reading of the node. Unset if it was not read.
[[nodiscard]] std::optional<Observation> observe_pids(const NodeUsage& node);
/// pid.available of the pod root: its pids.max minus its tasks.
[[nodiscard]] std::optional<Observation> observe_pids(const CgroupUsage& pod_root,
                                                      std::int64_t pids_max);

}  // namespace evictd::eviction
