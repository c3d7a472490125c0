// SPDX-License-Identifier: Apache-2.0
#include "replay/spec_json.h"

namespace evictd::replay {

namespace {

using exporting::JsonFields;

Json resources_json(const eviction::ResourceList& list) {
  Json json = Json::object();
  for (const auto& [name, quantity] : list) {
    json[name] = quantity.to_string();
  }
  return json;
}

eviction::ResourceList read_resources(JsonFields& fields, const char* key) {
  eviction::ResourceList list;
  for (const auto& [name, value] : fields.object(key).items()) {
    const Result<eviction::Quantity> quantity =
        value.is_string() ? eviction::Quantity::parse(value.get<std::string>())
                          : Result<eviction::Quantity>(fail(Errc::kMalformed, "not a text"));
    if (!quantity) {
      fields.refuse(key, quantity.error().context);
      return {};
    }
    list.emplace(name, *quantity);
  }
  return list;
}

Json containers_json(const std::vector<eviction::Container>& containers) {
  Json json = Json::array();
  for (const eviction::Container& container : containers) {
    json.push_back({{"name", container.name},
                    {"requests", resources_json(container.requests)},
                    {"limits", resources_json(container.limits)},
                    {"restarts_always", container.restarts_always}});
  }
  return json;
}

std::vector<eviction::Container> read_containers(JsonFields& fields, const char* key) {
  std::vector<eviction::Container> containers;
  const std::size_t count = fields.list(key).size();
  for (std::size_t i = 0; i < count && !fields.failed(); ++i) {
    JsonFields one = fields.at(key, i);
    containers.push_back({.name = one.text("name"),
                          .requests = read_resources(one, "requests"),
                          .limits = read_resources(one, "limits"),
                          .restarts_always = one.truth("restarts_always")});
  }
  return containers;
}

Json number_json(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

std::optional<std::uint64_t> read_number(JsonFields& fields, const char* key) {
  const std::optional<std::int64_t> number = fields.whole_or_null(key);
  if (number && *number < 0) {
    fields.refuse(key, "negative");
    return std::nullopt;
  }
  return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

Json storage_json(const std::optional<eviction::StorageUse>& use) {
  return use ? Json{{"bytes", number_json(use->bytes)}, {"inodes", number_json(use->inodes)}}
             : Json(nullptr);
}

std::optional<eviction::StorageUse> read_storage(JsonFields& fields, const char* key) {
  if (!fields.has(key)) {
    return std::nullopt;
  }
  JsonFields use = fields.below(key);
  return eviction::StorageUse{.bytes = read_number(use, "bytes"),
                              .inodes = read_number(use, "inodes")};
}

Json volume_json(const eviction::Volume& volume) {
  Json empty_dir = nullptr;
  if (volume.empty_dir) {
    const auto& limit = volume.empty_dir->size_limit;
    empty_dir = {{"medium", volume.empty_dir->medium},
                 {"size_limit", limit ? Json(limit->to_string()) : Json(nullptr)}};
  }
  return {{"name", volume.name},
          {"empty_dir", std::move(empty_dir)},
          {"host_path", volume.host_path},
          {"config_map", volume.config_map},
          {"git_repo", volume.git_repo}};
}

eviction::Volume read_volume(JsonFields fields) {
  eviction::Volume volume;
  volume.name = fields.text("name");
  volume.host_path = fields.truth("host_path");
  volume.config_map = fields.truth("config_map");
  volume.git_repo = fields.truth("git_repo");
  if (fields.has("empty_dir")) {
    JsonFields empty_dir = fields.below("empty_dir");
    volume.empty_dir.emplace();
    volume.empty_dir->medium = empty_dir.text("medium");
    if (empty_dir.has("size_limit")) {
      const Result<eviction::Quantity> limit =
          eviction::Quantity::parse(empty_dir.text("size_limit"));
      if (limit) {
        volume.empty_dir->size_limit = *limit;
      } else {
        empty_dir.refuse("size_limit", limit.error().context);
      }
    }
  }
  return volume;
}

}  // namespace

Json spec_json(const eviction::Pod& pod) {
  Json volumes = Json::array();
  for (const eviction::Volume& volume : pod.volumes) {
    volumes.push_back(volume_json(volume));
  }
  return {{"containers", containers_json(pod.containers)},
          {"init_containers", containers_json(pod.init_containers)},
          {"overhead", resources_json(pod.overhead)},
          {"volumes", std::move(volumes)}};
}

eviction::Pod spec_from_json(JsonFields fields) {
  eviction::Pod pod;
  pod.containers = read_containers(fields, "containers");
  pod.init_containers = read_containers(fields, "init_containers");
  pod.overhead = read_resources(fields, "overhead");
  const std::size_t count = fields.list("volumes").size();
  for (std::size_t i = 0; i < count && !fields.failed(); ++i) {
    pod.volumes.push_back(read_volume(fields.at("volumes", i)));
  }
  return pod;
}

Json statistics_json(const eviction::PodStatistics& statistics) {
  Json containers = Json::array();
  for (const eviction::ContainerStatistics& one : statistics.containers) {
    containers.push_back({{"name", one.name},
                          {"working_set", number_json(one.working_set_bytes)},
                          {"rootfs", storage_json(one.rootfs)},
                          {"logs", storage_json(one.logs)}});
  }
  Json volumes = Json::array();
  for (const eviction::VolumeStatistics& one : statistics.volumes) {
    volumes.push_back({{"name", one.name}, {"use", storage_json(one.use)}});
  }
  return {{"containers", std::move(containers)},
          {"volumes", std::move(volumes)},
          {"working_set", number_json(statistics.working_set_bytes)},
          {"processes", number_json(statistics.process_count)},
          {"ephemeral", number_json(statistics.ephemeral_bytes)}};
}

eviction::PodStatistics statistics_from_json(JsonFields fields) {
  eviction::PodStatistics statistics;
  const std::size_t containers = fields.list("containers").size();
  for (std::size_t i = 0; i < containers && !fields.failed(); ++i) {
    JsonFields one = fields.at("containers", i);
    statistics.containers.push_back({.name = one.text("name"),
                                     .working_set_bytes = read_number(one, "working_set"),
                                     .rootfs = read_storage(one, "rootfs"),
                                     .logs = read_storage(one, "logs")});
  }
  const std::size_t volumes = fields.list("volumes").size();
  for (std::size_t i = 0; i < volumes && !fields.failed(); ++i) {
    JsonFields one = fields.at("volumes", i);
    statistics.volumes.push_back(
        {.name = one.text("name"),
         .use = read_storage(one, "use").value_or(eviction::StorageUse{})});
  }
  statistics.working_set_bytes = read_number(fields, "working_set");
  statistics.process_count = read_number(fields, "processes");
  statistics.ephemeral_bytes = read_number(fields, "ephemeral");
  return statistics;
}

}  // namespace evictd::replay
