// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::cri {

/// Labels that a kubelet gives to sandboxes and containers.
inline constexpr const char* kPodUidLabel = "io.kubernetes.pod.uid";
inline constexpr const char* kContainerNameLabel = "io.kubernetes.container.name";

/// Who answers, and in which version of the interface.
struct RuntimeVersion {
  std::string name{};
  std::string version{};
  /// "v1" or "v1alpha2".
  std::string api{};

  friend bool operator==(const RuntimeVersion&, const RuntimeVersion&) = default;
};

enum class SandboxState { kReady, kNotReady };

/// What a pod has of the runtime beside its containers: namespaces, network, the pause process.
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
  /// Empty for one that no kubelet made.
  std::string pod_uid{};
  /// As its creator asked for it, as the runtime found it, and as ListImages calls it (newer ones).
  std::string image{};
  std::string image_ref{};
  std::string image_id{};
  ContainerState state = ContainerState::kUnknown;
  WallTime created{};
};

/// What does not change in the life of a container. Empty where the runtime does not tell.
struct ContainerDetails {
  /// As the runtime wrote it into the OCI specification: "/PARENT/ID", or "SLICE:PREFIX:ID" with
  /// systemd.
  std::string cgroup{};
  std::string log_path{};
};

/// What a container has written into its own layer. A runtime that has not measured it yet leaves
/// the amounts out.
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
  /// The runtime needs it itself, as that of the sandboxes.
  bool is_pinned = false;
};

/// Directories on the filesystems that the runtime uses; empty where it tells none.
struct RuntimePlaces {
  std::string images{};
  /// Of writable layers. Empty in runtimes before Kubernetes 1.29: the place of the images.
  std::string containers{};

  friend bool operator==(const RuntimePlaces&, const RuntimePlaces&) = default;
};

}  // namespace evictd::cri
