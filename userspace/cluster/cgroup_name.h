// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evictd::cluster {

/// The kubelet's cgroup driver that created a name.
enum class CgroupDriver {
  kCgroupfs,  ///< "pod<uid>" below "kubepods/burstable", containers named by their id.
  kSystemd,   ///< "kubepods-burstable-pod<uid>.slice", containers "cri-containerd-<id>.scope".
};

/// The QoS class according to a pod's place in the tree.
enum class PathQos { kGuaranteed, kBurstable, kBestEffort };

/// "Guaranteed", "Burstable", "BestEffort".
[[nodiscard]] std::string_view to_string(PathQos qos);

/// The last component of a path; empty for "/".
[[nodiscard]] std::string_view leaf_of(std::string_view path);
/// The path before the last component, without a trailing '/': "" for "/a".
[[nodiscard]] std::string_view parent_of(std::string_view path);

/// Whether `name` is a kubelet's name for the cgroup of all pods: "kubepods", "kubepods.slice",
/// "x-kubepods.slice".
[[nodiscard]] bool is_pod_root_name(std::string_view name);

/// The QoS class of the pods in `name`, a cgroup directly below the pod root called `root`:
/// "burstable", "kubepods-burstable.slice". nullopt if `name` is no QoS level.
[[nodiscard]] std::optional<PathQos> parse_qos_level(std::string_view name, std::string_view root);

/// What the names of a cgroup and its parent say about a pod.
struct PodName {
  /// As in metadata.uid: with '-', also where the systemd driver wrote '_'. A static pod's uid is
  /// 32 hexadecimal digits without dashes.
  std::string uid;
  PathQos qos = PathQos::kGuaranteed;
  CgroupDriver driver = CgroupDriver::kCgroupfs;
};

/// Parses `name` as the cgroup of a pod; nullopt if it is not one. `parent` is the name of the
/// parent cgroup. It must be a pod root or a QoS level and gives the class. A systemd slice begins
/// with its parent's name.
[[nodiscard]] std::optional<PodName> parse_pod_name(std::string_view name, std::string_view parent);

/// Parses `name` as the cgroup of a container: an id of 64 hexadecimal digits, bare or after
/// "cri-containerd-", "crio-", "docker-", "libpod-" or "pouch-", with or without ".scope". nullopt
/// for anything else: "crio-conmon-<id>" is the monitor of a container, not a container.
[[nodiscard]] std::optional<std::string> parse_container_name(std::string_view name);

/// Whether the kubelet derived this uid from the hash of a static manifest: 32 hexadecimal digits.
[[nodiscard]] bool is_static_uid(std::string_view uid);

}  // namespace evictd::cluster
