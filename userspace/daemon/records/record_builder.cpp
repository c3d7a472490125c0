// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/record_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "daemon/records/fall_cause.h"
#include "daemon/records/record_texts.h"
#include "enforce/bridge.h"
#include "enforce/protection.h"
#include "eviction/forecast.h"
#include "eviction/message.h"
#include "eviction/rank.h"
#include "eviction/ranking.h"
#include "eviction/reclaim.h"

namespace evictd::daemon {

namespace {

constexpr std::int64_t kNanosPerUnit = 1'000'000'000;

std::int64_t whole(eviction::Wide nanos) {
  return static_cast<std::int64_t>(nanos / kNanosPerUnit);
}

std::optional<MonoTime> happened(MonoTime moment) {
  return moment == MonoTime{} ? std::nullopt : std::optional(moment);
}

std::string reason_of(const exporting::RecordedCandidate& candidate, eviction::PassOver rule,
                      const exporting::RecordedCandidate* victim, bool by_processes) {
  if (rule != eviction::PassOver::kRanksLater) {
    return std::string(reason_text(rule));
  }
  if (victim == nullptr) {
    return "ranks later";
  }
  if (!by_processes && candidate.exceeds_request != victim->exceeds_request) {
    return "ranks later: uses no more than it requests";
  }
  if (candidate.priority != victim->priority) {
    return fmt::format("ranks later: priority {} is above {}", candidate.priority,
                       victim->priority);
  }
  return by_processes ? "ranks later: fewer processes" : "ranks later: uses less above its request";
}

bool is_of_disks(const eviction::RankRule& rule) {
  return rule.resource == eviction::Resource::kEphemeralStorage ||
         rule.resource == eviction::Resource::kInodes;
}

/// How much of its disk usage was known; the rest may be all that the filesystem has in use.
void add_count(exporting::RecordedCandidate& recorded, eviction::DiskCount count,
               const std::optional<eviction::Observation>& seen) {
  recorded.counted = eviction::to_string(count);
  if (count == eviction::DiskCount::kWhole) {
    recorded.error_bound = 0;
  } else if (seen) {
    recorded.error_bound =
        std::max<std::int64_t>(seen->capacity - seen->available - recorded.usage, 0);
  }
}

exporting::RecordedCandidate describe(const PassCopy::PodCopy& pod,
                                      const eviction::Candidate& candidate,
                                      const eviction::RankRule& rule, MonoTime now) {
  exporting::RecordedCandidate recorded;
  recorded.place = candidate.place;
  recorded.ns = pod.pod->ns;
  recorded.name = pod.pod->name;
  recorded.uid = pod.pod->uid;
  recorded.qos = eviction::to_string(pod.pass.facts->qos);
  recorded.priority = pod.pass.facts->priority;
  recorded.usage = static_cast<std::int64_t>(candidate.usage);
  recorded.request = whole(candidate.request_nanos);
  recorded.exceeds_request = candidate.key.urgency < 0;
  recorded.stall_us =
      std::chrono::duration_cast<std::chrono::microseconds>(pod.usage.stall).count();
  recorded.rate_bytes_per_second = pod.usage.rate_bytes_per_second;
  const bool by_files = is_of_disks(rule);
  const MonoTime read_at = by_files ? pod.storage_at : pod.usage.read_at;
  recorded.reading_age_us = std::max<std::int64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now - read_at).count(), 0);
  recorded.source = by_files ? disk::to_string(pod.storage_method) : name_of(pod.usage.source);
  recorded.passed_over = eviction::to_string(candidate.passed_over);
  recorded.keys = {.urgency = candidate.key.urgency,
                   .priority = candidate.key.priority,
                   .missing = candidate.key.missing,
                   .amount = rule.resource == eviction::Resource::kPids
                                 ? static_cast<std::int64_t>(candidate.key.amount)
                                 : whole(candidate.key.amount)};
  return recorded;
}

/// Marks the pod that would have been evicted first in a pass that evicted none.
void explain_no_eviction(exporting::EvictionRecord& record) {
  for (exporting::RecordedCandidate& candidate : record.ranking) {
    if (candidate.passed_over.empty()) {
      candidate.passed_over = "nobody_evicted";
      candidate.reason = "would go first, but nobody was evicted: " + record.outcome +
                         (record.hold_reason.empty() ? "" : " (" + record.hold_reason + ")");
    }
  }
}

}  // namespace

std::vector<exporting::RecordedCandidate> make_ranking(const PassCopy& copy,
                                                       eviction::Signal signal, MonoTime now) {
  const eviction::RankRule rule = eviction::rank_rule(
      signal, copy.state.layout.value_or(eviction::DiskLayout{}), copy.pid_scope);
  std::vector<eviction::PassPod> pods;
  pods.reserve(copy.pods.size());
  for (const PassCopy::PodCopy& pod : copy.pods) {
    pods.push_back(pod.pass);
  }
  std::vector<eviction::Candidate> candidates =
      eviction::rank_with_reasons(rule, pods, copy.decision.choice);
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    // Unranked ones (place 0) come last.
    return a.place - 1 < b.place - 1;
  });
  std::vector<exporting::RecordedCandidate> ranking;
  ranking.reserve(candidates.size());
  const bool by_processes = rule.resource == eviction::Resource::kPids;
  for (const eviction::Candidate& candidate : candidates) {
    ranking.push_back(describe(copy.pods[candidate.pod], candidate, rule, now));
    if (is_of_disks(rule)) {
      add_count(ranking.back(), copy.pods[candidate.pod].pass.disk_count,
                copy.observations[signal]);
    }
  }
  const auto victim = std::find_if(ranking.begin(), ranking.end(), [](const auto& candidate) {
    return candidate.passed_over.empty();
  });
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    ranking[i].reason = reason_of(ranking[i], candidates[i].passed_over,
                                  victim == ranking.end() ? nullptr : &*victim, by_processes);
    const enforce::Protection protection = copy.pods[candidates[i].pod].pod->protection_now();
    const bool is_reason = protection == enforce::Protection::kOwnProcess ||
                           protection == enforce::Protection::kOutsideRoot;
    // Not for a victim that evictd's own process has entered since.
    if (is_reason && !ranking[i].passed_over.empty()) {
      ranking[i].passed_over = enforce::to_string(protection);
      ranking[i].reason = fmt::format("protected: {}", enforce::reason_of(protection));
    }
  }
  return ranking;
}

std::optional<exporting::RecordedGuard> make_guard(const PassCopy& copy) {
  const auto& memory = copy.observations[eviction::Signal::kMemoryAvailable];
  if (!memory || !memory->reserve) {
    return std::nullopt;
  }
  exporting::RecordedGuard guard{.left = memory->reserve->left,
                                 .rate = memory->reserve->rate,
                                 .time_left_ms = std::nullopt,
                                 .horizon_ms = eviction::kGuardHorizon.count(),
                                 .due = copy.decision.oom_guard};
  if (const std::optional<Duration> left = eviction::time_left(*memory->reserve)) {
    guard.time_left_ms = std::chrono::floor<std::chrono::milliseconds>(*left).count();
  }
  return guard;
}

namespace {

std::optional<exporting::RecordedBridge> bridge_of(const enforce::BridgeReport& report) {
  if (report.state == enforce::BridgeState::kNotWanted) {
    return std::nullopt;
  }
  exporting::RecordedBridge bridge;
  bridge.not_set = enforce::to_string(report.state);
  if (report.state == enforce::BridgeState::kSet) {
    bridge.set = report.set.value;
    if (report.before != enforce::kNoHigh) {
      bridge.before = report.before.value;
    }
  }
  return bridge;
}

template <typename Begun>
void add_victim(exporting::EvictionRecord& record, const Begun& begun) {
  record.ns = begun.victim->ns;
  record.name = begun.victim->name;
  record.uid = begun.victim->uid;
  record.grace_seconds = std::chrono::ceil<std::chrono::seconds>(begun.grace).count();
  record.dry_run = begun.dry_run;
  record.method = enforce::to_string(begun.signals.method);
  record.processes = begun.signals.processes;
  record.bridge = bridge_of(begun.signals.bridge);
  record.state = begun.grace.count() == 0 ? "killed" : "terminating";
  record.timeline.first_signal = happened(begun.signals.first_at);
  if (begun.signals.signal == SIGKILL) {
    record.timeline.killed = happened(begun.signals.last_at);
  }
}

void add_kernel_kill(exporting::EvictionRecord& record, const EvictionBegun& begun) {
  if (!begun.kernel_kill) {
    return;
  }
  exporting::RecordedKernelKill& kill = record.kernel_kill.emplace();
  kill.at = happened(begun.kernel_kill->at);
  kill.left_out = begun.kernel_kill->left_out;
  for (const probe::BackstopAnswer& answer : begun.kernel_kill->given()) {
    kill.answers.push_back({.code = answer.code, .count = answer.count});
  }
}

eviction::Outcome outcome_of(const EvictionBegun& begun) {
  if (begun.escalated) {
    return eviction::Outcome::kEscalated;
  }
  return begun.oom_guard ? eviction::Outcome::kOomGuard : eviction::Outcome::kEvicted;
}

/// The forecast for the victim's grace period, and the guard's observation.
void add_forecast(exporting::EvictionRecord& record, const PassDone& done) {
  const eviction::Decision& decision = done.copy->decision;
  if (done.begun) {
    record.grace = exporting::RecordedGrace{.given_ms = decision.grace.count(),
                                            .wanted_ms = decision.grace_wanted.count(),
                                            .time_left_ms = std::nullopt};
    if (decision.time_left) {
      record.grace->time_left_ms = decision.time_left->count();
    }
  }
  record.oom_guard = make_guard(*done.copy);
}

/// The threshold of the record: the one acted on, or the first that is met.
std::optional<std::size_t> threshold_of(const PassDone& done,
                                        const eviction::ThresholdTable& thresholds) {
  std::optional<std::size_t> place;
  if (done.begun) {
    place = done.begun->threshold;
  } else if (done.copy && done.copy->decision.threshold) {
    place = done.copy->decision.threshold;
  } else if (done.copy && !done.copy->decision.met.empty()) {
    place = done.copy->decision.met.front();
  }
  return place && *place < thresholds.size() ? place : std::nullopt;
}

/// The pass's observations, whatever its outcome.
void add_pass(exporting::EvictionRecord& record, const PassCopy& copy, const RecordContext& context,
              MonoTime observed_at) {
  for (const eviction::Condition condition : eviction::kConditions) {
    if (copy.decision.conditions.has(condition)) {
      record.conditions.emplace_back(eviction::to_string(condition));
    }
  }
  record.observations = make_observations(copy, observed_at);
  record.thresholds = make_thresholds(copy, context.thresholds, observed_at);
  record.local_candidates = make_local_candidates(copy, context.compat, observed_at);
  record.memory_available_source = eviction::to_string(copy.memory.source);
  record.swap_aware = copy.memory.swap_aware;
  record.hugepage_aware = copy.memory.hugepage_aware;
}

exporting::EvictionRecord begin_record(PassTrigger trigger, const Timeline& timeline,
                                       const core::ClockReading& now) {
  exporting::EvictionRecord record;
  record.at = core::wall_time_of(timeline.decide_at, now);
  record.trigger = to_string(trigger);
  record.timeline.hook = happened(timeline.hook_at);
  record.timeline.wake = happened(timeline.wake_at);
  record.timeline.begin = happened(timeline.begin_at);
  record.timeline.observe = happened(timeline.observe_at);
  record.timeline.decide = happened(timeline.decide_at);
  return record;
}

/// What a pass that had waited for collectors knows of them: those that can help its signal.
/// nullopt if none of them has a command.
std::optional<exporting::RecordedReclaim> reclaim_before(const PassCopy& copy,
                                                         eviction::Signal signal,
                                                         const RecordContext& context) {
  if (!copy.resumed) {
    return std::nullopt;
  }
  exporting::RecordedReclaim reclaim;
  for (const eviction::Collector helps :
       eviction::collectors_for(signal, copy.state.layout.value_or(eviction::DiskLayout{}))) {
    for (const exporting::RecordedCollector& one : context.collectors) {
      if (one.collector == eviction::to_string(helps)) {
        reclaim.collectors.push_back(one);
      }
    }
  }
  if (reclaim.collectors.empty()) {
    return std::nullopt;
  }
  if (const auto& seen = copy.decision.observations[signal]) {
    reclaim.available_before = seen->available;
  }
  return reclaim;
}

eviction::DiskLayout layout_in(const PassCopy* pass) {
  return pass == nullptr ? eviction::DiskLayout{} : pass->layout.value_or(eviction::DiskLayout{});
}

}  // namespace

exporting::EvictionRecord make_record(const LocalEvictionBegun& begun,
                                      const RecordContext& context) {
  exporting::EvictionRecord record = begin_record(begun.trigger, begun.timeline, context.now);
  record.outcome = eviction::to_string(eviction::Outcome::kEvicted);
  record.timeline.signal = happened(begun.timeline.signal_at);
  add_victim(record, begun);
  record.local_limit = eviction::to_string(begun.breach.limit);
  record.resource = eviction::to_string(eviction::Resource::kEphemeralStorage);
  record.evictions_last_minute = begun.evictions_last_minute;
  const HotStorage& storage = *begun.storage;
  record.local_storage =
      make_local_storage({.pod = storage.description,
                          .statistics = storage.statistics,
                          .breach = begun.breach,
                          .measured_at = storage.measured_at,
                          .method = storage.method,
                          .complete = storage.complete},
                         layout_in(context.pass), context.compat, begun.timeline.observe_at);
  record.message = eviction::local_storage_text(storage.description, storage.statistics,
                                                begun.breach, context.compat);
  add_victim_event(record, /*node_pressure=*/false);
  if (context.pass != nullptr) {
    add_pass(record, *context.pass, context, begun.timeline.observe_at);
  }
  return record;
}

exporting::EvictionRecord make_record(const PassDone& done, const RecordContext& context) {
  exporting::EvictionRecord record = begin_record(done.trigger, done.timeline, context.now);
  if (done.begun) {
    record.outcome = eviction::to_string(outcome_of(*done.begun));
    record.timeline.signal = happened(done.timeline.signal_at);
    add_victim(record, *done.begun);
    add_kernel_kill(record, *done.begun);
  }
  if (done.copy) {
    if (!done.begun) {
      record.outcome = eviction::to_string(done.copy->decision.outcome);
      record.hold_reason = eviction::to_string(done.copy->decision.reason);
    }
    add_pass(record, *done.copy, context, done.timeline.observe_at);
    add_forecast(record, done);
    record.evictions_last_minute =
        done.copy->eviction_times.within(eviction::kRateWindow, done.timeline.decide_at);
  }
  const std::optional<std::size_t> place = threshold_of(done, context.thresholds);
  if (!place) {
    return record;
  }
  const eviction::Threshold& threshold = context.thresholds[*place];
  record.signal = eviction::to_string(threshold.signal);
  record.threshold = eviction::to_string(threshold.value);
  record.resource = eviction::to_string(eviction::resource_of(threshold.signal));
  if (!done.copy) {
    return record;
  }
  record.overruled_brake = eviction::to_string(done.copy->decision.overruled);
  if (done.begun && eviction::is_disk(threshold.signal)) {
    record.disk_basis = eviction::to_string(done.copy->decision.disk_basis);
  }
  if (const auto& seen = done.copy->observations[threshold.signal]) {
    record.available = seen->available;
    record.capacity = seen->capacity;
    record.rate = seen->rate;
    record.because_of = because_of(pods_of(*done.copy), threshold.signal, seen->rate.value_or(0));
  }
  record.reclaim = reclaim_before(*done.copy, threshold.signal, context);
  record.ranking = make_ranking(*done.copy, threshold.signal, done.timeline.observe_at);
  add_threshold_event(record, done, *place, context);
  if (!done.begun) {
    explain_no_eviction(record);
  } else if (context.victim != nullptr) {
    add_texts(record, done, *place, context);
    if (!done.begun->escalated) {
      add_victim_event(record, /*node_pressure=*/true);
    }
  }
  return record;
}

}  // namespace evictd::daemon
