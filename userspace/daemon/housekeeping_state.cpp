// SPDX-License-Identifier: Apache-2.0
// What survives a restart: going on with what the last run left, and keeping it for the next.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "daemon/adopted_record.h"
#include "daemon/adoption.h"
#include "daemon/housekeeping.h"

namespace evictd::daemon {

namespace {

const char* text_of(AdoptionKind kind) {
  switch (kind) {
    case AdoptionKind::kInGrace:
      return "in its grace";
    case AdoptionKind::kKilled:
      return "killed";
    case AdoptionKind::kReleasing:
      return "dying";
    case AdoptionKind::kGone:
      return "gone, its disk awaited";
    case AdoptionKind::kRefused:
      return "protected";
    case AdoptionKind::kLeft:
      return "left to a later evictd";
    case AdoptionKind::kOver:
      return "over";
  }
  return "";
}

bool in_dry_run(const OperatorWishes& wishes, const config::Config& config) {
  return wishes.dry_run.value_or(config.settings().dry_run);
}

/// Of a pod that has a target.
MayEnd may_end(const HotPod& pod, bool dry_run) {
  if (dry_run) {
    return MayEnd::kDryRun;
  }
  // The target alone knows that our own process is in it.
  const bool is_protected = pod.protection != enforce::Protection::kNone ||
                            pod.target->protection() != enforce::Protection::kNone;
  return is_protected ? MayEnd::kProtected : MayEnd::kYes;
}

}  // namespace

void Housekeeping::go_on() {
  const FoundState& found = keeper_->found();
  wishes_ = found.state.wishes;
  if (found.state.configured_dry_run != config_->settings().dry_run) {
    // It is the configuration that was changed last.
    wishes_.dry_run.reset();
  }
  keeper_->note_wishes(wishes_, config_->settings().dry_run);
  if (wishes_ != OperatorWishes{}) {
    send(SetWishes{.wishes = wishes_, .generation = ++wishes_generation_});
  }
  const MonoTime now = options_.clock->now();
  std::size_t left = 0;
  for (const PodRegistry::Listed& listed : options_.registry->list()) {
    if (listed.hot != nullptr && listed.hot->target) {
      left += adopt(*listed.hot, now) ? 0 : 1;
    }
  }
  left += adopt_vanished(now);
  if (left != 0) {
    options_.log->warn(fmt::format(
        "{} pods that an earlier evictd was ending are left as they are by a dry run, continuing "
        "without them: an evictd that starts without one goes on with them",
        left));
  }
  journal_->forget_last_evictions();
}

/// Returns false for one that a dry run leaves to a later evictd.
bool Housekeeping::adopt(const HotPod& pod, MonoTime now) {
  const std::vector<SavedEviction>& left = keeper_->found().state.in_flight;
  const auto saved = std::find_if(left.begin(), left.end(), [&](const SavedEviction& one) {
    return one.pod == pod.memory_id && one.uid == pod.uid;
  });
  const FoundPod found{.inhabitants = enforce::look_at_inhabitants(*pod.target),
                       .intent = enforce::read_intent(*pod.target),
                       .saved = saved == left.end() ? nullptr : &*saved,
                       .may_end = may_end(pod, in_dry_run(wishes_, *config_))};
  const std::optional<Adoption> adoption = adoption_of(found, now);
  if (adoption && adoption->kind == AdoptionKind::kLeft) {
    if (found.saved != nullptr) {
      keeper_->leave(*found.saved);
    }
    return false;
  }
  const bool refused = adoption && adoption->kind == AdoptionKind::kRefused;
  const bool goes_on = adoption && !refused && adoption->kind != AdoptionKind::kOver;
  if (!goes_on && found.intent) {
    log_forks(pod, *found.intent, enforce::restore_forks(*pod.target, *found.intent));
    enforce::clear_intent(*pod.target);
  }
  if (!adoption) {
    return true;
  }
  SavedEviction known = found.saved == nullptr ? SavedEviction{} : *found.saved;
  known.uid = pod.uid;
  known.pod = pod.memory_id;
  known.ns = pod.ns;
  known.name = pod.name;
  known.below_pod_root = pod.below_pod_root;
  go_on_with(std::move(known), *adoption, now);
  if (refused) {
    handle(EvictionRefused{.victim = &pod, .code = Errc::kInvalid, .adopted = true});
  }
  return true;
}

/// `known` as far as it is not in `adoption`.
void Housekeeping::go_on_with(SavedEviction known, const Adoption& adoption, MonoTime now) {
  const bool is_ours = adoption.kind != AdoptionKind::kReleasing;
  if (is_ours) {
    record_adopted(known, adoption, now);
  }
  known.hard = adoption.hard;
  known.killed = adoption.kind != AdoptionKind::kInGrace;
  known.began_at = adoption.began_at;
  known.kill_due_at = adoption.kill_due_at;
  known.killed_at = adoption.killed_at;
  known.for_disk = adoption.for_disk;
  known.gone = adoption.kind == AdoptionKind::kGone;
  if (adoption.kind == AdoptionKind::kOver || adoption.kind == AdoptionKind::kRefused) {
    return;
  }
  options_.log->info("goes on with an eviction that was under way",
                     {{"pod", known.ns + "/" + known.name},
                      {"uid", known.uid},
                      {"found", std::string(text_of(adoption.kind))}});
  send(AdoptEviction{.pod = known.pod, .adoption = adoption});
  if (is_ours) {
    keeper_->note_adopted(known);
    storage_->note_victim({.pod = known.pod,
                           .uid = known.uid,
                           .below_pod_root = known.below_pod_root,
                           .for_disk = known.for_disk,
                           .killed_at = known.killed ? known.killed_at : known.kill_due_at,
                           .gone = known.gone});
  }
}

/// The hot thread has the pod and does not go on with what an earlier evictd began: nor shall the
/// next one.
void Housekeeping::take_back_intent(const HotPod& pod) {
  // One that is pinned is being evicted by now, and the intent is about that.
  if (!pod.target || pod.target->pinned()) {
    return;
  }
  const std::optional<enforce::Intent> intent = enforce::read_intent(*pod.target);
  if (!intent) {
    return;
  }
  log_forks(pod, *intent, enforce::restore_pids_max(*pod.target, *intent));
  enforce::clear_intent(*pod.target);
  // What the hot thread has still holds a pids.max of 0 for what the pod had.
  options_.registry->make_anew(pod.uid);
}

void Housekeeping::log_forks(const HotPod& pod, const enforce::Intent& intent,
                             enforce::ForkRestore restored) {
  const std::string who = pod.ns + "/" + pod.name + " (" + pod.uid + ")";
  switch (restored) {
    case enforce::ForkRestore::kNotStopped:
      break;
    case enforce::ForkRestore::kRestored:
      options_.log->info("pids.max of a pod that was not killed after all is as it was",
                         {{"pod", who}, {"pids_max", intent.pids_max}});
      break;
    case enforce::ForkRestore::kUnlimited:
      options_.log->warn("pids.max of pod " + who +
                         " is 0 and what it was is not known, continuing with \"max\"");
      break;
    case enforce::ForkRestore::kFailed:
      options_.log->warn("pids.max of pod " + who +
                         " cannot be written, continuing with a pod that cannot fork");
      break;
  }
}

/// What the file has of it is gone on with, under its id; else there is none yet.
void Housekeeping::record_adopted(const SavedEviction& known, const Adoption& adoption,
                                  MonoTime now) {
  const auto told = journal_->last_evictions().find(known.uid);
  const bool has_ended =
      adoption.kind == AdoptionKind::kGone || adoption.kind == AdoptionKind::kOver;
  if (told != journal_->last_evictions().end() &&
      tells_of(told->second.back(), known.uid, adoption, now)) {
    for (exporting::EvictionRecord record : told->second) {
      const bool over = is_open(record) && has_ended;
      record.state = over ? "released" : record.state;
      const exporting::EvictionRecord& kept = records_.go_on_with(std::move(record), known.pod);
      if (over) {
        journal_->add_whole(exporting::to_json(kept), exporting::Durability::kCached);
      }
    }
    return;
  }
  const exporting::EvictionRecord& kept =
      records_.add(make_adopted_record(known, adoption, options_.clock->wall_now()), known.pod);
  log_eviction(kept);
  journal_->add_whole(exporting::to_json(kept), exporting::Durability::kSynced);
}

/// Victims whose cgroup went while nobody watched: only the state file knows of them. Returns how
/// many of them a dry run leaves to a later evictd.
std::size_t Housekeeping::adopt_vanished(MonoTime now) {
  const MayEnd may_end = in_dry_run(wishes_, *config_) ? MayEnd::kDryRun : MayEnd::kYes;
  std::size_t left = 0;
  for (const SavedEviction& one : keeper_->found().state.in_flight) {
    const std::vector<PodRegistry::Listed> pods = options_.registry->list();
    const bool there = std::any_of(pods.begin(), pods.end(), [&](const auto& listed) {
      return listed.hot != nullptr && listed.hot->memory_id == one.pod;
    });
    const FoundPod nobody{
        .inhabitants = {}, .intent = std::nullopt, .saved = &one, .may_end = may_end};
    const std::optional<Adoption> adoption = adoption_of(nobody, now);
    if (!adoption || there) {
      continue;
    }
    if (adoption->kind == AdoptionKind::kLeft) {
      keeper_->leave(one);
      ++left;
    } else {
      go_on_with(one, *adoption, now);
    }
  }
  return left;
}

void Housekeeping::keep_state() {
  keeper_->keep(options_.clock->now());
  const StateWriter::Counters counters = keeper_->counters();
  if (!counters.last_failure.empty() && !state_failing_) {
    options_.log->warn(counters.last_failure +
                       ", continuing without a state file: a restart would forget timers");
  }
  state_failing_ = !counters.last_failure.empty();
}

}  // namespace evictd::daemon
