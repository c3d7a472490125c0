// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace evictd::config {

/// What the kubelet reserves from pods, as given: resource to quantity.
struct NodeAllocatableSettings {
  std::map<std::string, std::string> system_reserved;
  std::map<std::string, std::string> kube_reserved;
  /// The kubelet's --experimental-allocatable-ignore-eviction: hard thresholds do not count as
  /// reserved and do not apply to the pods' allocatable memory.
  bool ignore_eviction = false;
  /// Whether pods have their own cgroups, below one for each QoS class.
  bool cgroups_per_qos = true;

  bool operator==(const NodeAllocatableSettings&) const = default;
};

}  // namespace evictd::config
