// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pods_ahead.h"

#include <utility>

namespace evictd::daemon {

void PodsAhead::add(const PodOpener::Wanted& wanted, PodOpener::Opened opened) {
  const cluster::PodEntry& entry = *wanted.entry;
  pods_.insert_or_assign(entry.uid, Pod{.cgroup = *entry.cgroup,
                                        .state = entry.state,
                                        .standing = wanted.standing,
                                        .ready = {.opened = std::move(opened), .counters = {}}});
}

void PodsAhead::resolve_all(const Resolve& resolve) {
  for (auto& [uid, pod] : pods_) {
    pod.ready.counters = resolve(pod.cgroup);
  }
}

std::optional<PodsAhead::Ready> PodsAhead::take(const PodOpener::Wanted& wanted) {
  const auto found = pods_.find(wanted.entry->uid);
  if (found == pods_.end()) {
    return std::nullopt;
  }
  Pod& pod = found->second;
  const cluster::PodCgroup& before = pod.cgroup;
  const cluster::PodCgroup& now = *wanted.entry->cgroup;
  if (before.path != now.path || before.memory_id != now.memory_id ||
      before.pids_id != now.pids_id || before.containers != now.containers ||
      pod.state != wanted.entry->state || pod.standing != wanted.standing) {
    return std::nullopt;
  }
  Ready ready = std::move(pod.ready);
  pods_.erase(found);
  ready.opened.pod->slot = wanted.slot;
  return ready;
}

}  // namespace evictd::daemon
