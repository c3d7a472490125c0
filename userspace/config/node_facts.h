// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evictd::config {

/// Known facts about the node that a configuration is meant for. Checks skip what is unset.
struct NodeFacts {
  std::optional<std::int64_t> memory_bytes;
  /// Size of the filesystem that holds the kubelet's directory.
  std::optional<std::int64_t> ephemeral_storage_bytes;
  std::optional<std::int64_t> nodefs_inodes;
  /// Size of the filesystem that holds images.
  std::optional<std::int64_t> imagefs_bytes;
  std::optional<std::int64_t> imagefs_inodes;
  /// Maximum number of tasks, the capacity of pid.available.
  std::optional<std::int64_t> max_pids;
  /// Growth of the memory of all pods together, bytes a second.
  std::optional<std::int64_t> pod_rate_bytes_per_second;
  /// Paths that evictd would write, where something other than a regular file exists.
  std::vector<std::string> irregular_files;
  /// Configured paths that do not exist: of filesystems, and of directories of manifests.
  std::vector<std::string> missing_paths;
  /// Why no pod root exists; empty if it exists or is not needed.
  std::string missing_pod_root;
  /// Why evictd cannot start at all; empty if it can.
  std::string missing_controller;
  /// Why no pod has a memory.high; empty if pods have one.
  std::string missing_memory_high;

  bool operator==(const NodeFacts&) const = default;
};

}  // namespace evictd::config
