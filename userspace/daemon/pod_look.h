// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "daemon/adoption.h"
#include "daemon/hot_pod.h"
#include "daemon/pod_registry.h"
#include "enforce/intent.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// Whether the last run's state has an eviction of a pod.
enum class SavedLook : int { kNone, kSome };

/// Looks at the processes of `pod`, which has a target, and reads what an evictd has left on its
/// cgroup: at all of them where an eviction of it is known, by its cgroup or by `saved`, else at so
/// many as tell that not all are dying. From the files that are kept of it, and where none are,
/// from some that are opened for this and closed again. What is not to be seen of it (`saved`,
/// `may_end`, `clock`) is left unset. Blocks: for housekeeping, and while the hot thread does not
/// have the pod.
[[nodiscard]] FoundPod look_at_pod(const HotPod& pod, const PodRegistry& registry, SavedLook saved,
                                   MonoTime now);

/// The intent alone, from files of its own, also while the hot thread has the pod. Blocks.
[[nodiscard]] std::optional<enforce::Intent> intent_of(const HotPod& pod,
                                                       const PodRegistry& registry);
/// Removes it. Blocks.
void clear_intent_of(const HotPod& pod, const PodRegistry& registry);

}  // namespace evictd::daemon
