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
    : directories_(std::move(directories)), pace_(pace) {
  if (Result<sys::Root> root = sys::Root::open()) {
    root_ = std::move(*root);
  }
  refresh();
}

void PodStorageMeter::refresh() {
  pods_ = open_configured(directories_.kubelet_root + "/pods");
  pod_logs_ = open_configured(directories_.pod_logs);
  mounts_ = root_ ? sys::parse_mounts(root_->read("/proc/self/mountinfo").value_or(std::string{}))
                  : std::vector<sys::Mount>{};
  logs_.clear();
  claims_.reset();
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

PodWalk PodStorageMeter::begin(const PodToMeasure& pod) {
  PodWalk walk;
  walk.storage_.uid = pod.uid;
  walk.storage_.measured_at = base::SystemClock{}.now();
  find_volumes(walk);
  find_logs(walk);
  find_layers(walk, pod.containers);
  walk.storage_.complete = walk.storage_.parts.all();
  return walk;
}

void PodStorageMeter::find_volumes(PodWalk& walk) const {
  PodStorage& storage = walk.storage_;
  for (const Plugin& plugin : kPlugins) {
    const std::string parent = volumes_of(storage.uid, plugin);
    const bool all = visit_directories(open_volumes(parent), [&](const std::string& name,
                                                                 const base::Fd& /*directory*/) {
      const std::string below = parent + "/" + name;
      const std::size_t row = storage.statistics.volumes.size();
      const std::string path = directories_.kubelet_root + "/pods/" + below;
      const sys::Mount* mount = sys::mount_of(mounts_, path);
      eviction::Volume volume;
      volume.name = name;
      plugin.describe(volume, mount != nullptr && mount->point == path && mount->type == "tmpfs");
      storage.volumes.push_back(std::move(volume));
      storage.statistics.volumes.push_back({name, {}});
      walk.add({.kind = PodWalk::Kind::kVolume, .path = below, .row = row});
    });
    storage.parts.volumes = storage.parts.volumes && all;
  }
}

void PodStorageMeter::find_logs(PodWalk& walk) const {
  PodStorage& storage = walk.storage_;
  const auto found = logs_.find(storage.uid);
  if (found == logs_.end()) {
    return;
  }
  storage.parts.logs = visit_directories(
      open_logs(found->second), [&](const std::string& name, const base::Fd& /*directory*/) {
        walk.add({.kind = PodWalk::Kind::kLogs,
                  .path = found->second + "/" + name,
                  .row = storage.statistics.containers.size()});
        storage.statistics.containers.push_back(
            {.name = name, .working_set_bytes = {}, .rootfs = {}, .logs = eviction::StorageUse{}});
      });
}

void PodStorageMeter::find_layers(PodWalk& walk,
                                  const std::vector<ContainerPlace>& containers) const {
  PodStorage& storage = walk.storage_;
  if (!root_) {
    storage.parts.layers = containers.empty();
    return;
  }
  std::vector<eviction::ContainerStatistics>& rows = storage.statistics.containers;
  WritableLayers layers = find_writable_layers(*root_, storage.uid, containers);
  storage.parts.layers = layers.complete;
  for (WritableLayer& layer : layers.all) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& container) {
      return container.name == layer.container && !container.rootfs;
    });
    const auto place = static_cast<std::size_t>(row - rows.begin());
    if (row == rows.end()) {
      rows.push_back({.name = layer.container, .working_set_bytes = {}, .rootfs = {}, .logs = {}});
    }
    rows[place].rootfs = eviction::StorageUse{};
    walk.add({.kind = PodWalk::Kind::kLayer, .path = std::move(layer.directory), .row = place});
  }
}

bool& PodStorageMeter::counted_of(PodStorage& storage, PodWalk::Kind kind) {
  switch (kind) {
    case PodWalk::Kind::kVolume:
      return storage.parts.volumes;
    case PodWalk::Kind::kLogs:
      return storage.parts.logs;
    case PodWalk::Kind::kLayer:
      break;
  }
  return storage.parts.layers;
}

eviction::StorageUse& PodStorageMeter::use_of(eviction::PodStatistics& statistics,
                                              const PodWalk::Part& part) {
  if (part.kind == PodWalk::Kind::kVolume) {
    return statistics.volumes[part.row].use;
  }
  eviction::ContainerStatistics& container = statistics.containers[part.row];
  std::optional<eviction::StorageUse>& use =
      part.kind == PodWalk::Kind::kLogs ? container.logs : container.rootfs;
  return use ? *use : use.emplace();
}

std::string PodStorageMeter::path_of(const PodWalk::Part& part) const {
  switch (part.kind) {
    case PodWalk::Kind::kVolume:
      return directories_.kubelet_root + "/pods/" + part.path;
    case PodWalk::Kind::kLogs:
      return directories_.pod_logs + "/" + part.path;
    case PodWalk::Kind::kLayer:
      return part.path;
  }
  return {};
}

base::Fd PodStorageMeter::open_part(const PodWalk::Part& part) const {
  switch (part.kind) {
    case PodWalk::Kind::kVolume:
      return open_volumes(part.path);
    case PodWalk::Kind::kLogs:
      return open_logs(part.path);
    case PodWalk::Kind::kLayer:
      // Where the runtime has it, in a directory of its own.
      return base::Fd(::open(part.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return {};
}

void PodWalk::add(Part part) {
  parts_.push_back(std::move(part));
  ++to_do_;
}

void PodStorageMeter::advance(PodWalk& walk) {
  // At least once: usage counted by the filesystem takes no step.
  do {
    advance_parts(walk);
  } while (!walk.done() && !pace_.given_up());
  PodStorage& storage = walk.storage_;
  storage.complete = storage.parts.all() && walk.done();
  storage.cut_short = !walk.done() && !pace_.cancelled();
}

void PodStorageMeter::advance_parts(PodWalk& walk) {
  for (PodWalk::Part& part : walk.parts_) {
    if (part.done) {
      continue;
    }
    const std::int64_t left = pace_.steps_left();
    const auto parts = static_cast<std::int64_t>(walk.to_do_);
    const std::int64_t share = left / parts + (left % parts == 0 ? 0 : 1);
    pace_.allow_steps(share);
    advance_part(walk.storage_, part);
    pace_.allow_steps(left - (share - pace_.steps_left()));
    if (part.done) {
      part.tree.reset();
      --walk.to_do_;
    }
  }
}

void PodStorageMeter::advance_part(PodStorage& storage, PodWalk::Part& part) {
  bool& counted = counted_of(storage, part.kind);
  eviction::StorageUse& use = use_of(storage.statistics, part);
  const base::Fd directory = open_part(part);
  if (!directory) {
    // A part that is gone meanwhile uses nothing.
    counted = counted && errno == ENOENT;
    use = {};
    part.done = true;
    return;
  }
  if (!part.tree) {
    if (const std::optional<eviction::StorageUse> told = use_by_quota(directory, path_of(part))) {
      storage.method =
          storage.method == StorageMethod::kNone ? StorageMethod::kQuota : storage.method;
      use = *told;
      part.done = true;
      return;
    }
    part.tree = std::make_unique<TreeWalk>(linked_left_);
  }
  storage.method = StorageMethod::kWalk;
  const Result<TreeUsage> usage = part.tree->advance(directory.get(), pace_);
  if (!usage) {
    counted = false;
    part.done = true;
    return;
  }
  use = {usage->bytes, usage->inodes};
  part.done = part.tree->done();
  counted = counted && (usage->complete || !part.done);
}

PodStorage PodStorageMeter::measure(const PodToMeasure& pod) {
  PodWalk walk = begin(pod);
  advance(walk);
  return walk.storage();
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

std::optional<eviction::StorageUse> PodStorageMeter::use_by_quota(const base::Fd& directory,
                                                                  const std::string& path) {
  const std::optional<std::uint32_t> project = own_project(directory.get());
  if (!project) {
    return std::nullopt;
  }
  const sys::Mount* mount = sys::mount_of(mounts_, path);
  const std::optional<QuotaUsage> quota =
      quota_usage(directory.get(), *project, mount == nullptr ? std::string{} : mount->source);
  return quota ? std::optional(eviction::StorageUse{quota->bytes, quota->inodes}) : std::nullopt;
}

}  // namespace evictd::disk
