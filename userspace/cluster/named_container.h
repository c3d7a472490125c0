// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/pod_table.h"

namespace evictd::cluster {

/// A container with a cgroup and a known name.
struct NamedContainer {
  /// As in the manifest.
  std::string name;
  /// Within the hierarchy, as ContainerCgroup::path.
  std::string path;

  bool operator==(const NamedContainer&) const = default;
};

/// Returns the containers of `entry` in the order of its manifest's status. Pure. Only the id in
/// the status maps a cgroup to a container. A pod with one container and one child cgroup may have
/// only its sandbox running, between two containers. A container started after the status was
/// written has another id and is left out.
[[nodiscard]] std::vector<NamedContainer> named_containers(const PodEntry& entry);

}  // namespace evictd::cluster
