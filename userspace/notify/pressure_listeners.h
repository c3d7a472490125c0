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

/// Pressure somewhere, or a part of who may hear it: a long chain of cgroups comes in several.
struct PressureEvent {
  evictd_notify_level level = EVICTD_NOTIFY_LOW;
  /// Cgroups that have listeners, from the one under pressure upwards.
  std::vector<CgroupId> cgroups;
  /// The first of `cgroups` is the one under pressure itself.
  bool at_source = false;
  /// The same for all parts of one event.
  std::uint64_t window = 0;
  /// Cgroups further up follow in another part; those of other events may come before it.
  bool goes_on = false;
};

/// Who hears pressure where, and how far up it goes: memory.pressure_level of cgroup v1. Pure.
class PressureListeners {
 public:
  /// `terms` are of PRESSURE.
  void add(RegistrationId id, CgroupId cgroup, const Terms& terms);
  /// Returns the cgroup of `id`, nothing if it is unknown.
  std::optional<CgroupId> remove(RegistrationId id);

  /// Of those who listen at `cgroup` itself; nothing if nobody does.
  [[nodiscard]] std::optional<evictd_notify_level> lowest_level(CgroupId cgroup) const;
  /// Who hears `event`. A listener hears its own level and those above it; at an ancestor LOCAL
  /// hears nothing, and DEFAULT only what nobody between heard, which is kept from part to part of
  /// an event that goes on.
  [[nodiscard]] std::vector<RegistrationId> hearers(const PressureEvent& event);
  /// Parts were lost: no event that has gone on is waited for.
  void forget_parts() { heard_.clear(); }
  [[nodiscard]] std::vector<RegistrationId> all() const;
  /// How many cgroups have listeners.
  [[nodiscard]] std::size_t cgroups() const { return by_cgroup_.size(); }

 private:
  struct Listener {
    RegistrationId id = 0;
    evictd_notify_level level = EVICTD_NOTIFY_LOW;
    evictd_notify_mode mode = EVICTD_NOTIFY_DEFAULT;
  };

  std::map<CgroupId, std::vector<Listener>> by_cgroup_;
  /// Events that go on and that somebody has heard.
  std::set<std::uint64_t> heard_;
};

}  // namespace evictd::notify
