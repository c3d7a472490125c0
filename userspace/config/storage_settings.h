// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::config {

/// Bounds of the interval at which filesystems are asked how full they are.
struct DiskSamplingSettings {
  Duration min = std::chrono::milliseconds(80);
  Duration max = std::chrono::seconds(10);

  bool operator==(const DiskSamplingSettings&) const = default;
};

/// Everything about disks. Keys and defaults are in docs/configuration.md.
struct StorageSettings {
  /// Each empty: found from the directories below.
  std::string node_fs_path;
  std::string image_fs_path;
  std::string container_fs_path;
  std::string kubelet_root_directory = "/var/lib/kubelet";
  std::vector<std::string> container_runtime_roots = {
      "/var/lib/containerd", "/var/lib/containers/storage", "/var/lib/docker"};
  DiskSamplingSettings sampling;

  bool operator==(const StorageSettings&) const = default;
};

}  // namespace evictd::config
