// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "notify/terms.h"

namespace evictd::notify {

/// A pressure event, or one part of it: a long chain of cgroups arrives in several parts.
struct PressureEvent {
  evictd_notify_level level = EVICTD_NOTIFY_LOW;
  /// Cgroups that have listeners, from the one under pressure upwards.
  std::vector<CgroupId> cgroups;
  /// The first of `cgroups` is the one under pressure itself.
  bool at_source = false;
  /// Equal for all parts of one event.
  std::uint64_t window = 0;
  /// Another part follows, with cgroups further up. Parts of other events may come before it.
  bool goes_on = false;
};

/// Decides who hears pressure, with the propagation of memory.pressure_level of cgroup v1. Pure.
class PressureListeners {
 public:
  /// `terms` must be of PRESSURE.
  void add(RegistrationId id, CgroupId cgroup, const Terms& terms);
  /// Returns the cgroup of `id`; nullopt if it is unknown.
  std::optional<CgroupId> remove(RegistrationId id);

  /// The lowest level of the listeners at `cgroup` itself; nullopt without listeners.
  [[nodiscard]] std::optional<evictd_notify_level> lowest_level(CgroupId cgroup) const;
  /// The listeners that hear `event`. A listener hears its own level and higher ones. At an
  /// ancestor a LOCAL listener hears nothing, and a DEFAULT listener hears only what no listener in
  /// between heard. This state is kept from part to part of an event.
  [[nodiscard]] std::vector<RegistrationId> hearers(const PressureEvent& event);
  /// Parts were lost: no longer expects the rest of any event.
  void forget_unfinished_events() { heard_events_.clear(); }
  [[nodiscard]] std::vector<RegistrationId> all() const;
  /// Number of cgroups that have listeners.
  [[nodiscard]] std::size_t cgroups() const { return by_cgroup_.size(); }

 private:
  struct Listener {
    RegistrationId id = 0;
    evictd_notify_level level = EVICTD_NOTIFY_LOW;
    evictd_notify_mode mode = EVICTD_NOTIFY_DEFAULT;
  };

  std::map<CgroupId, std::vector<Listener>> by_cgroup_;
  /// Unfinished events that some listener has heard.
  std::set<std::uint64_t> heard_events_;
};

}  // namespace evictd::notify
