// SPDX-License-Identifier: Apache-2.0
#include "engine/left_memory.h"

#include <algorithm>

namespace evictd::engine {

Bytes left_behind(Victim& victim, const CgroupUsage& usage, Bytes least) {
  const bool dead = victim.phase == VictimPhase::kReleased || victim.phase == VictimPhase::kOver;
  const Bytes left = usage.has_memory() ? usage.working_set() : Bytes{0};
  if (!victim.leaves_memory || !dead || left <= least) {
    return Bytes{0};
  }
  if (victim.left == Left::kNothingSeen) {
    victim.left = Left::kSeenAnew;
  }
  return left;
}

void add_left(const Victim& victim, Bytes left, std::vector<eviction::ReleasingPod>& releasing) {
  if (left.value > 0) {
    releasing.push_back({.killed_at = victim.killed_at,
                         .memory = Bytes{0},
                         .tasks = 0,
                         .disk = Bytes{0},
                         .inodes = 0,
                         .below_pod_root = victim.below_pod_root,
                         .left = left});
  }
}

bool any_left(std::span<const eviction::ReleasingPod> releasing) {
  return std::any_of(releasing.begin(), releasing.end(),
                     [](const auto& one) { return one.left.value > 0; });
}

}  // namespace evictd::engine
