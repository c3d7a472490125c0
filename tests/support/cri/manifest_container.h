// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "pods.pb.h"

namespace evictd::cri::test {

/// What a container's manifest refers to, as a kubelet of the test's has it.
struct NodePlaces {
  /// Of the pod's volumes, by name.
  std::map<std::string, std::filesystem::path> volumes;
  /// Of the pod, by path: "spec.nodeName".
  std::map<std::string, std::string> fields;
  /// What each container finds besides, such as the address of the API server.
  std::map<std::string, std::string> environment;
  /// Of the pod: hostPID.
  bool host_pid = false;
};

/// What a kubelet asks a runtime for to run `container`, one of a v1.Pod's, as far as the manifests
/// in deploy/ go. An exception where it refers to what `places` has not.
[[nodiscard]] kubelet::ContainerConfig container_of(const nlohmann::ordered_json& container,
                                                    const NodePlaces& places);

}  // namespace evictd::cri::test
