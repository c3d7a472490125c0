// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_disk.h"
#include "daemon/records/duration_numbers.h"

#include <chrono>
#include <nlohmann/json.hpp>

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

const char* state_of(const disk::FilesystemReport& report) {
  if (!report.sampler.error.empty()) {
    return "failed";
  }
  if (!report.sampler.reading) {
    return "never_read";
  }
  return report.stale ? "stale" : "read";
}

Json filesystem_json(const disk::FilesystemReport& report, eviction::Compat compat, MonoTime now) {
  Json one = {{"serves", roles_json(report.roles, compat)},
              {"path", report.place.path},
              {"origin", report.place.origin},
              {"mount_point", report.place.mount_point},
              {"device", report.place.device},
              {"type", report.place.type},
              {"state", state_of(report)}};
  const auto& reading = report.sampler.reading;
  one["available_bytes"] = reading ? Json(reading->available_bytes) : Json(nullptr);
  one["capacity_bytes"] = reading ? Json(reading->capacity_bytes) : Json(nullptr);
  one["inodes_free"] = reading ? Json(reading->inodes_free) : Json(nullptr);
  one["inodes"] = reading ? Json(reading->inodes) : Json(nullptr);
  one["age_ms"] = reading ? Json(to_ms(now - reading->read_at)) : Json(nullptr);
  one["waiting_ms"] =
      report.sampler.asking_since ? Json(to_ms(now - *report.sampler.asking_since)) : Json(nullptr);
  one["interval_ms"] = to_ms(report.sampler.interval);
  one["samples"] = report.sampler.samples;
  one["failures"] = report.sampler.failures;
  one["error"] = report.sampler.error;
  return one;
}

void add_use(Json& list, const std::string& container,
             const std::optional<eviction::StorageUse>& use) {
  if (use) {
    list.push_back({{"container", container},
                    {"bytes", use->bytes.value_or(0)},
                    {"inodes", use->inodes.value_or(0)}});
  }
}

}  // namespace

Json roles_json(const std::vector<disk::Role>& roles, eviction::Compat compat) {
  Json names = Json::array();
  for (const disk::Role role : roles) {
    if (role != disk::Role::kContainerFs || compat != eviction::Compat::k1_26) {
      names.push_back(disk::to_string(role));
    }
  }
  return names;
}

Json filesystems_json(const disk::Filesystems& filesystems, eviction::Compat compat, MonoTime now) {
  Json list = Json::array();
  for (const disk::FilesystemReport& report : filesystems.report(now)) {
    list.push_back(filesystem_json(report, compat, now));
  }
  return list;
}

Json storage_json(const disk::PodStorage* storage, MonoTime now) {
  if (storage == nullptr) {
    return nullptr;
  }
  Json volumes = Json::array();
  for (const eviction::VolumeStatistics& volume : storage->statistics.volumes) {
    volumes.push_back({{"name", volume.name},
                       {"bytes", volume.use.bytes.value_or(0)},
                       {"inodes", volume.use.inodes.value_or(0)}});
  }
  Json logs = Json::array();
  Json layers = Json::array();
  for (const eviction::ContainerStatistics& container : storage->statistics.containers) {
    add_use(logs, container.name, container.logs);
    add_use(layers, container.name, container.rootfs);
  }
  return {{"ephemeral_bytes", storage->statistics.ephemeral_bytes.value_or(0)},
          {"volumes", volumes},
          {"logs", logs},
          {"layers", layers},
          {"method", disk::to_string(storage->method)},
          {"complete", storage->complete},
          {"complete_parts",
           {{"volumes", storage->parts.volumes},
            {"logs", storage->parts.logs},
            {"layers", storage->parts.layers}}},
          {"age_ms", to_ms(now - storage->measured_at)}};
}

Json storage_counters_json(const StorageKeeping& keeping) {
  const StorageKeeping::Counters& counters = keeping.counters();
  return {{"measurements", counters.measurements},
          {"incomplete", counters.incomplete},
          {"last_took_ms", keeping.last_took() ? Json(to_ms(*keeping.last_took())) : Json(nullptr)},
          {"collector_runs", counters.collector_runs},
          {"collector_failures", counters.collector_failures},
          {"removals", counters.removals},
          {"removal_failures", counters.removal_failures}};
}

Json layout_json(eviction::DiskLayout layout) {
  return {{"dedicated_image_fs", layout.dedicated_image_fs},
          {"split_container_fs", layout.split_container_fs}};
}

}  // namespace evictd::daemon
