// SPDX-License-Identifier: Apache-2.0
#include "daemon/left_memory.h"

#include <algorithm>

#include "daemon/remains.h"
#include "eviction/hold.h"

namespace evictd::daemon {

Bytes left_behind(InFlightTable::Entry& entry, const CgroupUsage& usage) {
  const bool dead =
      entry.phase == InFlightTable::Phase::kReleased || entry.phase == InFlightTable::Phase::kOver;
  if (!entry.leaves_memory || !dead || usage.usage <= least_left_behind()) {
    return Bytes{0};
  }
  if (entry.left == InFlightTable::Left::kNothingSeen) {
    entry.left = InFlightTable::Left::kSeenAnew;
  }
  return usage.usage;
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

bool awaits_left(std::span<const eviction::ReleasingPod> releasing, MonoTime now) {
  return std::any_of(releasing.begin(), releasing.end(), [now](const auto& one) {
    return one.left.value > 0 && now - one.killed_at < eviction::kReleaseWait;
  });
}

}  // namespace evictd::daemon
