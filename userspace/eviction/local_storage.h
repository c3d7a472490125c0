// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eviction/compat.h"
#include "eviction/disk_layout.h"
#include "eviction/pod.h"
#include "eviction/statistics.h"

namespace evictd::eviction {

/// Which limit on local storage a pod has exceeded.
enum class LocalLimit : std::uint8_t {
  kEmptyDir,   ///< sizeLimit of an emptyDir volume of any medium.
  kPod,        ///< The pod's effective ephemeral-storage limit.
  kContainer,  ///< A container's own ephemeral-storage limit.
};

/// Label of the eviction counter: "emptydirfs.limit", "ephemeralpodfs.limit",
/// "ephemeralcontainerfs.limit".
[[nodiscard]] std::string_view to_string(LocalLimit limit);

/// A limit that a pod exceeds.
struct LocalStorageBreach {
  LocalLimit limit = LocalLimit::kPod;
  /// Place in Pod::volumes or in PodStatistics::containers; 0 for kPod.
  std::size_t place = 0;

  bool operator==(const LocalStorageBreach&) const = default;
};

/// A pod to be evicted for local storage.
struct LocalStorageVictim {
  /// Place in PassInput::pods.
  std::size_t pod = 0;
  LocalStorageBreach breach;

  bool operator==(const LocalStorageVictim&) const = default;
};

/// A limit and the usage compared with it, in bytes.
struct LocalStorageAmounts {
  /// Name of the volume or the container; empty for the pod.
  std::string name;
  std::int64_t used = 0;
  std::int64_t limit = 0;

  bool operator==(const LocalStorageAmounts&) const = default;
};

/// The ephemeral-storage limit of the regular container `name`; null if unset or zero.
[[nodiscard]] const Quantity* container_ephemeral_limit(const Pod& pod, std::string_view name);

/// The first limit that the pod exceeds: emptyDir volumes in order, then the pod, then containers
/// in the order of their statistics. A container's writable layer counts only if images have no
/// filesystem of their own.
[[nodiscard]] std::optional<LocalStorageBreach> local_storage_breach(
    const Pod& pod, const PodStatistics& statistics, DiskLayout layout, Compat compat);

/// The amounts of a breach that was found with the same pod, statistics and layout.
[[nodiscard]] LocalStorageAmounts local_storage_amounts(const Pod& pod,
                                                        const PodStatistics& statistics,
                                                        LocalStorageBreach breach,
                                                        DiskLayout layout, Compat compat);

}  // namespace evictd::eviction
