// SPDX-License-Identifier: Apache-2.0
// Inactive file cache of a cgroup comes from statistics that the kernel gathers from the CPUs every
// 2 s, and at once for who reads them. What it costs to have them at once grows with the cgroups
// and the CPUs, so that it is worth its time only where they can change a decision.
#pragma once

#include "evictd/bytes.h"
#include "evictd/usage.h"
#include "eviction/observation.h"
#include "eviction/threshold_table.h"

namespace evictd::eviction {

/// Whether statistics of any age can change what a pass decides. They can where a threshold of
/// allocatableMemory.available would be met if none of `pod_root`'s usage, which is exact, were
/// inactive file cache: nothing keeps all of it from having become active since. They can where a
/// threshold of memory.available is met as `seen`, because pods are ranked by their working sets
/// then; the node's own numbers are none of these statistics. Minimum reclaim is counted in.
[[nodiscard]] bool lazy_statistics_matter(const ThresholdTable& thresholds,
                                          const Observations& seen, const CgroupUsage& pod_root);

/// By how much allocatableMemory.available of this reading may be wrong either way for the age of
/// its statistics: from no inactive file cache at all to as much as is charged, and no more than
/// the node has, which is counted as it changes.
[[nodiscard]] Bytes lazy_error(const CgroupUsage& pod_root, const NodeUsage& node);

}  // namespace evictd::eviction
