// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cluster/pod_cgroup.h"
#include "cluster/pod_table.h"
#include "enforce/protection.h"
#include "evictd/time.h"
#include "eviction/pod_facts.h"

namespace evictd::daemon {

/// Why the actuator must refuse this pod whatever the pass decides.
[[nodiscard]] enforce::Protection protection_of(const cluster::PodEntry& entry,
                                                const eviction::PodFacts& facts);

/// Whether memory of `cgroup` is charged to the pod root at path `pod_root`, "" for none. A glob
/// may match a cgroup there that is no pod of Kubernetes.
[[nodiscard]] bool is_below_pod_root(const cluster::PodCgroup& cgroup, std::string_view pod_root);

/// Seconds since the epoch, for HotPod::created_at_s; 0 for unknown.
[[nodiscard]] std::int64_t seconds_of(const std::optional<WallTime>& created_at);

}  // namespace evictd::daemon
