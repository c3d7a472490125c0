// SPDX-License-Identifier: Apache-2.0
#include "cluster/named_container.h"

#include <algorithm>

namespace evictd::cluster {

std::vector<NamedContainer> named_containers(const PodEntry& entry) {
  std::vector<NamedContainer> named;
  if (!entry.cgroup) {
    return named;
  }
  std::vector<ContainerCgroup> nameless = entry.cgroup->containers;
  for (const eviction::ContainerStatus& status : entry.pod.container_statuses) {
    const auto found =
        std::find_if(nameless.begin(), nameless.end(),
                     [&](const ContainerCgroup& cgroup) { return cgroup.id == status.id; });
    if (found != nameless.end()) {
      named.push_back({.name = status.name, .path = found->path});
      // An id that the status has twice names only one container.
      nameless.erase(found);
    }
  }
  return named;
}

}  // namespace evictd::cluster
