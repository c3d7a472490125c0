// SPDX-License-Identifier: Apache-2.0
#include "engine/backstop.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <ratio>

#include "eviction/rank.h"
#include "eviction/ranking.h"

namespace evictd::engine {

namespace {

using Unplanned = tl::unexpected<NoBackstop>;

/// Most bytes by which a pod can grow or shrink while a plan is armed.
std::int64_t most_change(const BackstopQuestion& question, std::int64_t capacity) {
  if (question.growth.value <= 0) {
    return capacity;
  }
  const eviction::Wide change =
      eviction::Wide{question.growth.value} * kBackstopLasts.count() / std::nano::den;
  return static_cast<std::int64_t>(std::min(change, eviction::Wide{capacity}));
}

bool is_ahead(const eviction::ThresholdTable& thresholds, std::size_t place,
              const eviction::Observation& seen) {
  const eviction::Threshold& threshold = thresholds[place];
  return threshold.is_hard() && threshold.op == eviction::ThresholdOperator::kLessThan &&
         !thresholds.met(place, seen, eviction::MinReclaim::kIgnored);
}

/// The hard threshold of `signal` that is met next.
std::optional<std::size_t> next_of(const eviction::ThresholdTable& thresholds,
                                   eviction::Signal signal, const eviction::Observation& seen) {
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].signal != signal || !is_ahead(thresholds, i, seen)) {
      continue;
    }
    if (!next || thresholds.limit(i, seen.capacity, eviction::MinReclaim::kIgnored) >
                     thresholds.limit(*next, seen.capacity, eviction::MinReclaim::kIgnored)) {
      next = i;
    }
  }
  return next;
}

/// Whether a threshold of the other memory signal, acted on before the one at `place`, may be met
/// while the plan is armed.
bool other_may_be_met(const eviction::ThresholdTable& thresholds,
                      const eviction::Observations& seen, std::size_t place, std::int64_t change) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const eviction::Signal signal = thresholds[i].signal;
    if (!eviction::is_memory(signal) || signal == thresholds[place].signal || !seen[signal] ||
        thresholds.order(i) > thresholds.order(place) || !is_ahead(thresholds, i, *seen[signal])) {
      continue;
    }
    eviction::Observation lowest = *seen[signal];
    lowest.available -= change;
    if (thresholds.met(i, lowest, eviction::MinReclaim::kIgnored)) {
      return true;
    }
  }
  return false;
}

/// What a pass would observe with so much available. Half the rate is expected, so that a plan does
/// not depend on the growth being steady.
eviction::Observations seen_at(const eviction::Observations& seen, eviction::Signal signal,
                               std::int64_t available, MonoTime now) {
  eviction::Observations then = seen;
  eviction::Observation& changed = *then[signal];
  if (changed.kernel_available) {
    *changed.kernel_available -= changed.available - available;
  }
  if (changed.time) {
    changed.time = std::max(now, *changed.time + Duration{1});
  }
  if (changed.rate) {
    *changed.rate /= 2;
  }
  changed.available = available;
  return then;
}

struct Kill {
  std::size_t victim = 0;
  /// A slower fall might leave time for a grace period.
  bool by_rate = false;
};

/// The kill at once for `threshold` that a pass would do which observes `seen`.
std::optional<Kill> kill_at(const BackstopQuestion& question, const eviction::Observations& seen,
                            std::size_t threshold) {
  eviction::PassInput input = question.input;
  input.observations = &seen;
  const eviction::Decision& decision = question.manager->would_decide(question.now, input);
  const bool at_once = decision.grace.count() == 0 || decision.cut_at_once;
  if (decision.outcome != eviction::Outcome::kEvicted || decision.threshold != threshold ||
      !decision.local_victims.empty() || decision.overruled != eviction::Reason::kNone ||
      decision.choice != eviction::Choice::kAnybody || !decision.victim || !at_once) {
    return std::nullopt;
  }
  return Kill{.victim = *decision.victim, .by_rate = decision.grace_wanted.count() != 0};
}

eviction::RankKey key_with(const eviction::RankRule& rule, const eviction::PassPod& pod,
                           std::int64_t working_set) {
  eviction::PodReading reading = pod.reading;
  reading.working_set_bytes = working_set;
  return eviction::rank_key(rule, *pod.facts, reading);
}

std::int64_t raised(std::int64_t bytes, std::int64_t by) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return bytes > kMost - by ? kMost : bytes + by;
}

/// Adds the pods that could go before the victim: all that do if they have grown, and the victim
/// has shrunk, by `change`. All of a pod's cache may be in use by then.
std::optional<NoBackstop> add_rivals(const BackstopQuestion& question,
                                     const eviction::RankRule& rule, std::int64_t change,
                                     BackstopPlan& plan) {
  const std::span<const eviction::PassPod> pods = question.input.pods;
  const eviction::PassPod& victim = pods[plan.victim];
  const eviction::RankKey least = key_with(rule, victim, plan.least_working_set);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const eviction::PassOver passed_over = eviction::passed_over_by(rule, pods[i]);
    const bool unread = pods[i].reading.state != eviction::ReadingState::kRead;
    if (passed_over == eviction::PassOver::kNotReadYet ||
        (passed_over == eviction::PassOver::kNone && unread)) {
      return NoBackstop::kPodsUnknown;
    }
    if (i == plan.victim || passed_over != eviction::PassOver::kNone) {
      continue;
    }
    const std::int64_t charged =
        std::max(question.usages[i].usage.value, pods[i].reading.working_set_bytes);
    const eviction::RankKey most = key_with(rule, pods[i], raised(charged, change));
    if (most > least || (most == least && i > plan.victim)) {
      continue;
    }
    if (plan.rival_count == BackstopPlan::kMostRivals) {
      return NoBackstop::kManyRivals;
    }
    plan.rivals[plan.rival_count++] = {
        .pod = i,
        .terms = eviction::rival_of(
            *pods[i].facts, *victim.facts,
            i < plan.victim ? eviction::ListedFirst::kRival : eviction::ListedFirst::kVictim)};
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(NoBackstop why) {
  switch (why) {
    case NoBackstop::kDryRun:
      return "dry_run";
    case NoBackstop::kVictims:
      return "victims";
    case NoBackstop::kPodsUnknown:
      return "pods_unknown";
    case NoBackstop::kPassActs:
      return "pass_acts";
    case NoBackstop::kNothingAhead:
      return "nothing_ahead";
    case NoBackstop::kOtherThreshold:
      return "other_threshold";
    case NoBackstop::kNoKill:
      return "no_kill";
    case NoBackstop::kManyRivals:
      return "many_rivals";
  }
  return "";
}

/// Between the two levels that are asked about, less available only speaks for the kill. So if both
/// answers name the same pod, every pass between them would kill it.
tl::expected<BackstopPlan, NoBackstop> plan_backstop(const BackstopQuestion& question) {
  const eviction::ThresholdTable& thresholds = question.manager->thresholds();
  const eviction::Observations& seen = *question.input.observations;
  const eviction::Signal signal = question.scope == eviction::Scope::kPodRoot
                                      ? eviction::Signal::kAllocatableMemoryAvailable
                                      : eviction::Signal::kMemoryAvailable;
  const std::optional<std::size_t> threshold =
      seen[signal] ? next_of(thresholds, signal, *seen[signal]) : std::nullopt;
  if (!threshold) {
    return Unplanned(NoBackstop::kNothingAhead);
  }
  const std::int64_t capacity = seen[signal]->capacity;
  const std::int64_t change = most_change(question, capacity);
  if (other_may_be_met(thresholds, seen, *threshold, change)) {
    return Unplanned(NoBackstop::kOtherThreshold);
  }
  const eviction::Wide level =
      thresholds.limit(*threshold, capacity, eviction::MinReclaim::kIgnored) - 1 -
      question.margin.value;
  if (level < 0) {
    return Unplanned(NoBackstop::kNothingAhead);
  }
  BackstopPlan plan;
  plan.threshold = *threshold;
  plan.most_available = static_cast<std::int64_t>(level);
  plan.least_available = std::max<std::int64_t>(plan.most_available - kBackstopReach.value, 0);
  const eviction::Observations first = seen_at(seen, signal, plan.most_available, question.now);
  const eviction::Observations last = seen_at(seen, signal, plan.least_available, question.now);
  const std::optional<Kill> near = kill_at(question, first, *threshold);
  const std::optional<Kill> far = near ? kill_at(question, last, *threshold) : std::nullopt;
  if (!far || near->victim != far->victim) {
    return Unplanned(NoBackstop::kNoKill);
  }
  plan.least_rate = near->by_rate ? first[signal]->rate.value_or(0) : 0;
  plan.victim = near->victim;
  const eviction::PassPod& victim = question.input.pods[plan.victim];
  plan.victim_terms = eviction::victim_of(*victim.facts);
  plan.least_working_set = std::max<std::int64_t>(victim.reading.working_set_bytes - change, 0);
  if (const std::optional<NoBackstop> why =
          add_rivals(question, eviction::rank_rule(signal, {}), change, plan)) {
    return Unplanned(*why);
  }
  plan.expires_at = std::min(question.now + kBackstopLasts, question.until);
  return plan;
}

}  // namespace evictd::engine
