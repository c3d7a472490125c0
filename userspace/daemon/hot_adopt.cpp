// SPDX-License-Identifier: Apache-2.0
// What the hot thread leaves for the next evictd on a victim's cgroup, and how it goes on with what
// an earlier one began.
#include <algorithm>
#include <span>

#include "base/fault_point.h"
#include "daemon/hot_loop.h"
#include "enforce/intent.h"

namespace evictd::daemon {

namespace {

using base::fault_point;
using base::FaultPoint;

InFlightTable::Phase phase_of(const Adoption& adoption) {
  switch (adoption.kind) {
    case AdoptionKind::kInGrace:
      return adoption.hard ? InFlightTable::Phase::kHardGrace : InFlightTable::Phase::kSoftGrace;
    case AdoptionKind::kKilled:
    case AdoptionKind::kReleasing:
      return InFlightTable::Phase::kKilled;
    case AdoptionKind::kGone:
    case AdoptionKind::kUnreaped:
    case AdoptionKind::kRefused:
    case AdoptionKind::kLeft:
    case AdoptionKind::kOver:
      return InFlightTable::Phase::kReleased;
  }
  return InFlightTable::Phase::kReleased;
}

}  // namespace

/// Before the first signal: a restarted evictd must neither send SIGTERM again nor forget the end
/// of the grace, must know whom it killed, and let fork again whom it did not.
void HotLoop::leave_intent(const HotPod& victim, const enforce::Intent& intent) {
  if (!victim.target || dry_run()) {
    return;
  }
  if (!enforce::write_intent(*victim.target, intent, options_.intent_clock)) {
    count(options_.counters->intents_not_written);
  }
  fault_point(FaultPoint::kIntended);
}

void HotLoop::clear_intent(CgroupId pod) {
  fault_point(FaultPoint::kReleased);
  for (const std::uint32_t slot : pods_.ordered()) {
    const HotPod& known = *pods_.at(slot);
    if (known.memory_id == pod && known.target) {
      enforce::clear_intent(*known.target);
    }
  }
  fault_point(FaultPoint::kIntentCleared);
}

void HotLoop::handle(const AdoptEviction& message) {
  const HotPod* const pod = find_pod(message.pod);
  const Adoption& adoption = message.adoption;
  const bool is_over = has_ended(adoption.kind);
  if (!is_over && (pod == nullptr || !pod->target)) {
    return;
  }
  InFlightTable::Entry entry;
  entry.pod = message.pod;
  entry.killed_at = adoption.killed_at;
  entry.released_at = wake_at_;
  entry.phase = phase_of(adoption);
  entry.observed_only = adoption.kind == AdoptionKind::kReleasing;
  entry.holds_disk = adoption.for_disk;
  entry.hold_tasks = adoption.hold_tasks;
  entry.cgroup_gone = pod == nullptr;
  entry.leaves_memory = is_over;
  entry.below_pod_root = pod == nullptr || pod->facts.below_pod_root;
  note_held_at_kill(entry, pod);  // What it held then is not known: its progress is from here on.
  if (!in_flight_.has_room_for(entry.pod)) {
    if (pod != nullptr && !entry.observed_only && !is_over) {
      count(options_.counters->too_many_under_way);
      send(EvictionRefused{
          .victim = pod, .code = Errc::kExhausted, .adopted = true, .at = wake_at_});
    }
    return;
  }
  if (!entry.observed_only && !is_over) {
    const Result<enforce::Ticket> ticket = options_.actuator->adopt(
        *pod->target,
        {.state = adoption.kind == AdoptionKind::kKilled ? enforce::EvictionState::kKilled
                                                         : enforce::EvictionState::kTerminating,
         .began_at = adoption.began_at,
         .kill_due_at = adoption.kill_due_at,
         .killed_at = adoption.killed_at,
         .pids_max = adoption.pids_max,
         .hold_tasks = adoption.hold_tasks},
        wake_at_);
    if (!ticket) {
      // Housekeeping clears the intent, once it has put pids.max back as only the intent has it.
      send(EvictionRefused{
          .victim = pod, .code = ticket.error().code, .adopted = true, .at = wake_at_});
      return;
    }
    entry.ticket = *ticket;
  }
  in_flight_.add(entry);
  count(options_.counters->adopted);
  fault_point(FaultPoint::kAdopted);
}

}  // namespace evictd::daemon
