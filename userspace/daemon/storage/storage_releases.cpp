// SPDX-License-Identifier: Apache-2.0
// What victims still hold.
#include <algorithm>
#include <utility>

#include "daemon/storage/storage_keeping.h"

namespace evictd::daemon {

namespace {

void mark_gone(VictimReleases::Victim& victim, Holding holding, MonoTime at) {
  std::optional<MonoTime>& gone = victim.gone_at[static_cast<std::size_t>(holding)];
  if (!gone) {
    gone = at;
  }
}

}  // namespace

std::vector<sys::Mount> StorageKeeping::mounts() const {
  return sys::parse_mounts(context_.root->read("/proc/self/mountinfo").value_or(std::string{}));
}

void StorageKeeping::await_victim(const EvictedPod& evicted) {
  const config::StorageSettings& storage = context_.settings().storage;
  VictimReleases::Victim noted;
  noted.pod = evicted.pod;
  noted.uid = evicted.uid;
  noted.directory = storage.kubelet_root_directory + "/pods/" + evicted.uid;
  noted.killed_at = evicted.killed_at;
  const bool removes = storage.evicted_pod_data == config::EvictedPodData::kRemoveEmptyDirs &&
                       evicted.below_pod_root && !evicted.keeps_data;
  noted.removes_data = removes && evicted.for_disk;
  noted.empties_memory = removes && !evicted.for_disk;
  noted.awaits_layers = evicted.for_layers;
  releases_.begin(std::move(noted));
  const MonoTime now = context_.clock->now();
  if (evicted.gone) {
    mark_processes_gone(*releases_.find(evicted.pod), now);
  }
  check_releases(now);
}

void StorageKeeping::mark_processes_gone(VictimReleases::Victim& victim, MonoTime at) {
  const bool known = victim.gone_at[static_cast<std::size_t>(Holding::kProcesses)].has_value();
  mark_gone(victim, Holding::kProcesses, at);
  if (known) {
    return;
  }
  if (victim.removes_data || victim.empties_memory) {
    worker_->remove_data(
        victim.uid, victim.removes_data ? disk::VolumesOf::kAnyMedium : disk::VolumesOf::kMemory);
  } else {
    reclaim(victim.pod);
  }
}

const HotPod* StorageKeeping::hot_pod_of(CgroupId pod) const {
  for (const PodRegistry::Listed& listed : context_.registry->list()) {
    if (listed.hot != nullptr && listed.hot->memory_id == pod) {
      return listed.hot;
    }
  }
  return nullptr;
}

bool StorageKeeping::is_in_use(CgroupId pod) const {
  const HotPod* const hot = hot_pod_of(pod);
  return hot != nullptr && hot->state == cluster::PodState::kActive;
}

void StorageKeeping::reclaim(CgroupId pod) {
  const HotPod* const hot = hot_pod_of(pod);
  if (hot != nullptr && hot->target != nullptr) {
    releaser_.reclaim(*hot->target);
  }
}

/// Uses its own files: a reader of the hot thread's would block the hot thread.
std::optional<Bytes> StorageKeeping::charged_to(const VictimReleases::Victim& victim,
                                                MonoTime now) const {
  if (!victim.gone_at[static_cast<std::size_t>(Holding::kProcesses)] ||
      victim.gone_at[static_cast<std::size_t>(Holding::kCgroup)]) {
    return std::nullopt;
  }
  const Result<sys::CgroupFiles> files = context_.registry->open_files_of(victim.uid);
  if (!files) {
    return std::nullopt;
  }
  sys::ReadBuffer buffer{};
  CgroupUsage usage;
  static_cast<void>(files->read_live(now, buffer, usage));
  return usage.has_memory() ? std::optional(usage.working_set()) : std::nullopt;
}

void StorageKeeping::warn_of_failed_reclaims() {
  if (!reclaim_failure_logged_ && releaser_.reclaimed().failed > 0) {
    reclaim_failure_logged_ = true;
    context_.log->warn(
        "evictd cannot reclaim what a dead pod has left charged to its cgroup (neither "
        "memory.reclaim nor memory.force_empty can be written), continuing without");
  }
}

void StorageKeeping::apply_step(const EvictionStep& message) {
  VictimReleases::Victim* victim = releases_.find(message.progress.pod);
  if (victim == nullptr || message.dry_run) {
    return;
  }
  const enforce::Progress& step = message.progress;
  if (step.state == enforce::EvictionState::kKilled) {
    victim->killed_at = step.at;
  } else if (step.state == enforce::EvictionState::kReleased) {
    // It may have exited before the end of its grace period.
    victim->killed_at = std::min(victim->killed_at, step.at);
    mark_processes_gone(*victim, step.at);
    check_releases(context_.clock->now());
  }
}

void StorageKeeping::take(const RemovedData& removed) {
  ++counters_.removals;
  counters_.removal_failures += removed.entries ? 0 : 1;
  VictimReleases::Victim* victim = releases_.find(std::string_view(removed.uid));
  if (!removed.entries) {
    context_.log->warn(removed.entries.error().message() +
                       ", continuing without the space of the evicted pod " + removed.uid);
  }
  if (victim == nullptr) {
    return;
  }
  reclaim(victim->pod);
  if (!victim->removes_data) {
    return check_releases(context_.clock->now());
  }
  if (removed.entries) {
    mark_gone(*victim, Holding::kData, context_.clock->now());
  } else {
    victim->data_error = removed.entries.error().message();
  }
  check_releases(context_.clock->now());
}

void StorageKeeping::check_releases(MonoTime now) {
  if (releases_.empty()) {
    return;
  }
  releases_.update_mounts(mounts(), now);
  for (VictimReleases::Victim& victim : releases_.victims()) {
    const cluster::PodEntry* entry = context_.registry->table().find(victim.uid);
    if (entry == nullptr || !entry->cgroup || entry->cgroup->memory_id != victim.pod) {
      mark_gone(victim, Holding::kCgroup, now);
      mark_gone(victim, Holding::kMemory, now);
      // A cgroup that is gone has no process.
      mark_processes_gone(victim, now);
    }
    const std::optional<Bytes> charged = charged_to(victim, now);
    if (charged) {
      VictimReleases::set_charged(victim, *charged, now);
    }
    records_.store().set_release(victim.pod, VictimReleases::rows_of(victim));
  }
  for (const VictimReleases::Victim& victim : releases_.take_released(now)) {
    context_.backlog.send(engine::FilesReleased{.pod = victim.pod});
    // A new process in its cgroup, as of a container that the kubelet has restarted, left nothing.
    const std::optional<Bytes> left =
        is_in_use(victim.pod) ? std::nullopt : VictimReleases::kept_memory(victim, now);
    counters_.still_charged += left ? 1 : 0;
    on_released_(victim.pod, left);
  }
  warn_of_failed_reclaims();
}

}  // namespace evictd::daemon
