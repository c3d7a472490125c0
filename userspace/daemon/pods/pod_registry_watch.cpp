// SPDX-License-Identifier: Apache-2.0
// What the registry has the kernel side watch: the roots, and each pod.
#include <algorithm>
#include <utility>

#include "daemon/pods/pod_registry.h"
#include "evictd/try.h"

namespace evictd::daemon {

Result<> PodRegistry::open_places() {
  const cluster::PlaceRules& rules = tree_.rules();
  Result<> opened = places_.open({.pod_root = tree_.pod_root(),
                                  .pod_roots = rules.pod_roots(),
                                  .external = rules.external_pods()});
  followed_root_ = root_ids();
  needs_pod_root_ = rules.external_pods().empty() || !tree_.pod_root().empty();
  return opened;
}

std::pair<CgroupId, CgroupId> PodRegistry::root_ids() const {
  return {tree_.pod_root_id(), places_.pids_id(tree_.pod_root())};
}

void PodRegistry::follow_places() {
  const std::vector<std::string> others = places_.follow(tree_.look_for_root());
  // Failed steps are retried although nothing changed since: no event would report success.
  if (probe_ != nullptr && (roots_unset_ || !others.empty())) {
    roots_unset_ = !probe_->set_roots(places_.ids());
    counters_.open_failures += roots_unset_ ? 1 : 0;
  }
  if (others.empty()) {
    return;
  }
  roots_untold_ = true;
  ahead_.clear();
  // Also a pod whose own cgroup is unchanged must be reached from the other directory.
  for (const auto& [uid, placed] : placed_) {
    const cluster::PodCgroup* pod = tree_.find(uid);
    if (pod != nullptr && std::any_of(others.begin(), others.end(), [&](const std::string& path) {
          return pod->path.starts_with(path + "/");
        })) {
      touched_.insert(uid);
    }
  }
}

bool PodRegistry::follow_pod_root() {
  const std::pair<CgroupId, CgroupId> now = root_ids();
  if (std::exchange(followed_root_, now) == now) {
    return false;
  }
  // A pod root that existed once is needed, even if globs were enough before.
  needs_pod_root_ = needs_pod_root_ || !tree_.pod_root().empty();
  known_of_root_ = {};
  if (probe_ != nullptr) {
    counters_.open_failures += probe_->unwatch(kPodRootSlot) ? 0 : 1;
    watch_pod_root();
  }
  return true;
}

std::optional<std::vector<CgroupId>> PodRegistry::take_changed_roots() {
  if (!std::exchange(roots_untold_, false)) {
    return std::nullopt;
  }
  return places_.ids();
}

Result<> PodRegistry::attach(probe::Probe& probe) {
  probe_ = &probe;
  return watch_roots();
}

Result<> PodRegistry::watch_roots() {
  const std::vector<CgroupId> ids = places_.ids();
  EVICTD_TRY(probe_->set_roots(ids));
  watch_pod_root();
  return {};
}

void PodRegistry::watch_pod_root() {
  if (tree_.pod_root().empty()) {
    return;
  }
  cluster::PodCgroup root;
  root.path = tree_.pod_root();
  root.memory_id = tree_.pod_root_id();
  if (const auto& pids = tree_.layout().pids()) {
    root.pids_id = sys::cgroup_id(*options_.root, *pids, root.path).value_or(CgroupId{});
  }
  // Their absence matters: on v2 a controller may come after its cgroup. On v1 there is no
  // directory then.
  known_of_root_.memory = true;
  known_of_root_.tasks = known_of_root_.tasks || root.pids_id;
  static_cast<void>(watch_known(kPodRootSlot, root, resolve(root), known_of_root_));
}

bool PodRegistry::watch_known(std::uint32_t slot, const cluster::PodCgroup& cgroup,
                              const Result<probe::PodCounters>& counters, KnownCounters& known) {
  if (!watch(slot, cgroup, counters)) {
    ++counters_.open_failures;
    return false;
  }
  const KnownCounters found = KnownCounters::of(*counters);
  if (known.doubted && known.are_all_in(found)) {
    ++counters_.watched_anew;
  }
  known = {.memory = known.memory || found.memory, .tasks = known.tasks || found.tasks};
  return true;
}

PodRegistry::LostRows PodRegistry::queue_lost_rows() {
  LostRows lost;
  if (probe_ == nullptr || !probe_->refresh()) {
    return lost;
  }
  if (known_of_root_.are_lost_in(probe_->row(kPodRootSlot))) {
    queue_wrong_row(kPodRootSlot);
    lost.pod_root = true;
  }
  for (auto& [uid, placed] : placed_) {
    if (placed.known.are_lost_in(probe_->row(placed.slot))) {
      placed.doubt();
      queue_reopening(uid);
      ++lost.pods;
    }
  }
  return lost;
}

void PodRegistry::queue_wrong_row(std::uint32_t slot) {
  if (slot == kPodRootSlot) {
    known_of_root_.doubted = true;
    return;
  }
  for (auto& [uid, placed] : placed_) {
    if (placed.slot == slot) {
      placed.doubt();
      queue_reopening(uid);
    }
  }
}

Result<probe::PodCounters> PodRegistry::resolve(const cluster::PodCgroup& cgroup) const {
  EVICTD_ASSIGN_OR_RETURN(base::Fd memory,
                          places_.open_directory(*options_.root, tree_.layout().memory(), cgroup));
  base::Fd pids;
  if (tree_.layout().pids() && cgroup.pids_id) {
    pids =
        places_.open_directory(*options_.root, *tree_.layout().pids(), cgroup).value_or(base::Fd{});
  }
  return probe_->resolve({.memory = cgroup.memory_id,
                          .pids = cgroup.pids_id,
                          .memory_fd = memory.get(),
                          .pids_fd = pids.get()});
}

Result<> PodRegistry::watch(std::uint32_t slot, const cluster::PodCgroup& cgroup,
                            const Result<probe::PodCounters>& counters) {
  EVICTD_TRY(counters);
  EVICTD_TRY(probe_->watch(slot, {.memory = cgroup.memory_id, .pids = cgroup.pids_id}, *counters));
  return {};
}

}  // namespace evictd::daemon
