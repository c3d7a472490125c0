// SPDX-License-Identifier: Apache-2.0
#include "support/cri/manifest_container.h"

#include <stdexcept>

namespace evictd::cri::test {

namespace {

using Json = nlohmann::ordered_json;

/// Value of critical pods.
constexpr std::int64_t kOomScoreAdj = -997;

void add_environment(const Json& container, const NodePlaces& places,
                     kubelet::ContainerConfig& config) {
  std::map<std::string, std::string> all = places.environment;
  for (const Json& variable : container.value("env", Json::array())) {
    all[variable.at("name")] =
        places.fields.at(variable.at("valueFrom").at("fieldRef").at("fieldPath"));
  }
  for (const auto& [name, value] : all) {
    kubelet::KeyValue& variable = *config.add_envs();
    variable.set_key(name);
    variable.set_value(value);
  }
}

void add_mounts(const Json& container, const NodePlaces& places, kubelet::ContainerConfig& config) {
  for (const Json& mount : container.at("volumeMounts")) {
    kubelet::Mount& added = *config.add_mounts();
    added.set_container_path(mount.at("mountPath"));
    added.set_host_path(places.volumes.at(mount.at("name")).string());
    added.set_readonly(mount.value("readOnly", false));
    if (mount.value("mountPropagation", "None") == "HostToContainer") {
      added.set_propagation(kubelet::PROPAGATION_HOST_TO_CONTAINER);
    }
  }
}

void add_security(const Json& context, bool host_pid, kubelet::LinuxContainerSecurityContext& to) {
  for (const Json& name : context.at("capabilities").value("add", Json::array())) {
    to.mutable_capabilities()->add_add_capabilities(name);
  }
  for (const Json& name : context.at("capabilities").value("drop", Json::array())) {
    to.mutable_capabilities()->add_drop_capabilities(name);
  }
  to.mutable_namespace_options()->set_network(kubelet::NODE);
  to.mutable_namespace_options()->set_pid(host_pid ? kubelet::NODE : kubelet::POD);
  to.mutable_run_as_user()->set_value(context.at("runAsUser"));
  to.mutable_run_as_group()->set_value(context.at("runAsGroup"));
  to.set_readonly_rootfs(context.at("readOnlyRootFilesystem"));
  to.set_no_new_privs(!context.value("allowPrivilegeEscalation", true));
  if (context.at("seccompProfile").at("type") != "RuntimeDefault") {
    throw std::runtime_error("a seccomp profile that is not the runtime's");
  }
  to.mutable_seccomp()->set_profile_type(kubelet::RUNTIME_DEFAULT);
}

/// "256Mi"
std::int64_t mebibytes_of(const std::string& text) {
  if (!text.ends_with("Mi")) {
    throw std::runtime_error("not in Mi: " + text);
  }
  return std::stoll(text) << 20;
}

}  // namespace

kubelet::ContainerConfig container_of(const Json& container, const NodePlaces& places) {
  kubelet::ContainerConfig config;
  config.mutable_metadata()->set_name(container.at("name"));
  config.mutable_image()->set_image(container.at("image"));
  for (const Json& word : container.at("command")) {
    config.add_command(word);
  }
  add_environment(container, places, config);
  add_mounts(container, places, config);
  add_security(container.at("securityContext"), places.host_pid,
               *config.mutable_linux()->mutable_security_context());
  kubelet::LinuxContainerResources& resources = *config.mutable_linux()->mutable_resources();
  resources.set_oom_score_adj(kOomScoreAdj);
  const Json limits = container.at("resources").value("limits", Json::object());
  if (limits.contains("memory")) {
    resources.set_memory_limit_in_bytes(mebibytes_of(limits["memory"]));
  }
  return config;
}

}  // namespace evictd::cri::test
