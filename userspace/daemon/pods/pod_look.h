// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "daemon/hot/hot_pod.h"
#include "daemon/pods/pod_registry.h"
#include "daemon/state/adoption.h"
#include "enforce/intent.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// Whether the last run's state has an eviction of a pod.
enum class SavedLook : int { kNone, kSome };

/// Reads the processes of `pod`, which has a target, and what an evictd has left on its cgroup.
/// Reads all processes if an eviction of it is known, from its cgroup or `saved`. Otherwise reads
/// only enough to see that not all are dying. Uses the kept files; without them opens files and
/// closes them again. Leaves unset what the cgroup does not show (`saved`, `may_end`, `clock`).
/// Blocks: for housekeeping, and only while the hot thread does not have the pod.
[[nodiscard]] FoundPod inspect_pod(const HotPod& pod, const PodRegistry& registry, SavedLook saved,
                                   MonoTime now);

/// Reads only the intent, from its own files, so that the hot thread may have the pod. Blocks.
[[nodiscard]] std::optional<enforce::Intent> intent_of(const HotPod& pod,
                                                       const PodRegistry& registry);
/// Removes the intent. Blocks.
void clear_intent_of(const HotPod& pod, const PodRegistry& registry);

}  // namespace evictd::daemon
