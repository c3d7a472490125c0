// SPDX-License-Identifier: Apache-2.0
#include "daemon/left_memory.h"

#include <algorithm>

#include "daemon/remains.h"

namespace evictd::daemon {

Bytes left_behind(InFlightTable::Entry& entry, const CgroupUsage& usage) {
  const bool dead =
      entry.phase == InFlightTable::Phase::kReleased || entry.phase == InFlightTable::Phase::kOver;
  const Bytes left = usage.has_memory() ? usage.working_set() : Bytes{0};
  if (!entry.leaves_memory || !dead || left <= least_left_behind()) {
    return Bytes{0};
  }
  if (entry.left == InFlightTable::Left::kNothingSeen) {
    entry.left = InFlightTable::Left::kSeenAnew;
  }
  return left;
}

void add_left(const InFlightTable::Entry& entry, Bytes left,
              std::vector<eviction::ReleasingPod>& releasing) {
  if (left.value > 0) {
    releasing.push_back({.killed_at = entry.killed_at,
                         .memory = Bytes{0},
                         .tasks = 0,
                         .disk = Bytes{0},
                         .inodes = 0,
                         .below_pod_root = entry.below_pod_root,
                         .left = left});
  }
}

bool any_left(std::span<const eviction::ReleasingPod> releasing) {
  return std::any_of(releasing.begin(), releasing.end(),
                     [](const auto& one) { return one.left.value > 0; });
}

}  // namespace evictd::daemon
