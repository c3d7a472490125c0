// SPDX-License-Identifier: Apache-2.0
#include "replay/left_out.h"

#include <fmt/format.h>

#include <utility>

namespace evictd::replay {

namespace {

class Collector {
 public:
  void add_if(bool applies, std::string text) {
    if (applies) {
      texts.push_back(std::move(text));
    }
  }
  std::vector<std::string> texts;
};

bool same_places(const config::StorageSettings& a, const config::StorageSettings& b) {
  return a.node_fs_path == b.node_fs_path && a.image_fs_path == b.image_fs_path &&
         a.container_fs_path == b.container_fs_path &&
         a.kubelet_root_directory == b.kubelet_root_directory &&
         a.container_runtime_roots == b.container_runtime_roots;
}

bool same_pods(const config::Settings& a, const config::Settings& b) {
  return a.evict_unknown_pods == b.evict_unknown_pods && a.pod_globs == b.pod_globs &&
         a.cgroup_root == b.cgroup_root && a.manifest_directories == b.manifest_directories &&
         a.static_manifest_directories == b.static_manifest_directories;
}

void compare(const config::Settings& was, const config::Settings& is, Collector& out) {
  out.add_if(was.memory != is.memory || was.pid_available_source != is.pid_available_source,
             "memoryAvailableSource, swapAware, hugepageAware and pidAvailableSource: what was "
             "observed stays as recorded");
  out.add_if(!same_pods(was, is),
             "which cgroups are pods, and what is known of them, stays as recorded");
  out.add_if(!same_places(was.storage, is.storage), "the filesystems stay those recorded");
  out.add_if(was.storage.reclaim_containers != is.storage.reclaim_containers ||
                 was.storage.reclaim_images != is.storage.reclaim_images,
             "reclaim commands: what the recorded ones freed is what is freed");
}

}  // namespace

std::vector<std::string> left_out(const Parts& parts, const WhatIf& changes,
                                  const config::Config& was, Simulation& simulation) {
  Collector out;
  const config::Config& is = changes.config ? *changes.config : was;
  out.add_if(parts.missed_passes != 0,
             fmt::format("{} passes that were not recorded", parts.missed_passes));
  out.add_if(parts.configs.size() > 1 && !changes.config,
             "reloads: the first recorded configuration holds all the time");
  const bool other_rules = changes.compat || is->compatibility != was->compatibility;
  out.add_if(other_rules, "the class and the requests of a pod stay as recorded");
  if (changes.config) {
    compare(was.settings(), is.settings(), out);
  }
  const bool checks = is->storage.local_storage_capacity_isolation;
  const bool checked = was->storage.local_storage_capacity_isolation;
  out.add_if(checks && !checked, "limits on local storage: none was checked when it was recorded");
  out.add_if(checks && checked && other_rules,
             "limits on local storage that nobody exceeded by the recorded rules");
  WorldDisk& disk = simulation.world().disk();
  out.add_if(disk.unknown_reclaims() != 0,
             fmt::format("what collectors would have freed in {} runs more than were recorded",
                         disk.unknown_reclaims()));
  for (const std::size_t pod : disk.guessed()) {
    out.add_if(true, fmt::format("how much of what was written was of {}, measured only once or "
                                 "within half a second: all is taken to be",
                                 name_of(*parts.pods[pod])));
  }
  for (const std::size_t pod : simulation.disk_wait().guessed()) {
    out.add_if(true, fmt::format("how long {} holds its disk after its end: 30 s are waited for it",
                                 name_of(*parts.pods[pod])));
  }
  return std::move(out.texts);
}

}  // namespace evictd::replay
