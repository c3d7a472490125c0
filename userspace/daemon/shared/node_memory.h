// SPDX-License-Identifier: Apache-2.0
// How a crossing of the node's memory.available is noticed, by whom and at which level.
#pragma once

#include "daemon/shared/watcher.h"
#include "evictd/bytes.h"
#include "evictd/usage.h"
#include "eviction/observation.h"
#include "probe/events.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// Who notices crossings of the node's memory.available.
[[nodiscard]] Watcher memory_watcher(const probe::Ladder& ladder,
                                     const eviction::MemoryRules& rules);

/// The basis of the kernel side's levels: memory.available is below N once the watched value
/// exceeds `sum` - N.
struct NodeMemory {
  /// The capacity for thresholds in percent; -1 if the kernel side cannot watch.
  Bytes capacity{-1};
  probe::Signal signal = probe::Signal::kNodeWorkingSet;
  /// Sum of the watched value and memory.available, as last observed.
  Bytes sum{-1};
  /// By how much the sum may have moved unnoticed; 0 for a constant sum.
  Bytes slack{0};

  bool operator==(const NodeMemory&) const = default;
};

/// A smaller change of the sum is not reported to the kernel side. With MemAvailable the sum
/// changes with what the kernel keeps back of small caches, with swap on every page.
inline constexpr Bytes kSumSlack = Bytes{4 << 20};

/// Computed from one reading and the signal observed in it. Has capacity -1, not to be watched, if
/// the reading lacks a value.
[[nodiscard]] NodeMemory node_memory(const NodeUsage& node, const eviction::Observation& seen,
                                     const eviction::MemoryRules& rules);

/// `now`, or `before` if only the sum has moved, and by less than the slack.
[[nodiscard]] NodeMemory steadied(const NodeMemory& before, const NodeMemory& now);

}  // namespace evictd::daemon
