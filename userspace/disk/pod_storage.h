// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "disk/pace.h"
#include "disk/project_claims.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "eviction/pod.h"
#include "eviction/statistics.h"
#include "sys/mount_table.h"

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

/// What was found of one pod.
struct PodStorage {
  std::string uid;
  /// Containers by their logs, and volumes by their directories. Writable layers are not in it:
  /// only the container runtime knows whose they are.
  eviction::PodStatistics statistics;
  /// Volumes as their directories show them; for a pod whose manifest is not known.
  std::vector<eviction::Volume> volumes;
  StorageMethod method = StorageMethod::kNone;
  /// When its measurement began.
  MonoTime measured_at{};
  /// False: something of it could not be counted.
  bool complete = true;
  /// Its part of the steps was used up: at least so much is there.
  bool cut_short = false;
};

/// One look at the storage of many pods.
class PodStorageMeter {
 public:
  /// Reads which pods have logs, and the mounts. Blocks in file system calls, as all of it does.
  PodStorageMeter(PodDirectories directories, Pace& pace);

  /// emptyDir, configMap and gitRepo volumes and the logs of the pod `uid`. What is not there takes
  /// nothing.
  [[nodiscard]] PodStorage measure(const std::string& uid);

 private:
  void measure_logs(PodStorage& storage);
  [[nodiscard]] eviction::StorageUse use_of(const std::string& path, PodStorage& storage);
  /// The project that the directory has for itself: the one above does not have it, nor does
  /// anything else that is measured.
  [[nodiscard]] std::optional<std::uint32_t> own_project(int directory);
  /// Opens all volumes and logs of all pods.
  [[nodiscard]] ProjectClaims read_claims() const;

  PodDirectories directories_;
  Pace& pace_;
  std::vector<sys::Mount> mounts_;
  /// uid to the directory of its logs: NAMESPACE_NAME_UID.
  std::map<std::string, std::string> logs_;
  /// Read once anything has a project.
  std::optional<ProjectClaims> claims_;
};

/// Where the emptyDir volumes of the pod `uid` are.
[[nodiscard]] std::string empty_dirs_of(const std::string& kubelet_root, const std::string& uid);

/// Of which emptyDir volumes data is removed.
enum class VolumesOf : std::uint8_t {
  kAnyMedium,
  kMemory,  ///< A tmpfs of its own each.
};

/// Removes what is in the emptyDir volumes of the pod `uid` and leaves their own directories.
/// Follows no symbolic link and enters no mount below a volume. Answers how many entries it
/// removed. Errors: the first that any removal gave; the rest is removed all the same.
[[nodiscard]] Result<std::uint64_t> remove_empty_dir_data(const std::string& kubelet_root,
                                                          const std::string& uid, Pace& pace,
                                                          VolumesOf which = VolumesOf::kAnyMedium);

}  // namespace evictd::disk
