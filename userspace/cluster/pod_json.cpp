// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "cluster/json_reader.h"

namespace evictd::cluster {
namespace {

using eviction::Container;
using eviction::ContainerStatus;
using eviction::EmptyDir;
using eviction::Pod;
using eviction::Quantity;
using eviction::ResourceList;
using eviction::Toleration;
using eviction::Volume;

std::string_view without_blanks_around(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Reads a quantity from JSON as Kubernetes does: null is zero, blanks around a text are ignored.
std::optional<Quantity> quantity_at(const JsonReader& reader) {
  if (reader.value().is_null()) {
    return Quantity();
  }
  std::string text;
  if (reader.value().is_number()) {
    text = reader.value().dump();
  } else {
    text = reader.text();
  }
  if (reader.failed()) {
    return std::nullopt;
  }
  Result<Quantity> quantity = Quantity::parse(without_blanks_around(text));
  if (!quantity) {
    reader.reject(quantity.error().context + "; allowed: a quantity such as 64Mi");
    return std::nullopt;
  }
  return *std::move(quantity);
}

ResourceList resources_at(const JsonReader& reader) {
  ResourceList list;
  for (const auto& [name, amount] : reader.members()) {
    if (std::optional<Quantity> quantity = quantity_at(amount)) {
      list.insert_or_assign(name, *std::move(quantity));
    }
  }
  return list;
}

std::vector<Container> containers_at(const JsonReader& reader) {
  std::vector<Container> containers;
  for (const JsonReader& item : reader.elements()) {
    Container container;
    container.name = item.at("name").name();
    container.requests = resources_at(item.at("resources").at("requests"));
    container.limits = resources_at(item.at("resources").at("limits"));
    container.restarts_always = item.at("restartPolicy").text() == "Always";
    containers.push_back(std::move(container));
  }
  return containers;
}

std::vector<Toleration> tolerations_at(const JsonReader& reader) {
  std::vector<Toleration> tolerations;
  for (const JsonReader& item : reader.elements()) {
    tolerations.push_back({item.at("key").text(), item.at("operator").text(),
                           item.at("value").text(), item.at("effect").text()});
  }
  return tolerations;
}

std::vector<Volume> volumes_at(const JsonReader& reader) {
  std::vector<Volume> volumes;
  for (const JsonReader& item : reader.elements()) {
    Volume volume;
    volume.name = item.at("name").name();
    volume.host_path = item.at("hostPath").present();
    volume.config_map = item.at("configMap").present();
    volume.git_repo = item.at("gitRepo").present();
    if (const JsonReader dir = item.at("emptyDir"); dir.present()) {
      volume.empty_dir = EmptyDir{dir.at("medium").text(), std::nullopt};
      if (const JsonReader limit = dir.at("sizeLimit"); limit.present()) {
        volume.empty_dir->size_limit = quantity_at(limit);
      }
    }
    volumes.push_back(std::move(volume));
  }
  return volumes;
}

/// Annotations that give the uid in the cgroup's name; manifest.h.
bool gives_uid(std::string_view annotation) {
  return annotation == "kubernetes.io/config.mirror" || annotation == "kubernetes.io/config.hash";
}

void read_metadata(const JsonReader& metadata, Pod& pod) {
  pod.name = metadata.at("name").name();
  pod.ns = metadata.at("namespace").name();
  pod.uid = metadata.at("uid").name();
  pod.deletion_requested = metadata.at("deletionTimestamp").present();
  for (const auto& [key, value] : metadata.at("annotations").members()) {
    // Two of them may become the uid.
    pod.annotations.insert_or_assign(key, gives_uid(key) ? value.name() : value.text());
  }
  for (const auto& [key, value] : metadata.at("labels").members()) {
    pod.labels.insert_or_assign(key, value.text());
  }
  if (JsonReader created = metadata.at("creationTimestamp"); created.present()) {
    if (const std::string text = created.text(); !text.empty()) {
      Result<WallTime> time = wall_time_from_rfc3339(text);
      if (time) {
        pod.created_at = *time;
      } else {
        created.reject("is not a time; allowed: one like 2024-01-31T12:00:00Z");
      }
    }
  }
}

void read_spec(const JsonReader& spec, Pod& pod) {
  pod.containers = containers_at(spec.at("containers"));
  pod.init_containers = containers_at(spec.at("initContainers"));
  pod.overhead = resources_at(spec.at("overhead"));
  pod.tolerations = tolerations_at(spec.at("tolerations"));
  pod.volumes = volumes_at(spec.at("volumes"));
  pod.priority_class_name = spec.at("priorityClassName").text();
  constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
  if (const auto priority = spec.at("priority").integer(kLowest, kHighest)) {
    pod.priority = static_cast<std::int32_t>(*priority);
  }
  pod.termination_grace_seconds = spec.at("terminationGracePeriodSeconds")
                                      .integer(std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::int64_t>::max());
}

/// "containerd://ID" without the runtime; empty for another text, as while the container waits.
std::string id_in(std::string_view container_id) {
  constexpr std::string_view kBehindRuntime = "://";
  const std::size_t at = container_id.find(kBehindRuntime);
  return at == std::string_view::npos
             ? std::string()
             : std::string(container_id.substr(at + kBehindRuntime.size()));
}

void read_status(const JsonReader& status, Pod& pod) {
  pod.phase = status.at("phase").text();
  pod.status_qos_class = status.at("qosClass").text();
  for (const std::string_view list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    for (const JsonReader& item : status.at(list).elements()) {
      ContainerStatus one{.name = item.at("name").name(),
                          .id = id_in(item.at("containerID").text())};
      if (!one.id.empty()) {
        pod.container_statuses.push_back(std::move(one));
      }
    }
  }
}

}  // namespace

Pod read_pod(const JsonReader& root) {
  Pod pod;
  root.members();  // refuses anything but an object
  read_metadata(root.at("metadata"), pod);
  read_spec(root.at("spec"), pod);
  read_status(root.at("status"), pod);
  return pod;
}

Result<Pod> pod_from_json(const nlohmann::json& object) {
  std::optional<std::string> problem;
  Pod pod = read_pod(JsonReader(object, problem));
  if (problem) {
    return fail(Errc::kMalformed, *problem);
  }
  return pod;
}

}  // namespace evictd::cluster
