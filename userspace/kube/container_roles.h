// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace evictd::kube {

/// A container's role in its pod.
enum class ContainerRole {
  kMain,
  kInit,       ///< Runs to completion before the main containers start.
  kSidecar,    ///< An init container with restartPolicy Always: runs beside the main containers.
  kEphemeral,  ///< Added to debug the running pod.
};
[[nodiscard]] const char* to_string(ContainerRole role);

/// By container name, which is unique within a pod.
using ContainerRoles = std::map<std::string, ContainerRole, std::less<>>;

/// Reads the roles from a v1.Pod, as in PodDocument::text. Empty if the text is no v1.Pod.
[[nodiscard]] ContainerRoles container_roles(std::string_view pod);

}  // namespace evictd::kube
