// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eviction/pod.h"

namespace evictd::eviction {

/// Bytes and inodes in use by one thing.
struct StorageUse {
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> inodes;
};

struct ContainerStatistics {
  std::string name;
  std::optional<std::uint64_t> working_set_bytes;
  /// Its writable layer.
  std::optional<StorageUse> rootfs;
  std::optional<StorageUse> logs;
};

struct VolumeStatistics {
  std::string name;
  StorageUse use;
};

/// Everything known of one pod's usage, down to its containers. Texts and local storage limits need
/// it; the ranking of a pass needs only the PodReading made from it.
struct PodStatistics {
  std::vector<ContainerStatistics> containers;
  std::vector<VolumeStatistics> volumes;
  std::optional<std::uint64_t> working_set_bytes;
  std::optional<std::uint64_t> process_count;
  /// Bytes of everything that counts against the pod's ephemeral-storage limit.
  std::optional<std::uint64_t> ephemeral_bytes;
};

/// Disk usage of a pod by what it belongs to, added up. Units: bytes and inodes.
struct DiskReading {
  Wide root_bytes = 0;
  Wide root_inodes = 0;
  Wide log_bytes = 0;
  Wide log_inodes = 0;
  Wide volume_bytes = 0;
  Wide volume_inodes = 0;
};

/// What is known of a pod's statistics.
enum class ReadingState : std::uint8_t {
  kRead,
  kAbsent,  ///< The source of statistics has none for it: it ranks first, as the kubelet has it.
  kNotReadYet,  ///< Nobody has asked yet: it is waited for and never ranked.
};

/// What ranking needs of one pod; everything is zero where it was not measured.
struct PodReading {
  ReadingState state = ReadingState::kNotReadYet;
  std::int64_t working_set_bytes = 0;
  std::int64_t processes = 0;
  DiskReading disk;
};

/// Names of the volumes that count as local storage, in the pod's order: hostPath, configMap,
/// gitRepo, and emptyDir on the default medium.
[[nodiscard]] std::vector<std::string> local_volume_names(const Pod& pod);

/// Adds up the statistics of a pod. Amounts above 2^63-1 wrap, as the kubelet's do.
[[nodiscard]] PodReading reading_of(const PodStatistics& statistics, const Pod& pod);

}  // namespace evictd::eviction
