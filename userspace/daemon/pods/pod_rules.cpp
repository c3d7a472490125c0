// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pod_rules.h"

#include <chrono>

namespace evictd::daemon {

enforce::Protection protection_of(const cluster::PodEntry& entry, const eviction::PodFacts& facts) {
  if (facts.is_static) {
    return enforce::Protection::kStatic;
  }
  if (facts.is_mirror) {
    return enforce::Protection::kMirror;
  }
  if (facts.is_critical) {
    return enforce::Protection::kCritical;
  }
  if (facts.never_evict) {
    return enforce::Protection::kNeverEvict;
  }
  return entry.state == cluster::PodState::kUnknown ? enforce::Protection::kUnknown
                                                    : enforce::Protection::kNone;
}

bool is_below_pod_root(const cluster::PodCgroup& cgroup, std::string_view pod_root) {
  const std::string_view path = cgroup.path;
  return !cgroup.external_rule || (!pod_root.empty() && path.size() > pod_root.size() &&
                                   path.starts_with(pod_root) && path[pod_root.size()] == '/');
}

std::int64_t seconds_of(const std::optional<WallTime>& created_at) {
  return created_at
             ? std::chrono::duration_cast<std::chrono::seconds>(created_at->time_since_epoch())
                   .count()
             : 0;
}

}  // namespace evictd::daemon
