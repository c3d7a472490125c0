// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evictd::config {

/// What is known of a node that a configuration is meant for; what is not known is not judged.
struct NodeFacts {
  std::optional<std::int64_t> memory_bytes;
  /// Of the filesystem that holds the kubelet's directory.
  std::optional<std::int64_t> ephemeral_storage_bytes;
  std::optional<std::int64_t> nodefs_inodes;
  /// Of the filesystem that holds images.
  std::optional<std::int64_t> imagefs_bytes;
  std::optional<std::int64_t> imagefs_inodes;
  /// Most tasks at a time, which pid.available is measured against.
  std::optional<std::int64_t> max_pids;
  /// How fast the memory of all pods together grows, bytes a second.
  std::optional<std::int64_t> pod_rate_bytes_per_second;
  /// Paths of files that evictd would write where something else than a regular file is.
  std::vector<std::string> irregular_files;
  /// Paths that are configured and are not there: of filesystems, and of directories of manifests.
  std::vector<std::string> missing_paths;
  /// Why there is no cgroup that holds pods; empty where there is one, or where none is needed.
  std::string missing_pod_root;
  /// Why evictd cannot start at all; empty where it can.
  std::string missing_controller;

  bool operator==(const NodeFacts&) const = default;
};

}  // namespace evictd::config
