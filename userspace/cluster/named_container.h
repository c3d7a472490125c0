// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/pod_table.h"

namespace evictd::cluster {

/// A container of a pod that has a cgroup and whose name is known.
struct NamedContainer {
  /// As in the manifest.
  std::string name;
  /// Within the hierarchy, as ContainerCgroup::path.
  std::string path;

  bool operator==(const NamedContainer&) const = default;
};

/// The containers of `entry` in the order in which the status of its manifest has them. Pure.
/// Nothing but the id in that status tells which container a cgroup is of: a pod with one container
/// and one cgroup below it may be one whose sandbox runs alone, between two containers. One that
/// was started after the status was written has another id and is left out.
[[nodiscard]] std::vector<NamedContainer> named_containers(const PodEntry& entry);

}  // namespace evictd::cluster
