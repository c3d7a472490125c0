// SPDX-License-Identifier: Apache-2.0
// Public messages, byte for byte as the kubelet writes them. Not called on the hot path.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "eviction/compat.h"
#include "eviction/local_storage.h"
#include "eviction/observation.h"
#include "eviction/pod.h"
#include "eviction/statistics.h"
#include "eviction/threshold_table.h"

namespace evictd::eviction {

/// Reason in an evicted pod's status and in its event.
inline constexpr std::string_view kEvictedReason = "Evicted";
/// Reason of the event on the node.
inline constexpr std::string_view kThresholdMetReason = "EvictionThresholdMet";
/// Reason and message of the event on a pod that exceeded its grace period.
inline constexpr std::string_view kExceededGraceReason = "ExceededGracePeriod";
inline constexpr std::string_view kExceededGraceMessage =
    "Container runtime did not kill the pod within specified grace period.";
/// Type of the condition that a kubelet sets on a victim; node pressure only, never for local
/// storage.
inline constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
/// Reason of the condition DisruptionTarget; node pressure only, never for local storage.
inline constexpr std::string_view kDisruptionReason = "TerminationByKubelet";

struct EvictionText {
  std::string message;
  /// offending_containers, offending_containers_usage, starved_resource; empty for a pod without
  /// statistics and for local storage.
  std::map<std::string, std::string> annotations;
};

/// Input of an eviction message.
struct EvictionStory {
  Resource resource = Resource::kMemory;
  const Pod& pod;
  /// Null if the pod has none.
  const PodStatistics* statistics = nullptr;
  const ThresholdTable& thresholds;
  /// The thresholds in the order of action; the message names the first one on `resource`.
  const ThresholdList& actionable;
  const Observations& observations;
};

[[nodiscard]] EvictionText eviction_text(const EvictionStory& story, Compat compat);

/// "Usage of EmptyDir volume ... ", "Pod ephemeral local storage usage ... " or "Container ... ".
[[nodiscard]] std::string local_storage_text(const Pod& pod, const PodStatistics& statistics,
                                             LocalStorageBreach breach, Compat compat);

/// "Attempting to reclaim memory", the event on the node.
[[nodiscard]] std::string threshold_met_text(Resource resource);

/// "The node had condition: [DiskPressure MemoryPressure]. "
[[nodiscard]] std::string admission_text(ConditionSet conditions);

}  // namespace evictd::eviction
