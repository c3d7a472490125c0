// SPDX-License-Identifier: Apache-2.0
// The inactive file cache of a cgroup comes from per-CPU statistics that the kernel flushes every
// 2 s, and at once for a reader. The cost of an immediate flush grows with the number of cgroups
// and CPUs. evictd pays it only if fresh statistics can change a decision.
#pragma once

#include "evictd/bytes.h"
#include "evictd/usage.h"
#include "eviction/observation.h"
#include "eviction/threshold_table.h"

namespace evictd::eviction {

/// Whether fresher statistics can change the decision of a pass. Minimum reclaim counts. Two cases:
/// - A threshold of allocatableMemory.available would be met if none of `pod_root`'s usage were
///   inactive file cache. The usage is exact, but all of that cache may have become active since.
/// - A threshold of memory.available is met in `seen`: pods are then ranked by working set. The
///   node's own numbers do not come from these statistics.
[[nodiscard]] bool lazy_statistics_matter(const ThresholdTable& thresholds,
                                          const Observations& seen, const CgroupUsage& pod_root);

/// Error bound, in both directions, of allocatableMemory.available due to old statistics. The true
/// inactive file cache is between zero and the charged bytes, and at most the node's, which is
/// always current.
[[nodiscard]] Bytes lazy_error(const CgroupUsage& pod_root, const NodeUsage& node);

}  // namespace evictd::eviction
