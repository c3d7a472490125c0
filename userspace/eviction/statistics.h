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

/// Full statistics of one pod, down to its containers. Messages and local storage limits need them;
/// the ranking needs only the PodReading computed from them.
struct PodStatistics {
  std::vector<ContainerStatistics> containers;
  std::vector<VolumeStatistics> volumes;
  std::optional<std::uint64_t> working_set_bytes;
  std::optional<std::uint64_t> process_count;
  /// Bytes that count against the pod's ephemeral-storage limit.
  std::optional<std::uint64_t> ephemeral_bytes;
};

/// Disk usage of a pod, summed by kind. Units: bytes and inodes.
struct DiskReading {
  Wide root_bytes = 0;
  Wide root_inodes = 0;
  Wide log_bytes = 0;
  Wide log_inodes = 0;
  Wide volume_bytes = 0;
  Wide volume_inodes = 0;
};

/// State of a pod's statistics.
enum class ReadingState : std::uint8_t {
  kRead,
  kAbsent,      ///< The statistics lack the pod: it ranks first, as in the kubelet.
  kNotReadYet,  ///< Not requested yet: the pass waits for it and never ranks it.
};

/// Input of the ranking for one pod; unmeasured values are zero.
struct PodReading {
  ReadingState state = ReadingState::kNotReadYet;
  std::int64_t working_set_bytes = 0;
  std::int64_t processes = 0;
  DiskReading disk;
};

/// Names of the volumes that count as local storage, in the pod's order: hostPath, configMap,
/// gitRepo, and emptyDir on the default medium.
[[nodiscard]] std::vector<std::string> local_volume_names(const Pod& pod);

/// Sums up the statistics of a pod. Values above 2^63-1 wrap, as in the kubelet.
[[nodiscard]] PodReading reading_of(const PodStatistics& statistics, const Pod& pod);

}  // namespace evictd::eviction
