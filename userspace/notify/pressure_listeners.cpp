// SPDX-License-Identifier: Apache-2.0
#include "notify/pressure_listeners.h"

#include <algorithm>

namespace evictd::notify {

void PressureListeners::add(RegistrationId id, CgroupId cgroup, const Terms& terms) {
  by_cgroup_[cgroup].push_back(
      {.id = id, .level = static_cast<evictd_notify_level>(terms.threshold), .mode = terms.mode});
}

std::optional<CgroupId> PressureListeners::remove(RegistrationId id) {
  for (auto at = by_cgroup_.begin(); at != by_cgroup_.end(); ++at) {
    if (std::erase_if(at->second, [&](const Listener& one) { return one.id == id; }) == 0) {
      continue;
    }
    const CgroupId cgroup = at->first;
    if (at->second.empty()) {
      by_cgroup_.erase(at);
    }
    return cgroup;
  }
  return std::nullopt;
}

std::optional<evictd_notify_level> PressureListeners::lowest_level(CgroupId cgroup) const {
  const auto found = by_cgroup_.find(cgroup);
  if (found == by_cgroup_.end()) {
    return std::nullopt;
  }
  const auto lowest = std::min_element(
      found->second.begin(), found->second.end(),
      [](const Listener& one, const Listener& other) { return one.level < other.level; });
  return lowest->level;
}

std::vector<RegistrationId> PressureListeners::hearers(const PressureEvent& event) {
  std::vector<RegistrationId> hearers;
  const bool heard_below = heard_events_.erase(event.window) != 0;
  bool is_source = event.at_source;
  for (const CgroupId cgroup : event.cgroups) {
    // Listeners of one cgroup do not suppress each other.
    const bool was_heard = heard_below || !hearers.empty();
    const auto found = by_cgroup_.find(cgroup);
    if (found != by_cgroup_.end()) {
      for (const Listener& listener : found->second) {
        const bool passed_by = (!is_source && listener.mode == EVICTD_NOTIFY_LOCAL) ||
                               (was_heard && listener.mode == EVICTD_NOTIFY_DEFAULT);
        if (!passed_by && event.level >= listener.level) {
          hearers.push_back(listener.id);
        }
      }
    }
    is_source = false;
  }
  if (event.goes_on && (heard_below || !hearers.empty())) {
    heard_events_.insert(event.window);
  }
  return hearers;
}

std::vector<RegistrationId> PressureListeners::all() const {
  std::vector<RegistrationId> ids;
  for (const auto& [cgroup, listeners] : by_cgroup_) {
    for (const Listener& listener : listeners) {
      ids.push_back(listener.id);
    }
  }
  return ids;
}

}  // namespace evictd::notify
