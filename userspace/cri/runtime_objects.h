// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::cri {

/// Labels that a kubelet sets on sandboxes and containers.
inline constexpr const char* kPodUidLabel = "io.kubernetes.pod.uid";
inline constexpr const char* kContainerNameLabel = "io.kubernetes.container.name";

/// The runtime's name and version, and its version of the interface.
struct RuntimeVersion {
  std::string name{};
  std::string version{};
  /// "v1" or "v1alpha2".
  std::string api{};

  friend bool operator==(const RuntimeVersion&, const RuntimeVersion&) = default;
};

enum class SandboxState { kReady, kNotReady };

/// A pod's resources beside its containers: namespaces, network, the pause process.
struct Sandbox {
  std::string id{};
  std::string pod_uid{};
  /// "namespace/name".
  std::string pod{};
  SandboxState state = SandboxState::kNotReady;
  WallTime created{};
};

enum class ContainerState { kCreated, kRunning, kExited, kUnknown };
[[nodiscard]] const char* to_string(ContainerState state);

struct Container {
  std::string id{};
  std::string sandbox_id{};
  std::string name{};
  /// Empty if no kubelet created the container.
  std::string pod_uid{};
  /// The image as the creator requested it, as the runtime resolved it, and as ListImages names it
  /// (newer runtimes).
  std::string image{};
  std::string image_ref{};
  std::string image_id{};
  ContainerState state = ContainerState::kUnknown;
  WallTime created{};
};

/// Constant properties of a container. Empty if the runtime does not report them.
struct ContainerDetails {
  /// As in the OCI specification: "/PARENT/ID", or "SLICE:PREFIX:ID" with systemd.
  std::string cgroup{};
  std::string log_path{};
};

/// Usage of a container's writable layer. A runtime that has not measured it yet omits the sizes.
struct LayerUsage {
  std::string container_id{};
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> inodes;
};

struct Image {
  std::string id{};
  std::vector<std::string> tags{};
  std::vector<std::string> digests{};
  std::uint64_t bytes = 0;
  /// The runtime itself needs the image, such as the sandbox image.
  bool is_pinned = false;
};

/// Directories on the filesystems that the runtime uses; empty if it reports none.
struct RuntimePlaces {
  std::string images{};
  /// Directory of writable layers. Empty in runtimes before Kubernetes 1.29, which use that of the
  /// images.
  std::string containers{};

  friend bool operator==(const RuntimePlaces&, const RuntimePlaces&) = default;
};

}  // namespace evictd::cri
