// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "disk/pace.h"
#include "disk/project_claims.h"
#include "disk/tree_usage.h"
#include "disk/writable_layers.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "eviction/pod.h"
#include "eviction/statistics.h"
#include "sys/mount_table.h"
#include "sys/root.h"

namespace evictd::disk {

/// How a pod's storage was measured.
enum class StorageMethod : std::uint8_t {
  kNone,   ///< It has nothing to measure.
  kWalk,   ///< Some of its files were counted by a walk.
  kQuota,  ///< Project quotas cover all of it.
};

/// "none", "walk", "quota".
[[nodiscard]] std::string_view to_string(StorageMethod method);

/// The kubelet's directories for pods.
struct PodDirectories {
  std::string kubelet_root;
  std::string pod_logs;
};

/// A pod to measure.
struct PodToMeasure {
  std::string uid;
  /// Its containers, for their writable layers.
  std::vector<ContainerPlace> containers;
};

/// Which parts of a pod's storage were counted completely.
struct MeasuredParts {
  bool volumes = true;
  bool logs = true;
  bool layers = true;

  [[nodiscard]] bool all() const { return volumes && logs && layers; }
};

/// Measured storage of one pod.
struct PodStorage {
  std::string uid;
  /// Containers by their logs and writable layers, and volumes by their directories.
  eviction::PodStatistics statistics;
  /// Volumes found by their directories; for a pod without a known manifest.
  std::vector<eviction::Volume> volumes;
  StorageMethod method = StorageMethod::kNone;
  /// When its measurement began.
  MonoTime measured_at{};
  MeasuredParts parts;
  /// False: some of it could not be counted; see `parts`.
  bool complete = true;
  /// Its share of the steps was used up: the numbers are lower bounds.
  bool cut_short = false;
};

/// Progress of the measurement of one pod. Holds no descriptor.
class PodWalk {
 public:
  /// The result so far.
  [[nodiscard]] const PodStorage& storage() const { return storage_; }
  /// Everything was visited.
  [[nodiscard]] bool done() const { return to_do_ == 0; }

 private:
  friend class PodStorageMeter;

  enum class Kind : std::uint8_t { kVolume, kLogs, kLayer };
  /// A directory to count.
  struct Part {
    Kind kind = Kind::kVolume;
    /// Below KUBELET_ROOT/pods or the directory of logs; absolute for a layer.
    std::string path;
    /// Index in PodStatistics::volumes or containers.
    std::size_t row = 0;
    bool done = false;
    /// Set once it is walked.
    std::unique_ptr<TreeWalk> tree{};
  };

  PodStorage storage_;
  void add(Part part);

  std::vector<Part> parts_;
  /// Parts that are not done.
  std::size_t to_do_ = 0;
};

/// Measures the storage of many pods. Every call blocks in file system calls.
class PodStorageMeter {
 public:
  PodStorageMeter(PodDirectories directories, Pace& pace);

  /// Reads the pods with logs, the mounts and the owners of the projects again.
  void refresh();

  /// Finds what to count for a pod: emptyDir, configMap and gitRepo volumes, logs, and writable
  /// layers. A missing part uses nothing.
  [[nodiscard]] PodWalk begin(const PodToMeasure& pod);
  /// Continues counting until the end, or until the pace requires to give up. The parts of the pod
  /// share the allowed steps, so that a part with many files does not hide another.
  void advance(PodWalk& walk);
  /// Measures a pod in one call.
  [[nodiscard]] PodStorage measure(const PodToMeasure& pod);

 private:
  void find_volumes(PodWalk& walk) const;
  void find_logs(PodWalk& walk) const;
  void find_layers(PodWalk& walk, const std::vector<ContainerPlace>& containers) const;
  /// Gives each part its share of the steps.
  void advance_parts(PodWalk& walk);
  void advance_part(PodStorage& storage, PodWalk::Part& part);
  [[nodiscard]] static bool& counted_of(PodStorage& storage, PodWalk::Kind kind);
  [[nodiscard]] static eviction::StorageUse& use_of(eviction::PodStatistics& statistics,
                                                    const PodWalk::Part& part);
  [[nodiscard]] base::Fd open_part(const PodWalk::Part& part) const;
  [[nodiscard]] std::string path_of(const PodWalk::Part& part) const;
  [[nodiscard]] std::optional<eviction::StorageUse> use_by_quota(const base::Fd& directory,
                                                                 const std::string& path);
  [[nodiscard]] base::Fd open_volumes(const std::string& below_pods) const;
  [[nodiscard]] base::Fd open_logs(const std::string& name) const;
  /// The project that only this directory has: neither its parent nor any other measured directory.
  [[nodiscard]] std::optional<std::uint32_t> own_project(int directory);
  /// Opens all volumes and logs of all pods.
  [[nodiscard]] ProjectClaims read_claims() const;

  PodDirectories directories_;
  Pace& pace_;
  std::optional<sys::Root> root_;
  /// KUBELET_ROOT/pods and the directory of logs. All files of pods are opened below these.
  base::Fd pods_;
  base::Fd pod_logs_;
  std::vector<sys::Mount> mounts_;
  /// uid to the name of its log directory: NAMESPACE_NAME_UID.
  std::map<std::string, std::string> logs_;
  /// Read once any directory has a project.
  std::optional<ProjectClaims> claims_;
  /// Shared by the walks.
  std::size_t linked_left_ = TreeWalk::kMostLinked;
};

/// Path of the emptyDir volumes of the pod `uid`, below KUBELET_ROOT/pods.
[[nodiscard]] std::string empty_dirs_below_pods(const std::string& uid);

/// Which emptyDir volumes to empty.
enum class VolumesOf : std::uint8_t {
  kAnyMedium,
  kMemory,  ///< Each has its own tmpfs.
};

/// Removes the contents of the emptyDir volumes of the pod `uid`, but not the volumes' own
/// directories. Follows no symbolic link and enters no mount below a volume. Stops in a volume if
/// one of its directories was moved meanwhile: its parent may then be anywhere. Returns the number
/// of removed entries. Errors: the first failed removal; the rest is removed nevertheless.
[[nodiscard]] Result<std::uint64_t> remove_empty_dir_data(const std::string& kubelet_root,
                                                          const std::string& uid, Pace& pace,
                                                          VolumesOf which = VolumesOf::kAnyMedium);

}  // namespace evictd::disk
