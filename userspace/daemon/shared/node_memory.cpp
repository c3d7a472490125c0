// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/node_memory.h"

#include <algorithm>
#include <cstdlib>

namespace evictd::daemon {

Watcher memory_watcher(const probe::Ladder& ladder, const eviction::MemoryRules& rules) {
  const probe::Purpose purpose = rules.source == eviction::MemorySource::kKubelet
                                     ? probe::Purpose::kNodeMemory
                                     : probe::Purpose::kNodeAvailable;
  if (ladder.chosen(purpose).empty()) {
    return Watcher::kPolling;
  }
  // Without its timer the kernel side sees neither the last steps of a batch nor a recovery.
  const bool alone =
      rules.follow_working_set() && !ladder.chosen(probe::Purpose::kSweepTimer).empty();
  return alone ? Watcher::kKernel : Watcher::kKernelAndPolling;
}

NodeMemory node_memory(const NodeUsage& node, const eviction::Observation& seen,
                       const eviction::MemoryRules& rules) {
  NodeMemory watched{.capacity = Bytes{seen.capacity}, .sum = Bytes{seen.capacity}};
  if (rules.follow_working_set()) {
    return watched;
  }
  watched.slack = kSumSlack;
  if (rules.source == eviction::MemorySource::kKubelet) {
    watched.sum = Bytes{seen.available +
                        std::max<std::int64_t>(0, node.usage.value - node.inactive_file.value)};
    return watched;
  }
  if (node.at_hand.value < 0) {
    return {};
  }
  watched.signal = probe::Signal::kNodeTaken;
  watched.sum = Bytes{probe::kNodeCeiling - node.at_hand.value + seen.available};
  return watched;
}

NodeMemory steadied(const NodeMemory& before, const NodeMemory& now) {
  NodeMemory moved = before;
  moved.sum = now.sum;
  const bool near = std::abs(now.sum.value - before.sum.value) < now.slack.value;
  return moved == now && near ? before : now;
}

}  // namespace evictd::daemon
