// SPDX-License-Identifier: Apache-2.0
// The acting part of a pass: which threshold, whether it waits, and which pod.
#include <algorithm>

#include "eviction/forecast.h"
#include "eviction/hold.h"
#include "eviction/left_behind.h"
#include "eviction/manager.h"
#include "eviction/partial_disk.h"
#include "eviction/rank.h"
#include "eviction/ranking.h"
#include "eviction/steps.h"

namespace evictd::eviction {
namespace {

/// Time between two readings of the kernel's reserve while a victim is in its hard grace period. At
/// 3 GiB/s a small node loses 30 MiB in it.
constexpr Duration kFloorInterval = std::chrono::milliseconds{10};

/// The first pod in rank that may be evicted and that `wanted` accepts.
template <typename Wanted>
std::optional<std::size_t> first_candidate(const RankRule& rule, std::span<const PassPod> pods,
                                           const Wanted& wanted) {
  std::optional<std::size_t> best;
  RankKey best_key;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (passed_over_by(rule, pods[i]) != PassOver::kNone || !wanted(pods[i])) {
      continue;
    }
    const RankKey key = rank_key(rule, *pods[i].facts, pods[i].reading);
    if (!best || key < best_key) {
      best = i;
      best_key = key;
    }
  }
  return best;
}

bool has_no_victim(Outcome outcome) {
  return outcome == Outcome::kNoCandidates || outcome == Outcome::kAllProtected;
}

}  // namespace

/// Adds the pods that exceed a limit to `found`, as many as the brakes allow. Holds where they
/// allow none.
Verdict EvictionManager::find_local_victims(MonoTime now, const PassInput& input,
                                            std::vector<LocalStorageVictim>& found) const {
  const Brakes* const brakes = input.brakes;
  const bool paused = brakes != nullptr && brakes->pauses.all > now;
  const std::size_t most = brakes == nullptr ? input.pods.size()
                           : paused          ? 0
                                    : evictions_left(*brakes, now).value_or(input.pods.size());
  bool exceeded = false;
  for (std::size_t i = 0; i < input.pods.size(); ++i) {
    const PassPod& pod = input.pods[i];
    if (!pod.facts->has_local_limits || pod.pod == nullptr || pod.statistics == nullptr ||
        pod.standing != Standing::kActive || protection_of(pod) != PassOver::kNone) {
      continue;
    }
    if (const auto breach =
            local_storage_breach(*pod.pod, *pod.statistics, *state_.layout, settings_.compat)) {
      exceeded = true;
      if (found.size() < most) {
        found.push_back({i, *breach});
      }
    }
  }
  if (!exceeded || most > 0) {
    return Verdict::proceed();
  }
  return paused ? Verdict::hold(Reason::kPaused, brakes->pauses.all)
                : Verdict::hold(Reason::kEvictionRate, next_allowance(*brakes, now).value_or(now));
}

RankRule EvictionManager::rule_at(std::size_t place) const {
  return rank_rule(table_[place].signal, *state_.layout, settings_.pid_scope);
}

/// Whether a threshold without a victim leaves its turn to the next one. The kubelet's pass ends
/// here, because all its thresholds use the same list of pods. evictd's pass ends too, unless the
/// list was shorter: a limit of the pod root must not keep the node from its candidates.
bool EvictionManager::may_pass_on(const PassInput& input, std::size_t place) const {
  return scope_at(place) == Scope::kPodRoot &&
         std::any_of(input.pods.begin(), input.pods.end(), [](const PassPod& pod) {
           return !pod.facts->below_pod_root && protection_of(pod) == PassOver::kNone;
         });
}

/// Acts on the first threshold that neither waits nor leaves its turn to the next one.
void EvictionManager::act(MonoTime now, const PassInput& input) {
  struct Ending {
    std::size_t place = 0;
    Outcome outcome = Outcome::kHeld;
    Reason reason = Reason::kNone;
  };
  std::optional<Ending> first_held;
  std::optional<Ending> first_without;
  for (const std::size_t place : decision_.actionable) {
    decision_.threshold = place;
    try_threshold(now, input, place);
    const Ending ending{place, decision_.outcome, decision_.reason};
    if (ending.outcome == Outcome::kHeld) {
      first_held = first_held.value_or(ending);
    } else if (has_no_victim(ending.outcome) && may_pass_on(input, place)) {
      first_without = first_without.value_or(ending);
    } else {
      return;
    }
  }
  const Ending told = first_held ? *first_held : first_without.value_or(Ending{});
  decision_.threshold = told.place;
  decision_.outcome = told.outcome;
  decision_.reason = told.reason;
}

/// The steps before a victim may be chosen. The first one that does not proceed is the verdict.
Verdict EvictionManager::judge(MonoTime now, const PassInput& input, std::size_t place) {
  if (const Verdict verdict = brake(now, input, place); !verdict.proceeds()) {
    return verdict;
  }
  if (const Verdict verdict = cut_below_floor(input, place); !verdict.proceeds()) {
    return verdict;
  }
  return await_release(now, input, place);
}

/// Writes a verdict about the threshold in hand into the decision.
void EvictionManager::settle(const Verdict& verdict) {
  switch (verdict.kind()) {
    case Verdict::Kind::kProceed:
      decision_.overruled = verdict.reason();
      return;
    case Verdict::Kind::kHold:
      decision_.outcome = Outcome::kHeld;
      decision_.reason = verdict.reason();
      add_deadline(verdict.until());
      return;
    case Verdict::Kind::kEscalate:
      decision_.outcome = Outcome::kEscalated;
      decision_.reason = Reason::kNone;
      decision_.victim = verdict.victim();
      decision_.grace = std::chrono::seconds(0);
      forget_marks(table_[*decision_.threshold].signal);
      return;
  }
}

void EvictionManager::try_threshold(MonoTime now, const PassInput& input, std::size_t place) {
  if (const Verdict verdict = judge(now, input, place); !verdict.proceeds()) {
    settle(verdict);
    return;
  }
  const CollectorList collectors = collectors_for(table_[place].signal, *state_.layout);
  if (collectors.empty()) {
    choose_victim(now, input, place);
  } else if (!suspended_) {
    suspend(place, collectors);
  } else {
    settle(Verdict::hold(Reason::kCollectorsBusy));
  }
}

/// The disk usage basis for choosing a pod; nullopt while the threshold must wait for it.
std::optional<DiskBasis> EvictionManager::disk_basis(const PassInput& input,
                                                     std::size_t place) const {
  if (!input.disk_usage_pending || !is_disk(table_[place].signal)) {
    return DiskBasis::kMeasured;
  }
  const RankRule rule = rule_at(place);
  const std::optional<std::size_t> first =
      first_candidate(rule, input.pods, [](const PassPod&) { return true; });
  if (!first || input.disk_progress == DiskProgress::kNothing) {
    return std::nullopt;
  }
  const DiskSupport support = support_of(rule, input.pods, *first);
  // Once time is up, a reading may be old, which proves nothing.
  if (input.disk_progress == DiskProgress::kTimeIsUp) {
    return support == DiskSupport::kOpen ? std::nullopt : std::optional(DiskBasis::kBestKnown);
  }
  return support == DiskSupport::kCertain ? std::optional(DiskBasis::kCertain) : std::nullopt;
}

void EvictionManager::suspend(std::size_t place, const CollectorList& collectors) {
  suspended_ = SuspendedPass{place, decision_.met, decision_.past_grace, decision_.actionable,
                             decision_.observations};
  decision_.outcome = Outcome::kReclaiming;
  decision_.reason = Reason::kNone;
  decision_.collectors = collectors;
}

HoldQuestion EvictionManager::hold_question(std::size_t place, const Observation& seen) const {
  const Threshold& threshold = table_[place];
  const MinReclaim counted =
      table_.met(place, seen, MinReclaim::kIgnored) ? MinReclaim::kIgnored : MinReclaim::kEnforced;
  HoldQuestion question{.hard = threshold.is_hard(),
                        .seen = seen,
                        .threshold = table_.limit(place, seen.capacity, MinReclaim::kIgnored),
                        .goal = table_.limit(place, seen.capacity, counted),
                        .mark = state_.last_evictions[static_cast<std::size_t>(threshold.signal)],
                        .resource = resource_of(threshold.signal),
                        .scope = scope_at(place),
                        .floor = floor_of(place, seen.capacity)};
  if (is_guarded(place)) {
    question.seen.available = seen.reserve->left;
    question.goal = guard_distance(*seen.reserve);
    question.mark = state_.guard_mark;
  }
  return question;
}

std::optional<EvictionMark>& EvictionManager::mark_of(std::size_t place) {
  return is_guarded(place) ? state_.guard_mark
                           : state_.last_evictions[static_cast<std::size_t>(table_[place].signal)];
}

/// Holds while the threshold waits for an earlier victim. Keeps the mark from which a further fall
/// is measured.
Verdict EvictionManager::await_release(MonoTime now, const PassInput& input, std::size_t place) {
  const Threshold& threshold = table_[place];
  const std::optional<Observation>& seen = decision_.observations[threshold.signal];
  if (!seen) {
    return Verdict::proceed();
  }
  std::optional<EvictionMark>& mark = mark_of(place);
  if (mark && now - mark->at >= kReleaseWait) {
    mark.reset();
  }
  const HoldQuestion question = hold_question(place, *seen);
  const Reason reason = hold_reason(question, input, now);
  if (reason == Reason::kNone) {
    return Verdict::proceed();
  }
  if (reason == Reason::kVictimInGrace && threshold.is_hard()) {
    mark.reset();
    return Verdict::hold(reason, next_floor_look(now, *seen));
  }
  if (reason != Reason::kReleasePending) {
    return Verdict::hold(reason);
  }
  // The fall is measured from the first hold: see choose_victim().
  if (!mark) {
    mark = EvictionMark{now, question.seen.available};
  } else if (choice_beside_left(question, input, now) == Choice::kNobody) {
    // Some of it was freed since: what a pod takes from there on counts.
    mark->available = std::max(mark->available, question.seen.available);
  }
  return Verdict::hold(reason, release_deadline(input.releasing, scope_at(place), now));
}

/// No event reports a fall of the kernel's reserve.
std::optional<MonoTime> EvictionManager::next_floor_look(MonoTime now, const Observation& seen) {
  return seen.kernel_available ? std::optional(now + kFloorInterval) : std::nullopt;
}

void EvictionManager::forget_marks(Signal signal) {
  state_.last_evictions[static_cast<std::size_t>(signal)].reset();
  if (signal == Signal::kMemoryAvailable) {
    state_.guard_mark.reset();
  }
}

/// Takes the rest of its grace period from a victim of a hard threshold, once less than the floor
/// is left.
Verdict EvictionManager::cut_below_floor(const PassInput& input, std::size_t place) const {
  const Threshold& threshold = table_[place];
  const std::optional<Observation>& seen = decision_.observations[threshold.signal];
  if (!seen || !threshold.is_hard() || !below_floor(place, *seen)) {
    return Verdict::proceed();
  }
  const std::optional<std::size_t> victim =
      first_candidate(rule_at(place), input.pods,
                      [](const PassPod& pod) { return pod.standing == Standing::kInHardGrace; });
  return victim ? Verdict::escalate(*victim) : Verdict::proceed();
}

void EvictionManager::choose_victim(MonoTime now, const PassInput& input, std::size_t place) {
  const Threshold& threshold = table_[place];
  const std::optional<DiskBasis> basis = disk_basis(input, place);
  if (!basis) {
    decision_.usage_awaited = true;
    settle(Verdict::hold(Reason::kUsagePending));
    return;
  }
  decision_.reason = Reason::kNone;
  const RankRule rule = rule_at(place);
  decision_.choice = choice_at(now, input, place);
  const Chosen chosen(decision_.choice, rule, input.pods);
  const std::optional<std::size_t> first = first_candidate(
      rule, input.pods, [&chosen](const PassPod& pod) { return chosen.may_go(pod); });
  if (!first) {
    report_no_victim(now, input, place);
    return;
  }
  const PassPod& victim = input.pods[*first];
  const bool dies_anyway = victim.standing == Standing::kInSoftGrace;
  const Verdict rate = dies_anyway ? Verdict::proceed() : limit_rate(now, input, place);
  settle(rate);
  if (!rate.proceeds()) {
    return;
  }
  decision_.victim = first;
  decision_.disk_basis = *basis;
  decision_.outcome = dies_anyway ? Outcome::kEscalated : Outcome::kEvicted;
  if (!dies_anyway && is_guarded(place)) {
    decision_.outcome = Outcome::kOomGuard;
  }
  give_grace(place, *victim.facts);
  if (const std::optional<Observation>& seen = decision_.observations[threshold.signal]) {
    // What a victim takes in its grace period, or until its last process gets SIGKILL, is freed
    // with it: not a further fall.
    forget_marks(threshold.signal);
    if (decision_.grace.count() != 0 && threshold.is_hard()) {
      decision_.cut_at_once = below_floor(place, *seen);
      add_deadline(next_floor_look(now, *seen));
    }
  }
}

Choice EvictionManager::choice_at(MonoTime now, const PassInput& input, std::size_t place) const {
  const std::optional<Observation>& seen = decision_.observations[table_[place].signal];
  return seen ? choice_beside_left(hold_question(place, *seen), input, now) : Choice::kAnybody;
}

void EvictionManager::report_no_victim(MonoTime now, const PassInput& input, std::size_t place) {
  const RankRule rule = rule_at(place);
  const bool somebody =
      decision_.choice != Choice::kAnybody &&
      first_candidate(rule, input.pods, [](const PassPod&) { return true; }).has_value();
  if (somebody) {
    // Any candidate would be evicted for memory that a killed pod holds.
    settle(Verdict::hold(
        decision_.choice == Choice::kAboveRequest ? Reason::kLeftBehind : Reason::kReleasePending,
        release_deadline(input.releasing, rule.scope, now)));
    return;
  }
  const bool any_active = std::ranges::any_of(input.pods, [&](const PassPod& pod) {
    return is_active(pod) && frees_in(rule.scope, pod.facts->below_pod_root);
  });
  decision_.outcome = any_active ? Outcome::kAllProtected : Outcome::kNoCandidates;
  decision_.nobody_to_evict = true;
}

/// Cuts a hard grace period to the time that is left.
void EvictionManager::give_grace(std::size_t place, const PodFacts& victim) {
  const Threshold& threshold = table_[place];
  decision_.grace = grace_for(threshold, victim);
  decision_.grace_wanted = decision_.grace;
  const std::optional<Observation>& seen = decision_.observations[threshold.signal];
  if (!threshold.is_hard() || decision_.grace.count() == 0 || !seen) {
    return;
  }
  const std::optional<Duration> time =
      time_for_grace(*seen, floor_of(place, seen->capacity), settings_.oom_guard);
  if (time) {
    decision_.time_left = std::chrono::floor<std::chrono::milliseconds>(*time);
  }
  if (settings_.hard_grace_policy == GracePolicy::kPredicted) {
    decision_.grace = grace_within(decision_.grace, time);
  }
}

bool EvictionManager::below_floor(std::size_t place, const Observation& seen) const {
  const bool guard = decision_.oom_guard && table_[place].signal == Signal::kMemoryAvailable;
  return guard || Wide{seen.left()} < floor_of(place, seen.capacity);
}

Wide EvictionManager::floor_of(std::size_t place, std::int64_t capacity) const {
  if (settings_.hard_floor.amount) {
    return *settings_.hard_floor.amount;
  }
  const Wide limit = table_.limit(place, capacity, MinReclaim::kIgnored);
  // Thousandths of a percent keep this in integers.
  const auto share = static_cast<std::int64_t>(settings_.hard_floor.percent_of_threshold * 1000);
  return limit * share / 100'000;
}

std::chrono::seconds EvictionManager::hard_grace() const {
  return settings_.hard_grace.value_or(
      std::chrono::seconds(settings_.compat == Compat::k1_26 ? 0 : 1));
}

std::chrono::seconds EvictionManager::grace_for(const Threshold& threshold,
                                                const PodFacts& victim) const {
  if (threshold.is_hard()) {
    return hard_grace();
  }
  if (settings_.compat == Compat::k1_26 || !victim.termination_grace_seconds) {
    return settings_.max_pod_grace;
  }
  return std::min(settings_.max_pod_grace, std::chrono::seconds(*victim.termination_grace_seconds));
}

}  // namespace evictd::eviction
