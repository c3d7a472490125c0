// SPDX-License-Identifier: Apache-2.0
#include "disk/pod_storage.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "base/system_clock.h"
#include "disk/beneath.h"
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

/// Below KUBELET_ROOT/pods.
std::string volumes_of(const std::string& uid, const Plugin& plugin) {
  return uid + "/volumes/" + plugin.directory;
}

/// Empty where the configured directory is not there; it may be a symbolic link.
base::Fd open_configured(const std::string& path) {
  return base::Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Calls `visit` with name and descriptor of each directory in `parent`, in order of their names.
/// False where one of them, or the list, could not be read.
template <typename Visit>
bool visit_directories(const base::Fd& parent, const Visit& visit) {
  if (!parent) {
    return errno == ENOENT || errno == EBADF;
  }
  Names names = names_in(parent.get());
  std::sort(names.all.begin(), names.all.end());
  bool all = names.failure == 0;
  for (const std::string& name : names.all) {
    const base::Fd directory = open_beneath(parent.get(), name, Mounts::kEntered);
    if (directory) {
      visit(name, directory);
    } else {
      // Not a directory, or gone.
      all = all && (errno == ENOTDIR || errno == ELOOP || errno == ENOENT);
    }
  }
  return all;
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

std::string empty_dirs_below_pods(const std::string& uid) {
  return volumes_of(uid, kPlugins[0]);
}

PodStorageMeter::PodStorageMeter(PodDirectories directories, Pace& pace)
    : directories_(std::move(directories)),
      pace_(pace),
      pods_(open_configured(directories_.kubelet_root + "/pods")),
      pod_logs_(open_configured(directories_.pod_logs)) {
  if (const Result<sys::Root> root = sys::Root::open()) {
    mounts_ = sys::parse_mounts(root->read("/proc/self/mountinfo").value_or(std::string{}));
  }
  if (!pod_logs_) {
    return;
  }
  for (std::string& name : names_in(pod_logs_.get()).all) {
    const std::size_t cut = name.rfind('_');
    if (cut != std::string::npos) {
      std::string uid = name.substr(cut + 1);
      logs_.insert_or_assign(std::move(uid), std::move(name));
    }
  }
}

base::Fd PodStorageMeter::open_volumes(const std::string& below_pods) const {
  return open_beneath(pods_.get(), below_pods, Mounts::kEntered);
}

base::Fd PodStorageMeter::open_logs(const std::string& name) const {
  return open_beneath(pod_logs_.get(), name, Mounts::kEntered);
}

PodStorage PodStorageMeter::measure(const std::string& uid) {
  PodStorage storage;
  storage.uid = uid;
  storage.measured_at = base::SystemClock{}.now();
  for (const Plugin& plugin : kPlugins) {
    const std::string parent =
        directories_.kubelet_root + "/pods/" + volumes_of(uid, plugin) + "/";
    const bool all = visit_directories(
        open_volumes(volumes_of(uid, plugin)), [&](const std::string& name, const base::Fd& directory) {
          const std::string path = parent + name;
          const sys::Mount* mount = sys::mount_of(mounts_, path);
          eviction::Volume volume;
          volume.name = name;
          plugin.describe(volume,
                          mount != nullptr && mount->point == path && mount->type == "tmpfs");
          storage.volumes.push_back(std::move(volume));
          storage.statistics.volumes.push_back({name, use_of(directory, path, storage)});
        });
    storage.complete = storage.complete && all;
  }
  measure_logs(storage);
  return storage;
}

void PodStorageMeter::measure_logs(PodStorage& storage) {
  const auto found = logs_.find(storage.uid);
  if (found == logs_.end()) {
    return;
  }
  const std::string parent = directories_.pod_logs + "/" + found->second + "/";
  const bool all = visit_directories(
      open_logs(found->second), [&](const std::string& name, const base::Fd& directory) {
        eviction::ContainerStatistics statistics;
        statistics.name = name;
        statistics.logs = use_of(directory, parent + name, storage);
        storage.statistics.containers.push_back(std::move(statistics));
      });
  storage.complete = storage.complete && all;
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
  const auto add = [&](const std::string& /*name*/, const base::Fd& directory) {
    claims.add(directory);
  };
  if (pods_) {
    for (const std::string& uid : names_in(pods_.get()).all) {
      for (const Plugin& plugin : kPlugins) {
        static_cast<void>(visit_directories(open_volumes(volumes_of(uid, plugin)), add));
      }
    }
  }
  for (const auto& [uid, logs] : logs_) {
    static_cast<void>(visit_directories(open_logs(logs), add));
  }
  return claims;
}

eviction::StorageUse PodStorageMeter::use_of(const base::Fd& directory, const std::string& path,
                                             PodStorage& storage) {
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
