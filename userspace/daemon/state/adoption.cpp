// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/adoption.h"

#include <algorithm>

#include "daemon/shared/least_left_behind.h"
#include "eviction/hold.h"

namespace evictd::daemon {

namespace {

bool is_of_another_clock(const FoundPod& pod, MonoTime now) {
  const bool named = !pod.intent->clock.empty();
  return pod.intent->began_at > now || (named && pod.intent->clock != pod.clock);
}

/// Whether the intent's eviction began after the end of the one in the file.
bool is_of_a_later_one(const FoundPod& pod) {
  return pod.intent && pod.saved != nullptr && pod.saved->gone &&
         pod.intent->began_at > pod.saved->killed_at;
}

/// The cgroup's data is newer than the file's, except for a kill, which only the file has.
std::optional<Adoption> known_of(const FoundPod& pod) {
  std::optional<Adoption> known;
  if (pod.saved != nullptr && !is_of_a_later_one(pod)) {
    known = Adoption{.kind = pod.saved->killed ? AdoptionKind::kKilled : AdoptionKind::kInGrace,
                     .hard = pod.saved->hard,
                     .began_at = pod.saved->began_at,
                     .kill_due_at = pod.saved->kill_due_at,
                     .killed_at = pod.saved->killed_at,
                     .for_disk = pod.saved->for_disk};
  }
  if (pod.intent && (!known || known->kind != AdoptionKind::kKilled)) {
    known = Adoption{.kind = AdoptionKind::kInGrace,
                     .hard = pod.intent->hard,
                     .began_at = pod.intent->began_at,
                     .kill_due_at = pod.intent->kill_due_at,
                     .killed_at = {},
                     .for_disk = pod.intent->for_disk || (known && known->for_disk)};
  }
  return known;
}

/// For a victim without a process. If no kill is known, the time of its last exit is unknown.
Adoption after_the_end_of(Adoption known, const FoundPod& pod, MonoTime now) {
  const MonoTime ended_at =
      known.killed_at != MonoTime{} ? known.killed_at : std::min(now, known.kill_due_at);
  known.kind = AdoptionKind::kOver;
  const bool awaited = known.for_disk || pod.tasks > 0 || pod.charged > least_left_behind();
  if (awaited && now - ended_at < eviction::kReleaseWait) {
    known.kind = known.for_disk ? AdoptionKind::kGone : AdoptionKind::kUnreaped;
    known.killed_at = ended_at;
  }
  return known;
}

/// The eviction in progress, whatever may be done about it.
std::optional<Adoption> under_way(const FoundPod& pod, MonoTime now) {
  const enforce::Inhabitants& seen = pod.inhabitants;
  std::optional<Adoption> known = known_of(pod);
  if (seen.processes == 0 && !seen.unread) {
    return known ? std::optional(after_the_end_of(*known, pod, now)) : std::nullopt;
  }
  // Processes that started after the last one was gone are not victims, whatever their age.
  const bool was_gone = pod.saved != nullptr && pod.saved->gone && !is_of_a_later_one(pod);
  if (known && (was_gone || (!seen.unread && seen.oldest > known->began_at))) {
    known->kind = AdoptionKind::kOver;
    return known;
  }
  // The signal was not sent yet, or a process would show it.
  const bool at_once = pod.intent && pod.intent->at_once;
  if (known && known->kind == AdoptionKind::kInGrace && at_once) {
    if (seen.dying == 0) {
      return std::nullopt;
    }
    known->kind = AdoptionKind::kKilled;
    known->killed_at = now;
  }
  if (!seen.all_dying()) {
    return known;
  }
  if (!known) {
    return Adoption{.kind = AdoptionKind::kReleasing,
                    .hard = true,
                    .began_at = now,
                    .kill_due_at = now,
                    .killed_at = now};
  }
  if (known->kind == AdoptionKind::kInGrace) {
    known->kind = AdoptionKind::kKilled;
    known->killed_at = now;
  }
  return known;
}

}  // namespace

std::optional<Adoption> adoption_of(const FoundPod& pod, MonoTime now) {
  FoundPod believed = pod;
  if (pod.intent && is_of_another_clock(pod, now)) {
    // Neither which processes are younger than it nor the end of its grace period is known.
    believed.intent.reset();
  }
  std::optional<Adoption> adoption = under_way(believed, now);
  if (!adoption) {
    return adoption;
  }
  if (pod.intent) {
    adoption->pids_max = enforce::PidsMax(pod.intent->pids_max);
    adoption->hold_tasks = pod.intent->hold_tasks;
  }
  const bool signals =
      adoption->kind == AdoptionKind::kInGrace || adoption->kind == AdoptionKind::kKilled;
  // What a dead pod left on disk may be removed; a dry run does not do that either.
  const bool acts = signals || adoption->kind == AdoptionKind::kGone;
  if (pod.may_end == MayEnd::kDryRun && acts) {
    adoption->kind = AdoptionKind::kLeft;
  } else if (pod.may_end == MayEnd::kProtected && signals) {
    adoption->kind = AdoptionKind::kRefused;
  }
  return adoption;
}

}  // namespace evictd::daemon
