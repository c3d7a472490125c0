// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "evictd/cgroup_id.h"

namespace evictd::engine {

/// Most pods of a node; tables have this size from the start. Twice the size of the scale tests,
/// over 30 times the kubelet's default of 110.
inline constexpr std::uint32_t kMaxPods = 4096;

/// Whether a pod had processes when it was last read.
enum class Occupancy : std::uint8_t {
  kRunning,
  kEmpty,    ///< Its cgroup had no process.
  kUnknown,  ///< Not read yet, terminated, or unknown to every pod source.
};

/// One pod as the engine knows it.
struct PodView {
  /// Its place in all tables.
  std::uint32_t slot = 0;
  /// Its memory cgroup.
  CgroupId id;
  Occupancy occupancy = Occupancy::kUnknown;
  /// Whether a kill target exists.
  bool has_target = false;
  /// No protection applies.
  bool unprotected = false;
  /// False for a cgroup outside Kubernetes.
  bool below_pod_root = true;

  /// Whether it could be evicted if it had processes.
  [[nodiscard]] bool evictable() const { return has_target && unprotected; }
};

}  // namespace evictd::engine
