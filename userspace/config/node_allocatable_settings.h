// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace evictd::config {

/// What the kubelet holds back from pods, as it was written: resource to quantity.
struct NodeAllocatableSettings {
  std::map<std::string, std::string> system_reserved;
  std::map<std::string, std::string> kube_reserved;
  /// The kubelet's --experimental-allocatable-ignore-eviction: hard thresholds neither count as
  /// reserved nor hold for the pods' allocatable memory.
  bool ignore_eviction = false;
  /// Whether pods have cgroups of their own, below one for each class.
  bool cgroups_per_qos = true;

  bool operator==(const NodeAllocatableSettings&) const = default;
};

}  // namespace evictd::config
