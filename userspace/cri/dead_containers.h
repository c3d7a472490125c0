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

/// Which dead containers stay, as a kubelet has it.
struct ContainerPolicy {
  /// Of a container, since it was made.
  Duration min_age{};
  /// Dead ones of one container of one pod, such as those before its restarts; nullopt: any number.
  std::optional<std::size_t> max_per_pod_container = 1;
  /// Of all pods together; nullopt: any number.
  std::optional<std::size_t> max_containers{};
};

/// Whether the pod of this uid is gone from the node. Of one that is nothing dead stays.
using IsGone = std::function<bool(const std::string& uid)>;

/// The ids of dead containers that go, the oldest of each first. Containers that no kubelet made
/// are none of them, nor any that is not known to have ended. Pure.
[[nodiscard]] std::vector<std::string> choose_dead_containers(
    const std::vector<Container>& containers, const ContainerPolicy& policy, const IsGone& is_gone,
    WallTime now);

/// The ids of sandboxes that go: those that are not ready and have no container, but for the newest
/// of a pod that is not gone. Pure.
[[nodiscard]] std::vector<std::string> choose_dead_sandboxes(
    const std::vector<Sandbox>& sandboxes, const std::vector<Container>& containers,
    const IsGone& is_gone);

}  // namespace evictd::cri
