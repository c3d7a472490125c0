// SPDX-License-Identifier: Apache-2.0
// Evictions in progress: how they end, and what the victims still hold.
#include <algorithm>

#include "engine/engine.h"
#include "engine/left_memory.h"
#include "eviction/hold.h"

namespace evictd::engine {

namespace {

/// Minimum that a victim counts while evictd waits for its files. It may be unmeasured, or measured
/// while they were being removed, and no other pod should go in its place.
constexpr Bytes kSomeDisk{1};

/// A smaller release may hide in the kernel's per-CPU counters, so that unchanged statistics prove
/// nothing: 125 pages of each of three kinds on a handful of CPUs.
constexpr Bytes kTellingRelease = 16_MiB;

/// Records the start values for measuring the progress of its exit.
void record_held_at_kill(Victim& victim, const CgroupUsage& usage) {
  if (usage.has_memory() || usage.tasks >= 0) {
    victim.usage = usage.usage;
    victim.tasks = usage.tasks;
  }
}

eviction::ReleasingPod released_with(const Victim& victim) {
  eviction::ReleasingPod releasing;
  releasing.killed_at = victim.killed_at;
  releasing.below_pod_root = victim.below_pod_root;
  return releasing;
}

bool exceeds_own_limit(CgroupId pod, const Pods& pods, const ReadingsTaken& readings) {
  for (std::size_t i = 0; i < readings.slots.size(); ++i) {
    const PodView* view = pods.at(readings.slots[i]);
    if (view != nullptr && view->id == pod) {
      return readings.pods[i].pod != nullptr;
    }
  }
  return false;
}

}  // namespace

void Engine::take(const EvictionFound& found) {
  const PodView* const pod = pods_.find(found.pod);
  const bool is_over = found.phase == VictimPhase::kReleased;
  if (!is_over && (pod == nullptr || !pod->has_target)) {
    return;
  }
  Victim victim;
  victim.pod = found.pod;
  victim.killed_at = found.killed_at;
  victim.released_at = agenda_.turn_at();
  victim.phase = found.phase;
  victim.observed_only = found.observed_only;
  victim.dry_run = found.dry_run;
  victim.holds_disk = found.holds_disk;
  victim.hold_tasks = found.hold_tasks;
  victim.cgroup_gone = pod == nullptr;
  victim.leaves_memory = is_over;
  victim.below_pod_root = pod == nullptr || pod->below_pod_root;
  record_held_at_kill(victim, found.usage);  // Its usage at SIGKILL is unknown.
  const bool acts = !found.observed_only && !found.dry_run && !is_over;
  if (!victims_.has_room_for(victim.pod)) {
    if (pod != nullptr && acts) {
      ++counters_.too_many_under_way;
      order(TellRefused{
          .pod = victim.pod, .code = Errc::kExhausted, .adopted = true, .at = agenda_.turn_at()});
    }
    return;
  }
  if (acts) {
    found_ = victim;
    order(GoOnWith{.pod = victim.pod, .killed = victim.phase == VictimPhase::kKilled});
    return;
  }
  victims_.add(victim);
  ++counters_.adopted;
}

void Engine::take(const WentOn& went_on) {
  if (went_on.refused) {
    // The main thread clears the intent after it has restored pids.max from it.
    order(TellRefused{
        .pod = found_.pod, .code = *went_on.refused, .adopted = true, .at = agenda_.turn_at()});
    return;
  }
  found_.ticket = went_on.ticket;
  victims_.add(found_);
  ++counters_.adopted;
}

void Engine::take(const VictimStep& step) {
  Victim* victim = victims_.find(step.pod);
  if (victim == nullptr) {
    return;
  }
  // A dry run ends nobody: neither its own victim is freed, nor is a pod that is being evicted for
  // real since dryRun was switched off.
  if (!step.dry_run && !victim->dry_run) {
    advance_victim(*victim, step);
  } else if (step.dry_run && victim->dry_run && step.spared) {
    // Nor is it waited for in a real run. No intent is cleared: a dry run leaves none, and one on
    // this cgroup is for an evictd that ends pods.
    victim->phase = VictimPhase::kOver;
    want(PassTrigger::kRelease);
  }
  if (!step.dry_run && step.what == VictimStep::What::kReleased) {
    record_release(*victim, step.charged, step.at);
    if (!victim->holds_disk || victim->disk_freed_at) {
      order(ClearIntent{.pod = step.pod});
    }
  }
}

void Engine::advance_victim(Victim& victim, const VictimStep& step) {
  switch (step.what) {
    case VictimStep::What::kTerminating:
      break;
    case VictimStep::What::kKilled:
      if (is_in_grace(victim.phase)) {
        record_held_at_kill(victim, step.usage);  // Else recorded when the kill was ordered.
      }
      victim.phase = VictimPhase::kKilled;
      victim.killed_at = step.at;
      break;
    case VictimStep::What::kExceededGrace:
      if (is_in_grace(victim.phase) || step.spared) {
        order(ClearIntent{.pod = step.pod});  // Refused at its end: the next evictd must not kill.
      }
      // Spared after a kill of the kernel side: what is left of it does not die.
      if (victim.phase == VictimPhase::kKilled && !step.spared) {
        victim.exceeded = true;
        judge_if_due(victim, step.usage);
      } else {
        victim.phase = VictimPhase::kOver;
        want(PassTrigger::kRelease);
      }
      break;
    case VictimStep::What::kReleased:
      if (is_in_grace(victim.phase)) {
        victim.killed_at = step.at;
      }
      victim.phase = VictimPhase::kReleased;
      victim.released_at = step.at;
      victim.leaves_memory = true;
      want(PassTrigger::kRelease);
      break;
  }
}

void Engine::take(const VictimRead& read) {
  if (Victim* victim = victims_.find(read.pod)) {
    judge_if_due(*victim, read.usage);
  }
  continue_turn();
}

/// While a victim keeps dying, it keeps freeing, and no other pod must go in its place. A victim
/// that has just got SIGKILL has had no time for it yet.
void Engine::judge_if_due(Victim& victim, const CgroupUsage& usage) {
  const std::optional<MonoTime> due = Victims::judgement_due(victim);
  if (!due || *due > agenda_.turn_at()) {
    return;
  }
  victim.exceeded = false;
  victim.phase = Victims::is_dying(victim, usage) ? VictimPhase::kKilled : VictimPhase::kOver;
  want(PassTrigger::kRelease);
}

/// Lists the pods that the next pass must read besides those that take part.
void Engine::follow(PassTrigger trigger) {
  followed_.clear();
  for (const Victim& victim : victims_.all()) {
    if (const PodView* pod = pods_.find(victim.pod)) {
      followed_.push_back(pod->slot);
    }
  }
  if (trigger == PassTrigger::kRegular && !refused_.empty()) {
    refused_.add_slots(followed_);
  }
}

/// At the regular cadence whoever was refused, or is over, and still has a task may be chosen
/// again. Without a task there is nobody to signal, only what has yet to be found empty.
void Engine::try_again() {
  for (std::size_t i = 0; i < followed_.size(); ++i) {
    const PodView& pod = *pods_.at(followed_[i]);
    const Victim* victim = victims_.find(pod.id);
    const bool over = victim != nullptr && victim->phase == VictimPhase::kOver;
    if (!over && !refused_.has(pod)) {
      continue;
    }
    const std::int64_t tasks = readings_.followed[i].usage.tasks;
    // Without a count of its processes, its left memory is reported as long as it does not grow.
    const bool owes = over && tasks < 0 && victim->left != Left::kNothingSeen;
    if (owes || tasks == 0) {
      continue;
    }
    refused_.forget(pod);
    if (over) {
      victims_.remove(pod.id);
    }
  }
}

void Engine::follow_releases() {
  releasing_.clear();
  counters_.unreaped_tasks = 0;
  for (std::size_t i = 0; i < followed_.size(); ++i) {
    Victim* victim = victims_.find(pods_.at(followed_[i])->id);
    if (victim == nullptr) {
      continue;
    }
    const FollowedPod& pod = readings_.followed[i];
    if (victim->phase == VictimPhase::kOver) {
      // No event may have reported it, and what runs there now is not the victim.
      if (Victims::is_in_use_again(*victim, pod.usage)) {
        victims_.remove(victim->pod);
      } else {
        add_left(*victim, left_behind(*victim, pod.usage, options_.least_left_behind), releasing_);
      }
    } else if (!is_in_grace(victim->phase)) {
      follow_releases(*victim, pod);
    }
  }
  victims_.forget_freed(disks_asked_at_, pass_.at);
  for (const Victim& victim : victims_.all()) {
    if (victim.cgroup_gone) {
      eviction::ReleasingPod files = released_with(victim);
      files.disk = kSomeDisk;
      files.inodes = 1;
      releasing_.push_back(files);
    }
  }
}

void Engine::follow_releases(Victim& victim, const FollowedPod& pod) {
  const CgroupUsage& usage = pod.usage;
  const bool dying = victim.phase == VictimPhase::kKilled;
  const bool awaited_enough = pass_.at - victim.killed_at >= eviction::kReleaseWait;
  victim.holds_disk = Victims::still_holds_disk(victim, disks_asked_at_, pass_.at);
  if (Victims::is_in_use_again(victim, usage)) {
    if (!victim.holds_disk) {
      victims_.remove(victim.pod);
      return;
    }
    victim.phase = VictimPhase::kInUseAgain;
  }
  const bool released = victim.phase == VictimPhase::kReleased;
  // Tasks that are there after this time are new: the cgroup is in use again.
  const bool empty = usage.tasks <= 0 || awaited_enough;
  const Bytes left = left_behind(victim, usage, options_.least_left_behind);
  const bool free = empty && !victim.holds_disk && (left.value == 0 || awaited_enough);
  if ((victim.observed_only && awaited_enough) || (released && free)) {
    victim.phase = VictimPhase::kOver;
    add_left(victim, left, releasing_);
    return;
  }
  eviction::ReleasingPod releasing = released_with(victim);
  releasing.memory = dying && usage.has_memory() ? usage.working_set() : Bytes{0};
  releasing.left = left;
  releasing.tasks = dying || released ? std::max<std::int64_t>(usage.tasks, 0) : 0;
  if (released) {
    counters_.unreaped_tasks += releasing.tasks;
  }
  if (victim.holds_disk) {
    releasing.disk = kSomeDisk;
    releasing.inodes = 1;
    if (pod.disk != nullptr) {
      releasing.disk =
          std::max(releasing.disk,
                   Bytes{static_cast<std::int64_t>(pod.disk->log_bytes + pod.disk->volume_bytes)});
      releasing.inodes =
          std::max(releasing.inodes,
                   static_cast<std::int64_t>(pod.disk->log_inodes + pod.disk->volume_inodes));
    }
  }
  releasing_.push_back(releasing);
}

void Engine::set_standings() {
  if (victims_.empty() && refused_.empty()) {
    return;
  }
  for (std::size_t i = 0; i < readings_.slots.size(); ++i) {
    const PodView& pod = *pod_at(i);
    const Victim* victim = victims_.find(pod.id);
    // It was refused because it had no process to signal: evictd waits for what it left, as for
    // others.
    const bool vanished =
        victim != nullptr && refused_.has(pod) &&
        (victim->phase == VictimPhase::kReleased || victim->phase == VictimPhase::kOver);
    eviction::Standing& standing = readings_.pods[i].standing;
    if (victim != nullptr && victim->phase != VictimPhase::kInUseAgain && !vanished) {
      standing = standing_of(*victim);
    } else if (refused_.has(pod) && standing != eviction::Standing::kUnknown) {
      // Else the refusal has a reason that excludes it from every ranking, and will recur.
      standing = eviction::Standing::kRefused;
    }
  }
}

/// While the pass waits for memory of killed victims: computes each pod's growth since the wait
/// began.
void Engine::update_growth() {
  const bool anew = victims_.take_newly_left();
  if (!any_left(releasing_)) {
    return;
  }
  if (anew) {
    growth_.begin();
  }
  for (std::size_t i = 0; i < readings_.slots.size(); ++i) {
    eviction::PassPod& pod = readings_.pods[i];
    const CgroupId id = pod_at(i)->id;
    if (anew) {
      growth_.note(readings_.slots[i], id, pod.reading);
    }
    pod.grown = growth_.of(readings_.slots[i], id, pod.reading);
  }
}

/// Pods named by a dry run may be named again. As long as the actuator keeps them, a pass would
/// name another pod, which no real run would evict.
void Engine::end_dry_runs(DryRuns which) {
  std::size_t kept = 0;
  while (kept < victims_.all().size()) {
    const Victim victim = victims_.all()[kept];
    const bool still_named = which == DryRuns::kOfPressure && victim.for_own_limit &&
                             exceeds_own_limit(victim.pod, pods_, readings_);
    if (!victim.dry_run || still_named) {
      ++kept;
      continue;
    }
    order(EndPretended{.ticket = victim.ticket, .at = now_});
    victims_.remove(victim.pod);
  }
}

void Engine::record_release(const Victim& victim, Bytes left, MonoTime at) {
  const Bytes remaining = left.value < 0 ? Bytes{0} : left;
  if (victim.usage - remaining >= kTellingRelease) {
    released_at_ = at;
    if (victim.below_pod_root) {
      released_below_pod_root_at_ = at;
    }
  }
}

}  // namespace evictd::engine
