// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/victim_releases.h"

#include <algorithm>
#include <utility>

#include "daemon/shared/least_left_behind.h"
#include "eviction/hold.h"

namespace evictd::daemon {

namespace {

std::optional<MonoTime>& gone(VictimReleases::Victim& victim, Holding holding) {
  return victim.gone_at[static_cast<std::size_t>(holding)];
}

bool is_gone(const VictimReleases::Victim& victim, Holding holding) {
  return victim.gone_at[static_cast<std::size_t>(holding)].has_value();
}

std::string state_of(const VictimReleases::Victim& victim, Holding holding) {
  if (is_gone(victim, holding)) {
    return holding == Holding::kData ? "removed" : "gone";
  }
  if (holding == Holding::kContainers) {
    return "unknown";
  }
  if (holding == Holding::kData) {
    return !victim.removes_data ? "kept" : victim.data_error.empty() ? "there" : "failed";
  }
  return "there";
}

}  // namespace

std::string_view to_string(Holding holding) {
  switch (holding) {
    case Holding::kProcesses:
      return "processes";
    case Holding::kContainers:
      return "containers";
    case Holding::kVolumes:
      return "volumes";
    case Holding::kCgroup:
      return "cgroup";
    case Holding::kData:
      return "data";
    case Holding::kMemory:
      return "memory";
  }
  return "";
}

void VictimReleases::begin(Victim victim) {
  if (Victim* known = find(victim.pod)) {
    // A victim whose grace period was cut for another signal still has its files removed.
    victim.removes_data = victim.removes_data || known->removes_data;
    victim.empties_memory = victim.empties_memory && !victim.removes_data;
    *known = std::move(victim);
    return;
  }
  victims_.push_back(std::move(victim));
}

VictimReleases::Victim* VictimReleases::find(CgroupId pod) {
  const auto found = std::find_if(victims_.begin(), victims_.end(),
                                  [&](const Victim& one) { return one.pod == pod; });
  return found == victims_.end() ? nullptr : &*found;
}

VictimReleases::Victim* VictimReleases::find(std::string_view uid) {
  const auto found = std::find_if(victims_.begin(), victims_.end(),
                                  [&](const Victim& one) { return one.uid == uid; });
  return found == victims_.end() ? nullptr : &*found;
}

void VictimReleases::update_mounts(const std::vector<sys::Mount>& mounts, MonoTime now) {
  for (Victim& victim : victims_) {
    const bool mounted = std::any_of(mounts.begin(), mounts.end(), [&](const sys::Mount& mount) {
      return mount.point.starts_with(victim.directory + "/");
    });
    if (!mounted && !is_gone(victim, Holding::kVolumes)) {
      gone(victim, Holding::kVolumes) = now;
    }
  }
}

void VictimReleases::set_charged(Victim& victim, Bytes charged, MonoTime now) {
  victim.charged = charged;
  if (charged <= least_left_behind() && !is_gone(victim, Holding::kMemory)) {
    gone(victim, Holding::kMemory) = now;
  }
}

std::optional<Bytes> VictimReleases::kept_memory(const Victim& victim, MonoTime now) {
  const bool kept = is_gone(victim, Holding::kProcesses) && !is_gone(victim, Holding::kMemory) &&
                    !is_gone(victim, Holding::kCgroup);
  return kept && now - victim.killed_at >= eviction::kReleaseWait ? victim.charged : std::nullopt;
}

bool VictimReleases::is_released(const Victim& victim) {
  if (!is_gone(victim, Holding::kProcesses)) {
    return false;
  }
  // Its volumes are released with its data, whoever removes its cgroup. The kubelet must remove
  // data that evictd could not: nothing was freed yet.
  const bool goes_with_data =
      victim.removes_data && !victim.awaits_layers && victim.data_error.empty();
  return goes_with_data ? is_gone(victim, Holding::kData)
                        : is_gone(victim, Holding::kVolumes) && is_gone(victim, Holding::kCgroup);
}

std::vector<VictimReleases::Victim> VictimReleases::take_released(MonoTime now) {
  std::vector<Victim> released;
  std::erase_if(victims_, [&](Victim& victim) {
    if (!is_released(victim) && now - victim.killed_at < eviction::kReleaseWait) {
      return false;
    }
    released.push_back(std::move(victim));
    return true;
  });
  return released;
}

std::vector<exporting::RecordedRelease> VictimReleases::rows_of(const Victim& victim) {
  std::vector<exporting::RecordedRelease> rows;
  for (std::size_t i = 0; i < kHoldings; ++i) {
    const auto holding = static_cast<Holding>(i);
    rows.push_back({.what = std::string(to_string(holding)),
                    .state = state_of(victim, holding),
                    .at = victim.gone_at[i]});
  }
  return rows;
}

}  // namespace evictd::daemon
