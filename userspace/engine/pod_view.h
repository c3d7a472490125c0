// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "evictd/cgroup_id.h"

namespace evictd::engine {

/// The most pods that a node may have; tables are sized by it at start. Twice what scale tests run
/// with, 30 times the kubelet's default of 110.
inline constexpr std::uint32_t kMaxPods = 4096;

/// Whether a pod has processes, as it was last looked at.
enum class Occupancy : std::uint8_t {
  kRunning,
  kEmpty,    ///< No process was found in its cgroup.
  kUnknown,  ///< Not read yet, terminated, or described by nobody.
};

/// One pod as the engine knows it.
struct PodView {
  /// Its place in all tables.
  std::uint32_t slot = 0;
  /// Its memory cgroup.
  CgroupId id;
  Occupancy occupancy = Occupancy::kUnknown;
  /// Whether there is something to signal it by.
  bool has_target = false;
  /// Nothing protects it.
  bool unprotected = false;
  /// False for a cgroup outside Kubernetes.
  bool below_pod_root = true;

  /// Whether it could be evicted, had it processes.
  [[nodiscard]] bool evictable() const { return has_target && unprotected; }
};

}  // namespace evictd::engine
