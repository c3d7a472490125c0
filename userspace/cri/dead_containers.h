// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cri/runtime_objects.h"
#include "evictd/time.h"

namespace evictd::cri {

/// Which dead containers stay; the same rules as the kubelet's.
struct ContainerPolicy {
  /// Minimum age of a container, counted from its creation.
  Duration min_age{};
  /// Dead instances of one container of one pod, such as those before its restarts; nullopt: any
  /// number.
  std::optional<std::size_t> max_per_pod_container = 1;
  /// Of all pods together; nullopt: any number.
  std::optional<std::size_t> max_containers{};
};

/// Whether the pod with this uid is gone from the node. No dead container of such a pod stays.
using IsGone = std::function<bool(const std::string& uid)>;

/// The ids of the dead containers to remove, the oldest of each first. Excludes containers that no
/// kubelet created, and those not known to have exited. Pure.
[[nodiscard]] std::vector<std::string> choose_dead_containers(
    const std::vector<Container>& containers, const ContainerPolicy& policy, const IsGone& is_gone,
    WallTime now);

/// The ids of the sandboxes to remove: those that are not ready and have no container. Keeps the
/// newest sandbox of a pod that is not gone. Pure.
[[nodiscard]] std::vector<std::string> choose_dead_sandboxes(
    const std::vector<Sandbox>& sandboxes, const std::vector<Container>& containers,
    const IsGone& is_gone);

}  // namespace evictd::cri
