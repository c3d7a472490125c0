// SPDX-License-Identifier: Apache-2.0
#include "replay/spec_json.h"

#include "export/json_table.h"

namespace evictd::replay {

namespace {

using exporting::JsonFields;
using exporting::member;
using exporting::newer_member;
using exporting::Table;

/// In the notation of Kubernetes.
struct QuantityText {
  static Json json(const eviction::Quantity& quantity) { return quantity.to_string(); }
  static void read(JsonFields& fields, const char* key, eviction::Quantity& into) {
    const Result<eviction::Quantity> quantity = eviction::Quantity::parse(fields.text(key));
    if (quantity) {
      into = *quantity;
    } else {
      fields.refuse(key, quantity.error().context);
    }
  }
};

struct Resources {
  static Json json(const eviction::ResourceList& list) {
    Json json = Json::object();
    for (const auto& [name, quantity] : list) {
      json[name] = quantity.to_string();
    }
    return json;
  }
  static void read(JsonFields& fields, const char* key, eviction::ResourceList& into) {
    for (const auto& [name, value] : fields.object(key).items()) {
      const Result<eviction::Quantity> quantity =
          value.is_string() ? eviction::Quantity::parse(value.get<std::string>())
                            : Result<eviction::Quantity>(fail(Errc::kMalformed, "not a text"));
      if (!quantity) {
        fields.refuse(key, quantity.error().context);
        return;
      }
      into.emplace(name, *quantity);
    }
  }
};

struct Count {
  static Json json(std::uint64_t count) { return count; }
  static void read(JsonFields& fields, const char* key, std::uint64_t& into) {
    const std::int64_t count = fields.whole(key);
    if (count < 0) {
      fields.refuse(key, "negative");
    }
    into = static_cast<std::uint64_t>(count);
  }
};

constexpr auto kContainer = Table(member("name", &eviction::Container::name),
                                  member("requests", &eviction::Container::requests, Resources{}),
                                  member("limits", &eviction::Container::limits, Resources{}),
                                  member("restarts_always", &eviction::Container::restarts_always));

constexpr auto kEmptyDir =
    Table(member("medium", &eviction::EmptyDir::medium),
          newer_member("size_limit", &eviction::EmptyDir::size_limit, QuantityText{}));

constexpr auto kVolume = Table(member("name", &eviction::Volume::name),
                               newer_member("empty_dir", &eviction::Volume::empty_dir, kEmptyDir),
                               member("host_path", &eviction::Volume::host_path),
                               member("config_map", &eviction::Volume::config_map),
                               member("git_repo", &eviction::Volume::git_repo));

constexpr auto kSpec = Table(member("containers", &eviction::Pod::containers, kContainer),
                             member("init_containers", &eviction::Pod::init_containers, kContainer),
                             member("overhead", &eviction::Pod::overhead, Resources{}),
                             member("volumes", &eviction::Pod::volumes, kVolume));

constexpr auto kStorage = Table(member("bytes", &eviction::StorageUse::bytes, Count{}),
                                member("inodes", &eviction::StorageUse::inodes, Count{}));

constexpr auto kContainerStatistics =
    Table(member("name", &eviction::ContainerStatistics::name),
          member("working_set", &eviction::ContainerStatistics::working_set_bytes, Count{}),
          newer_member("rootfs", &eviction::ContainerStatistics::rootfs, kStorage),
          newer_member("logs", &eviction::ContainerStatistics::logs, kStorage));

constexpr auto kVolumeStatistics =
    Table(member("name", &eviction::VolumeStatistics::name),
          newer_member("use", &eviction::VolumeStatistics::use, kStorage));

constexpr auto kStatistics =
    Table(member("containers", &eviction::PodStatistics::containers, kContainerStatistics),
          member("volumes", &eviction::PodStatistics::volumes, kVolumeStatistics),
          member("working_set", &eviction::PodStatistics::working_set_bytes, Count{}),
          member("processes", &eviction::PodStatistics::process_count, Count{}),
          member("ephemeral", &eviction::PodStatistics::ephemeral_bytes, Count{}));

}  // namespace

Json spec_json(const eviction::Pod& pod) {
  return kSpec.json(pod);
}

eviction::Pod spec_from_json(JsonFields fields) {
  eviction::Pod pod;
  kSpec.read(fields, pod);
  return pod;
}

Json statistics_json(const eviction::PodStatistics& statistics) {
  return kStatistics.json(statistics);
}

eviction::PodStatistics statistics_from_json(JsonFields fields) {
  eviction::PodStatistics statistics;
  kStatistics.read(fields, statistics);
  return statistics;
}

}  // namespace evictd::replay
