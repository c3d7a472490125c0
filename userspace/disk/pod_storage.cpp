// SPDX-License-Identifier: Apache-2.0
#include "disk/pod_storage.h"

#include <fcntl.h>

#include <array>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "base/system_clock.h"
#include "disk/project_quota.h"
#include "disk/tree_usage.h"
#include "sys/root.h"

namespace evictd::disk {

namespace {

/// A kind of volume that counts as local storage, by the directory that the kubelet gives it.
struct Plugin {
  const char* directory;
  void (*describe)(eviction::Volume& volume, bool on_tmpfs);
};

constexpr std::array<Plugin, 3> kPlugins{
    {{"kubernetes.io~empty-dir",
      [](eviction::Volume& volume, bool on_tmpfs) {
        volume.empty_dir =
            eviction::EmptyDir{.medium = on_tmpfs ? "Memory" : "", .size_limit = std::nullopt};
      }},
     {"kubernetes.io~configmap",
      [](eviction::Volume& volume, bool /*on_tmpfs*/) { volume.config_map = true; }},
     {"kubernetes.io~git-repo",
      [](eviction::Volume& volume, bool /*on_tmpfs*/) { volume.git_repo = true; }}}};

std::string volumes_of(const std::string& kubelet_root, const std::string& uid) {
  return kubelet_root + "/pods/" + uid + "/volumes/";
}

std::vector<std::string> directories_in(const std::string& path) {
  const Result<sys::Root> root = sys::Root::open(path);
  return root ? root->directories_in("").value_or(std::vector<std::string>{})
              : std::vector<std::string>{};
}

base::Fd open_directory(const std::string& path) {
  return base::Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

std::string_view to_string(StorageMethod method) {
  switch (method) {
    case StorageMethod::kNone:
      return "none";
    case StorageMethod::kWalk:
      return "walk";
    case StorageMethod::kQuota:
      return "quota";
  }
  return "";
}

std::string empty_dirs_of(const std::string& kubelet_root, const std::string& uid) {
  return volumes_of(kubelet_root, uid) + kPlugins[0].directory;
}

PodStorageMeter::PodStorageMeter(PodDirectories directories, Pace& pace)
    : directories_(std::move(directories)), pace_(pace) {
  if (const Result<sys::Root> root = sys::Root::open()) {
    mounts_ = sys::parse_mounts(root->read("/proc/self/mountinfo").value_or(std::string{}));
  }
  for (const std::string& name : directories_in(directories_.pod_logs)) {
    const std::size_t cut = name.rfind('_');
    if (cut != std::string::npos) {
      logs_.insert_or_assign(name.substr(cut + 1), directories_.pod_logs + "/" + name);
    }
  }
}

PodStorage PodStorageMeter::measure(const std::string& uid) {
  PodStorage storage;
  storage.uid = uid;
  storage.measured_at = base::SystemClock{}.now();
  for (const Plugin& plugin : kPlugins) {
    const std::string parent = volumes_of(directories_.kubelet_root, uid) + plugin.directory;
    for (const std::string& name : directories_in(parent)) {
      const std::string path = parent + "/" + name;
      const sys::Mount* mount = sys::mount_of(mounts_, path);
      eviction::Volume volume;
      volume.name = name;
      plugin.describe(volume, mount != nullptr && mount->point == path && mount->type == "tmpfs");
      storage.volumes.push_back(std::move(volume));
      storage.statistics.volumes.push_back({name, use_of(path, storage)});
    }
  }
  measure_logs(storage);
  return storage;
}

void PodStorageMeter::measure_logs(PodStorage& storage) {
  const auto found = logs_.find(storage.uid);
  if (found == logs_.end()) {
    return;
  }
  for (const std::string& container : directories_in(found->second)) {
    eviction::ContainerStatistics statistics;
    statistics.name = container;
    statistics.logs = use_of(found->second + "/" + container, storage);
    storage.statistics.containers.push_back(std::move(statistics));
  }
}

std::optional<std::uint32_t> PodStorageMeter::own_project(int directory) {
  const std::optional<std::uint32_t> project = project_of(directory);
  if (!project) {
    return std::nullopt;
  }
  const base::Fd parent(::openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent || project_of(parent.get()) == project) {
    return std::nullopt;
  }
  if (!claims_) {
    claims_ = read_claims();
  }
  return claims_->shared(directory, *project) ? std::nullopt : project;
}

ProjectClaims PodStorageMeter::read_claims() const {
  ProjectClaims claims;
  const auto add_all_in = [&](const std::string& parent) {
    for (const std::string& name : directories_in(parent)) {
      claims.add(open_directory(parent + "/" + name));
    }
  };
  for (const std::string& uid : directories_in(directories_.kubelet_root + "/pods")) {
    for (const Plugin& plugin : kPlugins) {
      add_all_in(volumes_of(directories_.kubelet_root, uid) + plugin.directory);
    }
  }
  for (const auto& [uid, logs] : logs_) {
    add_all_in(logs);
  }
  return claims;
}

eviction::StorageUse PodStorageMeter::use_of(const std::string& path, PodStorage& storage) {
  const base::Fd directory = open_directory(path);
  if (!directory) {
    return {};
  }
  if (const std::optional<std::uint32_t> project = own_project(directory.get())) {
    const sys::Mount* mount = sys::mount_of(mounts_, path);
    if (const std::optional<QuotaUsage> quota = quota_usage(
            directory.get(), *project, mount == nullptr ? std::string{} : mount->source)) {
      if (storage.method == StorageMethod::kNone) {
        storage.method = StorageMethod::kQuota;
      }
      return {quota->bytes, quota->inodes};
    }
  }
  storage.method = StorageMethod::kWalk;
  const Result<TreeUsage> usage = measure_tree(directory.get(), pace_);
  if (!usage) {
    storage.complete = false;
    return {};
  }
  storage.complete = storage.complete && usage->complete;
  storage.cut_short = storage.cut_short || usage->cut_short;
  return {usage->bytes, usage->inodes};
}

}  // namespace evictd::disk
