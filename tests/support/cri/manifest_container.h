// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "pods.pb.h"

namespace evictd::cri::test {

/// The objects that a container's manifest refers to, as a test's kubelet provides them.
struct NodePlaces {
  /// Volumes of the pod, by name.
  std::map<std::string, std::filesystem::path> volumes;
  /// Fields of the pod, by path: "spec.nodeName".
  std::map<std::string, std::string> fields;
  /// Further environment of each container, such as the address of the API server.
  std::map<std::string, std::string> environment;
  /// The pod's hostPID.
  bool host_pid = false;
};

/// The configuration with which a kubelet runs `container` of a v1.Pod; covers what the manifests
/// in deploy/ use. Throws if it refers to an object that `places` lacks.
[[nodiscard]] kubelet::ContainerConfig container_of(const nlohmann::ordered_json& container,
                                                    const NodePlaces& places);

}  // namespace evictd::cri::test
