// SPDX-License-Identifier: Apache-2.0
// What victims still hold.
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

void StorageKeeping::note_victim(const HotPod& victim, bool for_disk, MonoTime at) {
  const config::StorageSettings& storage = options_.config->settings().storage;
  VictimReleases::Victim noted;
  noted.pod = victim.memory_id;
  noted.uid = victim.uid;
  noted.directory = storage.kubelet_root_directory + "/pods/" + victim.uid;
  noted.began_at = at;
  noted.removes_data = for_disk &&
                       storage.evicted_pod_data == config::EvictedPodData::kRemoveEmptyDirs &&
                       victim.below_pod_root;
  releases_.begin(std::move(noted));
  check_releases(at);
}

void StorageKeeping::note_step(const EvictionStep& message) {
  VictimReleases::Victim* victim = releases_.find(message.progress.pod);
  if (victim == nullptr || message.dry_run ||
      message.progress.state != enforce::EvictionState::kReleased) {
    return;
  }
  note_gone(*victim, Holding::kProcesses, message.progress.at);
  if (victim->removes_data) {
    worker_->remove_data(victim->uid);
  }
  check_releases(options_.clock->now());
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
      note_gone(victim, Holding::kProcesses, now);
    }
    options_.records->note_release(victim.pod, VictimReleases::rows_of(victim));
  }
  for (const VictimReleases::Victim& victim : releases_.take_released(now)) {
    options_.send(VictimReleased{.pod = victim.pod});
  }
}

}  // namespace evictd::daemon
