// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evictd::cluster {

/// Which of the kubelet's cgroup drivers made a name.
enum class CgroupDriver {
  kCgroupfs,  ///< "pod<uid>" below "kubepods/burstable", containers named by their id.
  kSystemd,   ///< "kubepods-burstable-pod<uid>.slice", containers "cri-containerd-<id>.scope".
};

/// The QoS class that the place of a pod in the tree says.
enum class PathQos { kGuaranteed, kBurstable, kBestEffort };

/// "Guaranteed", "Burstable", "BestEffort".
[[nodiscard]] std::string_view to_string(PathQos qos);

/// The last component of a path; empty for "/".
[[nodiscard]] std::string_view leaf_of(std::string_view path);
/// What comes before the last component, without a '/' at its end: "" for "/a".
[[nodiscard]] std::string_view parent_of(std::string_view path);

/// Whether `name` is what a kubelet calls the cgroup of all pods: "kubepods", "kubepods.slice",
/// "x-kubepods.slice".
[[nodiscard]] bool is_pod_root_name(std::string_view name);

/// The class whose pods are in `name`, a cgroup directly below the pod root called `root`:
/// "burstable", "kubepods-burstable.slice"; nullopt when it is none.
[[nodiscard]] std::optional<PathQos> parse_qos_level(std::string_view name, std::string_view root);

/// What the name of a cgroup and its parent's name say about a pod.
struct PodName {
  /// As in metadata.uid: with '-', also where the systemd driver wrote '_'. A static pod's is 32
  /// hexadecimal digits without dashes.
  std::string uid;
  PathQos qos = PathQos::kGuaranteed;
  CgroupDriver driver = CgroupDriver::kCgroupfs;
};

/// Reads `name` as the cgroup of a pod; nullopt when it is none. `parent` is the name of the cgroup
/// above it, which must be a pod root or a QoS level; it says the class, and a systemd slice begins
/// with its parent's name.
[[nodiscard]] std::optional<PodName> parse_pod_name(std::string_view name, std::string_view parent);

/// Reads `name` as the cgroup of a container: an id of 64 hexadecimal digits, bare or behind
/// "cri-containerd-", "crio-", "docker-", "libpod-" or "pouch-", with or without ".scope". nullopt
/// for anything else: "crio-conmon-<id>" is the monitor of a container, not one.
[[nodiscard]] std::optional<std::string> parse_container_name(std::string_view name);

/// Whether the kubelet made this uid from the hash of a static manifest: 32 hexadecimal digits.
[[nodiscard]] bool is_static_uid(std::string_view uid);

/// What a path tells.
struct PathMeaning {
  PodName pod;
  /// Length of the part of the path that names the pod.
  std::size_t pod_path_length = 0;
  /// Empty when the path ends at the pod, or inside of it but in no container.
  std::string container_id;
};

/// The innermost pod of `path`, read from the leaf towards the root, so that any prefix may come
/// before; nullopt when no part of it is one.
[[nodiscard]] std::optional<PathMeaning> parse_cgroup_path(std::string_view path);

}  // namespace evictd::cluster
