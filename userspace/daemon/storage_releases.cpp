// SPDX-License-Identifier: Apache-2.0
// What victims still hold.
#include <algorithm>
#include <utility>

#include "daemon/storage_keeping.h"

namespace evictd::daemon {

namespace {

void note_gone(VictimReleases::Victim& victim, Holding holding, MonoTime at) {
  std::optional<MonoTime>& gone = victim.gone_at[static_cast<std::size_t>(holding)];
  if (!gone) {
    gone = at;
  }
}

}  // namespace

std::vector<sys::Mount> StorageKeeping::mounts() const {
  return sys::parse_mounts(options_.root->read("/proc/self/mountinfo").value_or(std::string{}));
}

void StorageKeeping::note_victim(const EvictedPod& evicted) {
  const config::StorageSettings& storage = options_.config->settings().storage;
  VictimReleases::Victim noted;
  noted.pod = evicted.pod;
  noted.uid = evicted.uid;
  noted.directory = storage.kubelet_root_directory + "/pods/" + evicted.uid;
  noted.killed_at = evicted.killed_at;
  noted.removes_data = evicted.for_disk &&
                       storage.evicted_pod_data == config::EvictedPodData::kRemoveEmptyDirs &&
                       evicted.below_pod_root;
  noted.awaits_layers = evicted.for_layers;
  releases_.begin(std::move(noted));
  const MonoTime now = options_.clock->now();
  if (evicted.gone) {
    note_processes_gone(*releases_.find(evicted.pod), now);
  }
  check_releases(now);
}

void StorageKeeping::note_processes_gone(VictimReleases::Victim& victim, MonoTime at) {
  const bool known = victim.gone_at[static_cast<std::size_t>(Holding::kProcesses)].has_value();
  note_gone(victim, Holding::kProcesses, at);
  if (!known && victim.removes_data) {
    worker_->remove_data(victim.uid);
  }
}

void StorageKeeping::note_step(const EvictionStep& message) {
  VictimReleases::Victim* victim = releases_.find(message.progress.pod);
  if (victim == nullptr || message.dry_run) {
    return;
  }
  const enforce::Progress& step = message.progress;
  if (step.state == enforce::EvictionState::kKilled) {
    victim->killed_at = step.at;
  } else if (step.state == enforce::EvictionState::kReleased) {
    // It may have gone before the end of its grace.
    victim->killed_at = std::min(victim->killed_at, step.at);
    note_processes_gone(*victim, step.at);
    check_releases(options_.clock->now());
  }
}

void StorageKeeping::take(const RemovedData& removed) {
  VictimReleases::Victim* victim = releases_.find(std::string_view(removed.uid));
  if (!removed.entries) {
    options_.log->warn(removed.entries.error().message() +
                       ", continuing without the space of the evicted pod " + removed.uid);
  }
  if (victim == nullptr) {
    return;
  }
  if (removed.entries) {
    note_gone(*victim, Holding::kData, options_.clock->now());
  } else {
    victim->data_error = removed.entries.error().message();
  }
  check_releases(options_.clock->now());
}

void StorageKeeping::check_releases(MonoTime now) {
  if (releases_.empty()) {
    return;
  }
  releases_.note_mounts(mounts(), now);
  for (VictimReleases::Victim& victim : releases_.victims()) {
    const cluster::PodEntry* entry = options_.registry->table().find(victim.uid);
    if (entry == nullptr || !entry->cgroup || entry->cgroup->memory_id != victim.pod) {
      note_gone(victim, Holding::kCgroup, now);
      // A cgroup that is gone has no process.
      note_processes_gone(victim, now);
    }
    options_.records->note_release(victim.pod, VictimReleases::rows_of(victim));
  }
  for (const VictimReleases::Victim& victim : releases_.take_released(now)) {
    options_.send(VictimReleased{.pod = victim.pod});
    options_.on_released(victim.pod);
  }
}

}  // namespace evictd::daemon
