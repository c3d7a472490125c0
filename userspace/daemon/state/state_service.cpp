// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/state_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/beside.h"
#include "daemon/pods/pod_look.h"
#include "daemon/records/adopted_record.h"
#include "daemon/state/adoption.h"
#include "enforce/bridge.h"

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
    case AdoptionKind::kUnreaped:
      return "gone, what it left awaited";
    case AdoptionKind::kRefused:
      return "protected";
    case AdoptionKind::kLeft:
      return "left to a later evictd";
    case AdoptionKind::kOver:
      return "over";
  }
  return "";
}

/// For a pod that has a target.
MayEnd may_end(const HotPod& pod, bool dry_run) {
  if (dry_run) {
    return MayEnd::kDryRun;
  }
  // Only the target knows that evictd's own process is in it.
  const bool is_protected = pod.protection != enforce::Protection::kNone ||
                            pod.target->protection() != enforce::Protection::kNone;
  return is_protected ? MayEnd::kProtected : MayEnd::kYes;
}

/// A pod with its processes and intent, or only the state file's data.
struct SeenPod {
  /// nullptr if its cgroup vanished while no evictd ran; `found.saved` is then set.
  const HotPod* pod = nullptr;
  FoundPod found;
};

/// Whether the actuator resumes it, and lets the pod fork again once it is gone or released.
bool is_ended_here(const std::optional<Adoption>& adoption) {
  return adoption &&
         (adoption->kind == AdoptionKind::kInGrace || adoption->kind == AdoptionKind::kKilled);
}

/// The last run's state of `pod`; nullptr for none.
const SavedEviction* saved_of(const HotPod& pod, const std::vector<SavedEviction>& left) {
  const auto saved = std::find_if(left.begin(), left.end(), [&](const SavedEviction& one) {
    return one.pod == pod.memory_id && one.uid == pod.uid;
  });
  return saved == left.end() ? nullptr : &*saved;
}

FoundPod look_at(const HotPod& pod, const PodRegistry& registry, const StateKeeper& keeper,
                 MonoTime now) {
  const SavedEviction* const saved = saved_of(pod, keeper.found().state.in_flight);
  FoundPod found =
      inspect_pod(pod, registry, saved == nullptr ? SavedLook::kNone : SavedLook::kSome, now);
  found.saved = saved;
  found.clock = keeper.clock();
  return found;
}

/// The same for every pod that has a target; opens files for it.
std::vector<SeenPod> inspect_pods(const PodRegistry& registry, const StateKeeper& keeper,
                                  MonoTime now) {
  std::vector<SeenPod> seen;
  for (const PodRegistry::Listed& listed : registry.list()) {
    if (listed.hot != nullptr && listed.hot->target) {
      seen.push_back({.pod = listed.hot, .found = {}});
    }
  }
  for_each_below(seen.size(), [&seen, &registry, &keeper, now](std::size_t i) {
    seen[i].found = look_at(*seen[i].pod, registry, keeper, now);
  });
  return seen;
}

bool is_there(const PodRegistry& registry, const std::string& uid, CgroupId pod) {
  const cluster::PodCgroup* const cgroup = registry.tree().find(uid);
  return cgroup != nullptr && cgroup->memory_id == pod;
}

/// The pods of the state file that no longer exist.
std::vector<SeenPod> vanished(const PodRegistry& registry, const std::vector<SavedEviction>& left) {
  std::vector<SeenPod> gone;
  for (const SavedEviction& one : left) {
    if (!is_there(registry, one.uid, one.pod)) {
      gone.push_back({.pod = nullptr, .found = {}});
      gone.back().found.saved = &one;
    }
  }
  return gone;
}

/// Their records are numbered in this order, and the last one must be the newest. Without an
/// eviction in progress there is no record.
void sort_by_beginning(std::vector<SeenPod>& seen, MonoTime now) {
  std::vector<std::pair<MonoTime, std::size_t>> order;
  order.reserve(seen.size());
  for (const SeenPod& one : seen) {
    const std::optional<Adoption> adoption = adoption_of(one.found, now);
    order.emplace_back(adoption ? adoption->began_at : now, order.size());
  }
  std::sort(order.begin(), order.end());
  std::vector<SeenPod> sorted;
  sorted.reserve(seen.size());
  for (const auto& [began_at, place] : order) {
    sorted.push_back(std::move(seen[place]));
  }
  seen = std::move(sorted);
}

/// All possible victims of the last run, by the time of their eviction.
std::vector<SeenPod> find_victims(const PodRegistry& registry, const StateKeeper& keeper,
                                  MonoTime now) {
  std::vector<SeenPod> seen = inspect_pods(registry, keeper, now);
  for (SeenPod& one : vanished(registry, keeper.found().state.in_flight)) {
    seen.push_back(std::move(one));
  }
  sort_by_beginning(seen, now);
  return seen;
}

void log_left(base::Log& log, std::size_t left) {
  if (left != 0) {
    log.warn(fmt::format(
        "a dry run leaves {} pods alone that an earlier evictd was evicting, continuing without "
        "them: an evictd that starts without a dry run resumes their evictions",
        left));
  }
}

void log_forks(base::Log& log, const SavedEviction& known, const enforce::Intent& intent,
               enforce::ForkRestore restored) {
  const std::string who = known.ns + "/" + known.name + " (" + known.uid + ")";
  switch (restored) {
    case enforce::ForkRestore::kNotStopped:
      break;
    case enforce::ForkRestore::kRestored:
      log.info("restored pids.max of a pod, which an earlier evictd had changed",
               {{"pod", who}, {"pids_max", intent.pids_max}});
      break;
    case enforce::ForkRestore::kUnlimited:
      log.warn("pids.max of pod " + who +
               " was set to 0 by an earlier evictd and its former value is not known, continuing "
               "with \"max\"");
      break;
    case enforce::ForkRestore::kFailed:
      log.warn("pids.max of pod " + who +
               " cannot be written, continuing with a pod that cannot fork");
      break;
  }
}

void log_bridge(base::Log& log, const SavedEviction& known, enforce::BridgeEnd end) {
  const std::string who = known.ns + "/" + known.name + " (" + known.uid + ")";
  switch (end) {
    case enforce::BridgeEnd::kNothing:
      break;
    case enforce::BridgeEnd::kPutBack:
      log.info("restored memory.high of a pod, which an earlier evictd had lowered",
               {{"pod", who}});
      break;
    case enforce::BridgeEnd::kFailed:
      log.warn("memory.high of pod " + who +
               " cannot be written, continuing with a pod whose growth is throttled");
      break;
  }
}

}  // namespace

void StateService::resume_last_run() {
  const FoundState& found = keeper_.found();
  wishes_ = found.state.wishes;
  if (found.state.configured_dry_run != context_.settings().dry_run) {
    // The configuration is the latest change.
    wishes_.dry_run.reset();
  }
  keeper_.set_wishes(wishes_, context_.settings().dry_run);
  if (wishes_ != engine::OperatorWishes{}) {
    context_.backlog.send(SetWishes{.wishes = wishes_, .generation = ++wishes_generation_});
  }
  const MonoTime now = context_.clock->now();
  std::size_t left = 0;
  for (const PodRegistry::Listed& listed : context_.registry->list()) {
    if (listed.entry->cgroup && (listed.hot == nullptr || !listed.hot->target)) {
      keeper_.defer(listed.entry->uid, listed.entry->cgroup->memory_id);
    }
  }
  for (SeenPod& seen : find_victims(*context_.registry, keeper_, now)) {
    if (seen.pod == nullptr) {
      left += adopt_vanished(*seen.found.saved, now) ? 1 : 0;
      continue;
    }
    const std::optional<Adoption> adoption = adopt(*seen.pod, std::move(seen.found), now);
    left += adoption && adoption->kind == AdoptionKind::kLeft ? 1 : 0;
    if (adoption && goes_on(adoption->kind)) {
      context_.backlog.send(AdoptEviction{.pod = seen.pod->memory_id, .adoption = *adoption});
    }
  }
  log_left(*context_.log, left);
  if (keeper_.deferred().empty()) {
    records_.journal().forget_last_evictions();
  }
}

std::optional<Adoption> StateService::adopt_deferred(const HotPod* pod) {
  if (pod == nullptr || !pod->target || !keeper_.take_deferred(pod->uid, pod->memory_id)) {
    return std::nullopt;
  }
  const MonoTime now = context_.clock->now();
  const std::optional<Adoption> adoption =
      adopt(*pod, look_at(*pod, *context_.registry, keeper_, now), now);
  log_left(*context_.log, adoption && adoption->kind == AdoptionKind::kLeft ? 1 : 0);
  return adoption && goes_on(adoption->kind) ? adoption : std::nullopt;
}

void StateService::follow_retired(const HotPod& pod) {
  if (!is_there(*context_.registry, pod.uid, pod.memory_id)) {
    keeper_.forget_if_over(pod.memory_id);
  }
}

void StateService::end_deferrals() {
  if (keeper_.deferred().empty()) {
    return;
  }
  std::vector<std::pair<std::string, CgroupId>> gone;
  for (const auto& [uid, pod] : keeper_.deferred()) {
    if (!is_there(*context_.registry, uid, pod)) {
      gone.emplace_back(uid, pod);
    }
  }
  std::vector<const SavedEviction*> ended;
  for (const auto& [uid, pod] : gone) {
    static_cast<void>(keeper_.take_deferred(uid, pod));
    for (const SavedEviction& one : keeper_.found().state.in_flight) {
      if (one.uid == uid && one.pod == pod) {
        ended.push_back(&one);
      }
    }
  }
  std::stable_sort(ended.begin(), ended.end(), [](const SavedEviction* a, const SavedEviction* b) {
    return a->began_at < b->began_at;
  });
  for (const SavedEviction* const one : ended) {
    log_left(*context_.log, adopt_vanished(*one, context_.clock->now()) ? 1 : 0);
  }
  if (keeper_.deferred().empty()) {
    records_.journal().forget_last_evictions();
  }
}

/// Decides what is done with the pod; the hot thread does not know yet. nullopt without an eviction
/// in progress.
std::optional<Adoption> StateService::adopt(const HotPod& pod, FoundPod found, MonoTime now) {
  found.may_end = may_end(pod, in_dry_run());
  std::optional<Adoption> adoption = adoption_of(found, now);
  const SavedEviction known = known_of(pod, found.saved);
  if (found.intent || found.saved != nullptr) {
    log_bridge(*context_.log, known, enforce::restore_memory_high(*pod.target));
  }
  if (found.intent && !is_ended_here(adoption)) {
    log_forks(*context_.log, known, *found.intent,
              enforce::restore_forks(*pod.target, *found.intent));
  }
  if (adoption && adoption->kind == AdoptionKind::kLeft) {
    if (found.saved != nullptr) {
      keeper_.leave(*found.saved);
    }
    return adoption;
  }
  const bool refused = adoption && adoption->kind == AdoptionKind::kRefused;
  // For a pod that is gone, only its disk space is awaited, by the next evictd too.
  const bool is_done =
      !adoption || refused || (has_ended(adoption->kind) && adoption->kind != AdoptionKind::kGone);
  if (is_done && found.intent) {
    clear_intent_of(pod, *context_.registry);
  }
  if (!adoption) {
    return adoption;
  }
  resume_eviction(known, *adoption, now);
  if (refused) {
    on_refused_({.victim = &pod, .code = Errc::kInvalid, .adopted = true, .at = now});
  }
  return adoption;
}

/// `known` has what `adoption` lacks.
void StateService::resume_eviction(SavedEviction known, const Adoption& adoption, MonoTime now) {
  const bool is_ours = adoption.kind != AdoptionKind::kReleasing;
  if (is_ours) {
    records_.record_adopted(known, adoption, now);
  }
  known.hard = adoption.hard;
  known.killed = adoption.kind != AdoptionKind::kInGrace;
  known.began_at = adoption.began_at;
  known.kill_due_at = adoption.kill_due_at;
  known.killed_at = adoption.killed_at;
  known.for_disk = adoption.for_disk;
  known.gone = has_ended(adoption.kind);
  if (!goes_on(adoption.kind)) {
    return;
  }
  context_.log->info("resumes an eviction that was in progress",
                     {{"pod", known.ns + "/" + known.name},
                      {"uid", known.uid},
                      {"found", std::string(text_of(adoption.kind))}});
  if (is_ours) {
    keeper_.add_adopted(known);
    storage_.await_victim({.pod = known.pod,
                           .uid = known.uid,
                           .below_pod_root = known.below_pod_root,
                           .keeps_data = in_dry_run(),
                           .for_disk = known.for_disk,
                           .killed_at = known.killed ? known.killed_at : known.kill_due_at,
                           .gone = known.gone});
  }
}

void StateService::withdraw_intent(const HotPod& pod) {
  // A pinned target is being evicted now, and the intent belongs to that.
  if (!pod.target || pod.target->pinned()) {
    return;
  }
  const std::optional<enforce::Intent> intent = intent_of(pod, *context_.registry);
  if (!intent) {
    return;
  }
  log_forks(*context_.log, known_of(pod, saved_of(pod, keeper_.found().state.in_flight)), *intent,
            enforce::restore_pids_max(*pod.target, *intent));
  clear_intent_of(pod, *context_.registry);
  // The hot thread's target still takes a pids.max of 0 for the pod's own value.
  context_.registry->queue_reopening(pod.uid);
}

/// A victim whose cgroup vanished while no evictd ran: only the state file knows of it. Returns
/// whether a dry run leaves it to a later evictd.
bool StateService::adopt_vanished(const SavedEviction& one, MonoTime now) {
  const MayEnd may_end = in_dry_run() ? MayEnd::kDryRun : MayEnd::kYes;
  const FoundPod nobody{
      .inhabitants = {}, .intent = std::nullopt, .saved = &one, .may_end = may_end};
  const std::optional<Adoption> adoption = adoption_of(nobody, now);
  if (!adoption) {
    return false;
  }
  if (adoption->kind == AdoptionKind::kLeft) {
    keeper_.leave(one);
    return true;
  }
  resume_eviction(one, *adoption, now);
  if (goes_on(adoption->kind)) {
    context_.backlog.send(AdoptEviction{.pod = one.pod, .adoption = *adoption});
  }
  return false;
}

std::uint64_t StateService::change_wishes(const engine::OperatorWishes& wishes) {
  wishes_ = wishes;
  context_.backlog.send(SetWishes{.wishes = wishes_, .generation = ++wishes_generation_});
  keeper_.set_wishes(wishes_, context_.settings().dry_run);
  return wishes_generation_;
}

void StateService::reload(const config::Settings& before) {
  engine::OperatorWishes wishes = wishes_;
  if (before.dry_run != context_.settings().dry_run) {
    wishes.dry_run.reset();
  }
  if (wishes != wishes_) {
    change_wishes(wishes);
  } else {
    keeper_.set_wishes(wishes_, context_.settings().dry_run);
  }
}

void StateService::keep(StateKeeper::Lag lag) {
  keeper_.keep(context_.clock->now(), lag);
  const StateWriter::Counters counters = keeper_.counters();
  if (!counters.last_failure.empty() && !failing_) {
    context_.log->warn(counters.last_failure +
                       ", continuing without a state file: a restart would forget timers");
  }
  failing_ = !counters.last_failure.empty();
}

}  // namespace evictd::daemon
