// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::config {

/// Bounds of the interval between two readings of a filesystem.
struct DiskSamplingSettings {
  Duration min = std::chrono::milliseconds(80);
  Duration max = std::chrono::seconds(10);

  bool operator==(const DiskSamplingSettings&) const = default;
};

/// How evictd measures the local storage of pods.
struct PodStorageSettings {
  /// Between two measurements of all pods while no disk threshold is met; the kubelet's default.
  Duration interval = std::chrono::minutes(1);
  /// Maximum number of directory entries a walk reads per second.
  std::int64_t entries_per_second = 100'000;
  /// How long a disk eviction waits for a new measurement.
  Duration max_wait = std::chrono::seconds(10);

  bool operator==(const PodStorageSettings&) const = default;
};

/// What evictd does with an evicted pod's emptyDir data once its last process has exited.
enum class EvictedPodData {
  kKeep,             ///< Leaves it to the kubelet.
  kRemoveEmptyDirs,  ///< Removes the contents.
};

/// A command that frees node-level resources; empty: none.
struct ReclaimCommand {
  std::vector<std::string> argv;
  Duration timeout = std::chrono::minutes(1);

  bool operator==(const ReclaimCommand&) const = default;
};

/// All disk settings. Keys and defaults are in docs/configuration.md.
struct StorageSettings {
  /// Each, if empty, is derived from the directories below.
  std::string node_fs_path;
  std::string image_fs_path;
  std::string container_fs_path;
  std::string kubelet_root_directory = "/var/lib/kubelet";
  std::string pod_logs_directory = "/var/log/pods";
  /// The first is evictd-kube's link to the paths that the runtime reports.
  std::vector<std::string> container_runtime_roots = {
      "/var/lib/evictd-kube/runtime", "/var/lib/containerd", "/var/lib/containers/storage",
      "/var/lib/docker"};
  bool local_storage_capacity_isolation = true;
  DiskSamplingSettings sampling;
  PodStorageSettings pods;
  EvictedPodData evicted_pod_data = EvictedPodData::kKeep;
  ReclaimCommand reclaim_containers;
  ReclaimCommand reclaim_images;

  bool operator==(const StorageSettings&) const = default;
};

}  // namespace evictd::config
