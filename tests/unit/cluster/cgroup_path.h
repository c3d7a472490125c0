// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/cgroup_name.h"

namespace evictd::cluster {

/// The meaning of a path.
struct PathMeaning {
  PodName pod;
  /// Length of the part of the path that ends at the pod.
  std::size_t pod_path_length = 0;
  /// Empty if the path ends at the pod, or inside the pod but in no container.
  std::string container_id;
};

/// Returns the innermost pod of `path`, read from the leaf towards the root, so that any prefix may
/// precede it. nullopt if no part of the path is a pod.
[[nodiscard]] inline std::optional<PathMeaning> parse_cgroup_path(std::string_view path) {
  std::string container_id;
  while (!path.empty()) {
    const std::string_view parent = parent_of(path);
    const std::string_view leaf = leaf_of(path);
    if (std::optional<PodName> pod = parse_pod_name(leaf, leaf_of(parent))) {
      return PathMeaning{std::move(*pod), path.size(), std::move(container_id)};
    }
    // Deeper parts were inside this container, whatever their names.
    if (std::optional<std::string> id = parse_container_name(leaf)) {
      container_id = std::move(*id);
    }
    path = parent;
  }
  return std::nullopt;
}

}  // namespace evictd::cluster
