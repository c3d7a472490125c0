// SPDX-License-Identifier: Apache-2.0
#include "daemon/in_flight.h"

#include <algorithm>
#include <iterator>

#include "eviction/hold.h"

namespace evictd::daemon {

namespace {

/// What a cgroup may lose without any of its processes having ended: charges that were in stock.
constexpr Bytes kLost = 1_MiB;

}  // namespace

eviction::Standing standing_of(InFlightTable::Phase phase) {
  switch (phase) {
    case InFlightTable::Phase::kSoftGrace:
      return eviction::Standing::kInSoftGrace;
    case InFlightTable::Phase::kHardGrace:
      return eviction::Standing::kInHardGrace;
    case InFlightTable::Phase::kInUseAgain:
      return eviction::Standing::kActive;
    case InFlightTable::Phase::kKilled:
    case InFlightTable::Phase::kReleased:
    case InFlightTable::Phase::kOver:
      return eviction::Standing::kKilled;
  }
  return eviction::Standing::kKilled;
}

eviction::Standing standing_of(const InFlightTable::Entry& entry) {
  return entry.dry_run && entry.for_own_limit ? eviction::Standing::kKilled
                                              : standing_of(entry.phase);
}

bool is_in_grace(InFlightTable::Phase phase) {
  return phase == InFlightTable::Phase::kSoftGrace || phase == InFlightTable::Phase::kHardGrace;
}

bool InFlightTable::is_dying(const Entry& entry, const CgroupUsage& now) {
  const bool lost_tasks = now.tasks >= 0 && now.tasks < entry.tasks;
  return entry.phase == Phase::kKilled &&
         (lost_tasks || (now.has_memory() && now.usage + kLost <= entry.usage));
}

std::optional<MonoTime> InFlightTable::judgement_due(const Entry& entry) {
  return entry.exceeded && entry.phase == Phase::kKilled
             ? std::optional(entry.killed_at + kLeastTimeToDie)
             : std::nullopt;
}

std::optional<MonoTime> InFlightTable::next_judgement() const {
  std::optional<MonoTime> next;
  for (const Entry& entry : entries()) {
    if (const std::optional<MonoTime> due = judgement_due(entry)) {
      next = next ? std::min(*next, *due) : due;
    }
  }
  return next;
}

bool InFlightTable::is_in_use_again(Entry& entry, const CgroupUsage& now) {
  // What was given up was never released: what is there may be the victim itself.
  const bool released =
      entry.phase == Phase::kReleased || (entry.phase == Phase::kOver && entry.remains.known());
  if (!released) {
    return entry.phase == Phase::kInUseAgain;
  }
  return entry.remains.outgrown_by(now) || entry.populated_at > entry.released_at;
}

bool InFlightTable::still_holds_disk(const Entry& entry, const std::optional<MonoTime>& asked_at,
                                     MonoTime now) {
  const bool seen_free = entry.disk_freed_at && asked_at && *asked_at >= *entry.disk_freed_at;
  return entry.holds_disk && !seen_free && now - entry.killed_at < eviction::kReleaseWait;
}

bool InFlightTable::take_left_anew() {
  bool anew = false;
  for (Entry& entry : entries()) {
    if (entry.left == Left::kSeenAnew) {
      entry.left = Left::kKnown;
      anew = true;
    }
  }
  return anew;
}

bool InFlightTable::add(const Entry& entry) {
  if (Entry* known = find(entry.pod)) {
    *known = entry;
    return true;
  }
  if (size_ == entries_.size()) {
    const auto over = std::find_if(entries_.begin(), entries_.end(),
                                   [](const Entry& one) { return one.phase == Phase::kOver; });
    if (over == entries_.end()) {
      return false;
    }
    *over = entry;
    return true;
  }
  entries_[size_++] = entry;
  return true;
}

bool InFlightTable::has_room_for(CgroupId pod) const {
  const std::span<const Entry> known = entries();
  return size_ < entries_.size() || find(pod) != nullptr ||
         std::any_of(known.begin(), known.end(),
                     [](const Entry& one) { return one.phase == Phase::kOver; });
}

const InFlightTable::Entry* InFlightTable::find(CgroupId pod) const {
  const std::span<const Entry> known = entries();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Entry& entry) { return entry.pod == pod; });
  return found == known.end() ? nullptr : &*found;
}

InFlightTable::Entry* InFlightTable::find(CgroupId pod) {
  const std::span<Entry> known = entries();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Entry& entry) { return entry.pod == pod; });
  return found == known.end() ? nullptr : &*found;
}

void InFlightTable::remove(CgroupId pod) {
  if (Entry* entry = find(pod)) {
    *entry = entries_[--size_];
  }
}

void InFlightTable::note_populated(CgroupId pod, MonoTime at) {
  if (Entry* const entry = find(pod)) {
    entry->populated_at = std::max(entry->populated_at, at);
  }
}

void InFlightTable::note_cgroup_gone(CgroupId pod, MonoTime now) {
  Entry* const entry = find(pod);
  if (entry == nullptr) {
    return;
  }
  if (!entry->holds_disk) {
    remove(pod);
    return;
  }
  entry->killed_at = is_in_grace(entry->phase) ? now : entry->killed_at;
  entry->phase = Phase::kReleased;
  entry->cgroup_gone = true;
}

void InFlightTable::forget_freed(const std::optional<MonoTime>& asked_at, MonoTime now) {
  const std::span<Entry> known = entries();
  const auto left = std::remove_if(known.begin(), known.end(), [&](const Entry& entry) {
    return entry.cgroup_gone && !still_holds_disk(entry, asked_at, now);
  });
  size_ = static_cast<std::size_t>(std::distance(known.begin(), left));
}

}  // namespace evictd::daemon
