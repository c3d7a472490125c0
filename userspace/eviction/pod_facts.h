// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eviction/compat.h"
#include "eviction/pod.h"

namespace evictd::eviction {

/// The lowest priority that makes a pod critical; the name of the class system-cluster-critical.
inline constexpr std::int32_t kCriticalPriority = 2'000'000'000;

/// Facts that follow from a Pod alone, computed once so that a pass only compares numbers.
struct PodFacts {
  QosClass qos = QosClass::kBestEffort;
  std::int32_t priority = 0;
  /// Not from the API server. The kubelet never evicts it.
  bool is_static = false;
  bool is_mirror = false;
  /// Static, mirror, or priority at least kCriticalPriority: never evicted, always admitted.
  bool is_critical = false;
  bool is_node_critical = false;
  /// neverEvict of the configuration matches it: ranked like any other pod, then passed over.
  /// facts_of() does not set it; the caller does.
  bool never_evict = false;
  /// False for a cgroup outside the pod root: killing it frees nothing of the pod root's limits.
  /// facts_of() does not set it; the caller does.
  bool below_pod_root = true;
  bool tolerates_memory_pressure = false;
  /// Has a limit that local storage eviction must check.
  bool has_local_limits = false;
  /// Effective requests in units of 1e-9, clamped to +-1e37.
  Wide memory_request_nanos = 0;
  Wide ephemeral_request_nanos = 0;
  /// Request of a resource "inodes". An API server refuses it, but a manifest file may have it.
  Wide inode_request_nanos = 0;
  /// terminationGracePeriodSeconds, if the pod has one.
  std::optional<std::int64_t> termination_grace_seconds;

  bool operator==(const PodFacts&) const = default;
};

[[nodiscard]] PodFacts facts_of(const Pod& pod, Compat compat);

/// The class computed from requests and limits of cpu and memory, init containers included.
[[nodiscard]] QosClass computed_qos(const Pod& pod);
/// The effective class. 1.32 accepts any status; otherwise the computed class, or the cgroup's
/// class for a pod without a manifest.
[[nodiscard]] QosClass qos_of(const Pod& pod, Compat compat);
/// qos_of() as text; a status that 1.32 accepts is returned verbatim.
[[nodiscard]] std::string qos_text(const Pod& pod, Compat compat);

[[nodiscard]] bool is_static(const Pod& pod);
[[nodiscard]] bool is_mirror(const Pod& pod);
[[nodiscard]] bool is_critical(const Pod& pod);

/// Makes `pod` static, a mirror pod or critical (priority and class) if `other`, which describes
/// the same pod, is so. Returns whether this adds protection to `pod`.
bool protect_as(Pod& pod, const Pod& other);

/// Request used for the ranking: the sum of the regular containers or the largest init container
/// (sidecar or not), whichever is more; plus overhead unless it is zero.
[[nodiscard]] Quantity effective_request(const Pod& pod, const std::string& resource);

/// Ephemeral-storage limit of the whole pod; nullopt if no container sets one. In 1.32 sidecars add
/// to the sum, and a plain init container counts together with the sidecars listed before it.
[[nodiscard]] std::optional<Quantity> effective_ephemeral_limit(const Pod& pod, Compat compat);

/// Whether the pod tolerates the taint node.kubernetes.io/memory-pressure, effect NoSchedule, no
/// value.
[[nodiscard]] bool tolerates_memory_pressure(const Pod& pod);

}  // namespace evictd::eviction
