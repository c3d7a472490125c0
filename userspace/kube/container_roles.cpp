// SPDX-License-Identifier: Apache-2.0
#include "kube/container_roles.h"

#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "base/json_text.h"
#include "evictd/result.h"

namespace evictd::kube {

namespace {

using base::list_at;
using base::member_at;
using base::text_at;
using Json = nlohmann::json;

/// Visits the containers of one list of the pod; none if it is no list.
template <typename Take>
void for_each_container(const Json& pod, const char* part, const char* list, const Take& take) {
  for (const Json& container : list_at(pod, part, list)) {
    if (const Json& name = member_at(container, "name"); name.is_string()) {
      take(name.get_ref<const std::string&>(), container);
    }
  }
}

}  // namespace

const char* to_string(ContainerRole role) {
  switch (role) {
    case ContainerRole::kMain:
      return "main";
    case ContainerRole::kInit:
      return "init";
    case ContainerRole::kSidecar:
      return "sidecar";
    case ContainerRole::kEphemeral:
      return "ephemeral";
  }
  return "main";
}

ContainerRoles container_roles(std::string_view pod) {
  ContainerRoles roles;
  const Result<Json> read = base::parse_json<Json>(pod);
  if (!read || !read->is_object()) {
    return roles;
  }
  for_each_container(*read, "spec", "containers", [&](const std::string& name, const Json&) {
    roles.emplace(name, ContainerRole::kMain);
  });
  for_each_container(*read, "spec", "initContainers",
                     [&](const std::string& name, const Json& container) {
                       const bool stays = text_at(container, "restartPolicy") == "Always";
                       roles.emplace(name, stays ? ContainerRole::kSidecar : ContainerRole::kInit);
                     });
  // Their specification is not kept.
  for_each_container(*read, "status", "ephemeralContainerStatuses",
                     [&](const std::string& name, const Json&) {
                       roles.emplace(name, ContainerRole::kEphemeral);
                     });
  return roles;
}

}  // namespace evictd::kube
