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

/// By what a pod's storage was measured.
enum class StorageMethod : std::uint8_t {
  kNone,   ///< It has nothing to measure.
  kWalk,   ///< Files of it were counted.
  kQuota,  ///< The filesystem counts all of it.
};

/// "none", "walk", "quota".
[[nodiscard]] std::string_view to_string(StorageMethod method);

/// Where the kubelet keeps what belongs to pods.
struct PodDirectories {
  std::string kubelet_root;
  std::string pod_logs;
};

/// A pod that is to be measured.
struct PodToMeasure {
  std::string uid;
  /// Its containers, for their writable layers.
  std::vector<ContainerPlace> containers;
};

/// Which parts of a pod's storage were counted to their end.
struct MeasuredParts {
  bool volumes = true;
  bool logs = true;
  bool layers = true;

  [[nodiscard]] bool all() const { return volumes && logs && layers; }
};

/// What was found of one pod.
struct PodStorage {
  std::string uid;
  /// Containers by their logs and writable layers, and volumes by their directories.
  eviction::PodStatistics statistics;
  /// Volumes as their directories show them; for a pod whose manifest is not known.
  std::vector<eviction::Volume> volumes;
  StorageMethod method = StorageMethod::kNone;
  /// When its measurement began.
  MonoTime measured_at{};
  MeasuredParts parts;
  /// False: something of it could not be counted, `parts` say of what.
  bool complete = true;
  /// Its part of the steps was used up: at least so much is there.
  bool cut_short = false;
};

/// How far the measurement of one pod has come. Holds no descriptor.
class PodWalk {
 public:
  /// All that was found so far.
  [[nodiscard]] const PodStorage& storage() const { return storage_; }
  /// All of it was looked at.
  [[nodiscard]] bool done() const { return to_do_ == 0; }

 private:
  friend class PodStorageMeter;

  enum class Kind : std::uint8_t { kVolume, kLogs, kLayer };
  /// A directory that counts.
  struct Part {
    Kind kind = Kind::kVolume;
    /// Below KUBELET_ROOT/pods or the directory of logs; absolute for a layer.
    std::string path;
    /// Of its row in PodStatistics::volumes or containers.
    std::size_t row = 0;
    bool done = false;
    /// Once it is walked.
    std::unique_ptr<TreeWalk> tree{};
  };

  PodStorage storage_;
  void add(Part part);

  std::vector<Part> parts_;
  /// Parts that are not done.
  std::size_t to_do_ = 0;
};

/// Looks at the storage of many pods.
class PodStorageMeter {
 public:
  /// Blocks in file system calls, as all of it does.
  PodStorageMeter(PodDirectories directories, Pace& pace);

  /// Reads anew which pods have logs, the mounts, and whose the projects are.
  void refresh();

  /// Looks what there is to be counted of a pod: emptyDir, configMap and gitRepo volumes, logs, and
  /// writable layers. What is not there takes nothing.
  [[nodiscard]] PodWalk begin(const PodToMeasure& pod);
  /// Goes on counting, until the end or until the pace says to give up. Where it allows so many
  /// steps, the parts of the pod share them: one with many files does not hide another.
  void advance(PodWalk& walk);
  /// A pod in one go.
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
  /// The project that the directory has for itself: the one above does not have it, nor does
  /// anything else that is measured.
  [[nodiscard]] std::optional<std::uint32_t> own_project(int directory);
  /// Opens all volumes and logs of all pods.
  [[nodiscard]] ProjectClaims read_claims() const;

  PodDirectories directories_;
  Pace& pace_;
  std::optional<sys::Root> root_;
  /// KUBELET_ROOT/pods and the directory of logs; what is of a pod is opened from there, and never
  /// outside of it.
  base::Fd pods_;
  base::Fd pod_logs_;
  std::vector<sys::Mount> mounts_;
  /// uid to the name of the directory of its logs: NAMESPACE_NAME_UID.
  std::map<std::string, std::string> logs_;
  /// Read once anything has a project.
  std::optional<ProjectClaims> claims_;
  /// Shared by the walks.
  std::size_t linked_left_ = TreeWalk::kMostLinked;
};

/// Where the emptyDir volumes of the pod `uid` are, below KUBELET_ROOT/pods.
[[nodiscard]] std::string empty_dirs_below_pods(const std::string& uid);

/// Of which emptyDir volumes data is removed.
enum class VolumesOf : std::uint8_t {
  kAnyMedium,
  kMemory,  ///< A tmpfs of its own each.
};

/// Removes what is in the emptyDir volumes of the pod `uid` and leaves their own directories.
/// Follows no symbolic link and enters no mount below a volume. Stops in a volume of which a
/// directory was moved meanwhile: the way back up may lead anywhere. Answers how many entries it
/// removed. Errors: the first that any removal gave; the rest is removed all the same.
[[nodiscard]] Result<std::uint64_t> remove_empty_dir_data(const std::string& kubelet_root,
                                                          const std::string& uid, Pace& pace,
                                                          VolumesOf which = VolumesOf::kAnyMedium);

}  // namespace evictd::disk
