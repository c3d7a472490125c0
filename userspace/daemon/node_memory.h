// SPDX-License-Identifier: Apache-2.0
// How a crossing of the node's memory.available is noticed, by whom and at which level.
#pragma once

#include "daemon/watcher.h"
#include "evictd/bytes.h"
#include "evictd/usage.h"
#include "eviction/observation.h"
#include "probe/events.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// Of the node's memory.available.
[[nodiscard]] Watcher memory_watcher(const probe::Ladder& ladder,
                                     const eviction::MemoryRules& rules);

/// What a level of the kernel side is worked out from: memory.available is less than N once the
/// watched value is above `sum` - N.
struct NodeMemory {
  /// What thresholds in percent are of; -1 where the kernel side cannot watch.
  Bytes capacity{-1};
  probe::Signal signal = probe::Signal::kNodeWorkingSet;
  /// Watched value and memory.available together, as last seen.
  Bytes sum{-1};
  /// So far the sum may have moved unnoticed; 0 for one that stays.
  Bytes slack{0};

  bool operator==(const NodeMemory&) const = default;
};

/// A sum that has moved by less is not worth telling the kernel side: of MemAvailable it changes
/// with what the kernel keeps back of small caches, of swap with every page.
inline constexpr Bytes kSumSlack = Bytes{4 << 20};

/// From one reading and the signal as it was seen in it. Not to be watched (capacity -1) where the
/// reading lacks something.
[[nodiscard]] NodeMemory node_memory(const NodeUsage& node, const eviction::Observation& seen,
                                     const eviction::MemoryRules& rules);

/// `now`, or `before` while only the sum has moved and by less than the slack.
[[nodiscard]] NodeMemory steadied(const NodeMemory& before, const NodeMemory& now);

}  // namespace evictd::daemon
