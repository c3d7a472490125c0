// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace evictd::kube {

/// What a container is to its pod.
enum class ContainerRole {
  kMain,
  kInit,       ///< Runs to its end before the main ones begin.
  kSidecar,    ///< Of the init containers, with restartPolicy Always: runs beside the main ones.
  kEphemeral,  ///< Was added for somebody who looks into the pod.
};
[[nodiscard]] const char* to_string(ContainerRole role);

/// By name; a pod has no two containers of one name.
using ContainerRoles = std::map<std::string, ContainerRole, std::less<>>;

/// Of a v1.Pod as PodDocument::text has it; empty for what is none.
[[nodiscard]] ContainerRoles container_roles(std::string_view pod);

}  // namespace evictd::kube
