// SPDX-License-Identifier: Apache-2.0
#include "engine/victims.h"

#include <algorithm>
#include <iterator>

#include "eviction/hold.h"

namespace evictd::engine {

namespace {

/// What a cgroup may lose without an exit of its processes: stocked charges.
constexpr Bytes kLost = 1_MiB;

}  // namespace

eviction::Standing standing_of(VictimPhase phase) {
  switch (phase) {
    case VictimPhase::kSoftGrace:
      return eviction::Standing::kInSoftGrace;
    case VictimPhase::kHardGrace:
      return eviction::Standing::kInHardGrace;
    case VictimPhase::kInUseAgain:
      return eviction::Standing::kActive;
    case VictimPhase::kKilled:
    case VictimPhase::kReleased:
    case VictimPhase::kOver:
      return eviction::Standing::kKilled;
  }
  return eviction::Standing::kKilled;
}

eviction::Standing standing_of(const Victim& victim) {
  return victim.dry_run && victim.for_own_limit ? eviction::Standing::kKilled
                                                : standing_of(victim.phase);
}

bool is_in_grace(VictimPhase phase) {
  return phase == VictimPhase::kSoftGrace || phase == VictimPhase::kHardGrace;
}

bool is_dead(VictimPhase phase) {
  return phase == VictimPhase::kReleased || phase == VictimPhase::kInUseAgain ||
         phase == VictimPhase::kOver;
}

bool Victims::is_dying(const Victim& victim, const CgroupUsage& now) {
  const bool lost_tasks = now.tasks >= 0 && now.tasks < victim.tasks;
  return victim.phase == VictimPhase::kKilled &&
         (lost_tasks || (now.has_memory() && now.usage + kLost <= victim.usage));
}

std::optional<MonoTime> Victims::judgement_due(const Victim& victim) {
  return victim.exceeded && victim.phase == VictimPhase::kKilled
             ? std::optional(victim.killed_at + kLeastTimeToDie)
             : std::nullopt;
}

std::optional<MonoTime> Victims::next_judgement() const {
  std::optional<MonoTime> next;
  for (const Victim& victim : all()) {
    if (const std::optional<MonoTime> due = judgement_due(victim)) {
      next = next ? std::min(*next, *due) : due;
    }
  }
  return next;
}

bool Victims::is_in_use_again(Victim& victim, const CgroupUsage& now) {
  // A victim that was given up was never released: the processes may be its own.
  const bool released = victim.phase == VictimPhase::kReleased ||
                        (victim.phase == VictimPhase::kOver && victim.remains.known());
  if (!released) {
    return victim.phase == VictimPhase::kInUseAgain;
  }
  return victim.remains.outgrown_by(now) || victim.populated_at > victim.released_at;
}

bool Victims::still_holds_disk(const Victim& victim, const std::optional<MonoTime>& asked_at,
                               MonoTime now) {
  const bool seen_free = victim.disk_freed_at && asked_at && *asked_at >= *victim.disk_freed_at;
  return victim.holds_disk && !seen_free && now - victim.killed_at < eviction::kReleaseWait;
}

bool Victims::take_newly_left() {
  bool anew = false;
  for (Victim& victim : all()) {
    if (victim.left == Left::kSeenAnew) {
      victim.left = Left::kKnown;
      anew = true;
    }
  }
  return anew;
}

bool Victims::add(const Victim& victim) {
  if (Victim* known = find(victim.pod)) {
    *known = victim;
    return true;
  }
  if (size_ == entries_.size()) {
    const auto over = std::find_if(entries_.begin(), entries_.end(), [](const Victim& one) {
      return one.phase == VictimPhase::kOver;
    });
    if (over == entries_.end()) {
      return false;
    }
    *over = victim;
    return true;
  }
  entries_[size_++] = victim;
  return true;
}

bool Victims::has_room_for(CgroupId pod) const {
  const std::span<const Victim> known = all();
  return size_ < entries_.size() || find(pod) != nullptr ||
         std::any_of(known.begin(), known.end(),
                     [](const Victim& one) { return one.phase == VictimPhase::kOver; });
}

const Victim* Victims::find(CgroupId pod) const {
  const std::span<const Victim> known = all();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Victim& victim) { return victim.pod == pod; });
  return found == known.end() ? nullptr : &*found;
}

Victim* Victims::find(CgroupId pod) {
  const std::span<Victim> known = all();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Victim& victim) { return victim.pod == pod; });
  return found == known.end() ? nullptr : &*found;
}

void Victims::remove(CgroupId pod) {
  if (Victim* victim = find(pod)) {
    *victim = entries_[--size_];
  }
}

void Victims::mark_populated(CgroupId pod, MonoTime at) {
  if (Victim* const victim = find(pod)) {
    victim->populated_at = std::max(victim->populated_at, at);
  }
}

void Victims::mark_cgroup_gone(CgroupId pod, MonoTime now) {
  Victim* const victim = find(pod);
  if (victim == nullptr) {
    return;
  }
  if (!victim->holds_disk) {
    remove(pod);
    return;
  }
  victim->killed_at = is_in_grace(victim->phase) ? now : victim->killed_at;
  victim->phase = VictimPhase::kReleased;
  victim->cgroup_gone = true;
}

void Victims::forget_freed(const std::optional<MonoTime>& asked_at, MonoTime now) {
  const std::span<Victim> known = all();
  const auto left = std::remove_if(known.begin(), known.end(), [&](const Victim& victim) {
    return victim.cgroup_gone && !still_holds_disk(victim, asked_at, now);
  });
  size_ = static_cast<std::size_t>(std::distance(known.begin(), left));
}

}  // namespace evictd::engine
