// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cgroup_name.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"

namespace evictd::cluster {

/// One container of a pod, or its sandbox.
struct ContainerCgroup {
  /// 64 hexadecimal digits.
  std::string id;
  /// Within the hierarchy, with a leading '/'.
  std::string path;
  /// In the memory hierarchy.
  CgroupId memory_id;

  bool operator==(const ContainerCgroup&) const = default;
};

/// A cgroup outside Kubernetes that the configuration treats as a pod.
struct ExternalPodRule {
  /// Matches the whole path within the memory hierarchy, component by component ('*' and '?' never
  /// match a '/'): "/system.slice/batch-*.service".
  std::string glob;
  /// Displayed instead of the path; empty for none.
  std::string name;
  std::int32_t priority = 0;
  /// Unset: BestEffort. Set: Burstable with this request.
  std::optional<Bytes> memory_request;
};

/// The cgroup of one pod, as found in the tree.
struct PodCgroup {
  /// metadata.uid; for an external pod "cgroup:" and its path.
  std::string uid;
  PathQos qos = PathQos::kGuaranteed;
  CgroupDriver driver = CgroupDriver::kCgroupfs;
  /// Within the hierarchy, with a leading '/'; the same in each hierarchy.
  std::string path;
  /// Grows with the time of creation within one boot: kernfs hands ids out in order.
  CgroupId memory_id;
  /// Names nothing if the pod has no cgroup in that hierarchy.
  CgroupId pids_id;
  /// Whether a live process was in it at the last read or event.
  bool populated = false;
  /// By path.
  std::vector<ContainerCgroup> containers;
  /// Index of the configured rule that makes this cgroup a pod; unset inside Kubernetes.
  std::optional<std::size_t> external_rule;
};

}  // namespace evictd::cluster
