// SPDX-License-Identifier: Apache-2.0
// What the records service reports of a pass.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/records/records_service.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// A record is about an evicted pod. Passes that tried to evict and could not are reported by the
/// refusal.
bool evicts(eviction::Outcome outcome) {
  return outcome == eviction::Outcome::kEvicted || outcome == eviction::Outcome::kOomGuard ||
         outcome == eviction::Outcome::kEscalated;
}

Json threshold_json(const eviction::Threshold& threshold, const PassCopy& copy, bool met) {
  Json line = {{"signal", eviction::to_string(threshold.signal)},
               {"threshold", eviction::to_string(threshold.value)},
               {"hardness", threshold.is_hard() ? "hard" : "soft"},
               {"met", met},
               {"available", nullptr},
               {"capacity", nullptr}};
  if (const auto& seen = copy.observations[threshold.signal]) {
    line["available"] = seen->available;
    line["capacity"] = seen->capacity;
  }
  return line;
}

}  // namespace

void RecordsService::report_pass(const PassDone& message,
                                 std::vector<exporting::RecordedCollector> collectors) {
  if (recorder_) {
    recorder_->record(message);
  }
  actuator_ = message.copy->actuator;
  report_brake(*message.copy);
  report_signals(*message.copy);
  report_conditions(message.copy->decision.conditions);
  report_changes(message, std::move(collectors));
}

void RecordsService::keep_pass(PassDone& message) {
  last_pass_.trigger = message.trigger;
  last_pass_.at = message.timeline.observe_at;
  std::swap(last_pass_.copy, message.copy);
}

void RecordsService::report_changes(const PassDone& message,
                                    std::vector<exporting::RecordedCollector> collectors) {
  const PassCopy& copy = *message.copy;
  const PassRules::Rules& rules = rules_.of(copy.config_generation);
  if (std::exchange(watched_generation_, copy.config_generation) != copy.config_generation) {
    pass_watch_.forget_thresholds();
  }
  const PassWatch::Change change =
      copy.resumed ? pass_watch_.take_resumed(copy.decision) : pass_watch_.take(copy.decision);
  for (const bool met : {true, false}) {
    for (const std::size_t place : met ? change.met : change.no_longer_met) {
      journal_->add("threshold", threshold_json(rules.thresholds[place], copy, met),
                    message.timeline.decide_at);
    }
  }
  for (const bool set : {true, false}) {
    for (const eviction::Condition condition : set ? change.set : change.cleared) {
      journal_->add("condition", {{"type", eviction::to_string(condition)}, {"status", set}},
                    message.timeline.decide_at);
    }
  }
  const bool spared = pass_watch_.take_spared(spared_for_local_storage(
      make_local_candidates(copy, rules.compat, message.timeline.observe_at)));
  if ((change.outcome || spared) && !message.begun && !evicts(copy.decision.outcome)) {
    const exporting::EvictionRecord& kept = store_.add_pass(
        make_record(message, {.thresholds = rules.thresholds,
                              .compat = rules.compat,
                              .victim = nullptr,
                              .collectors = std::move(collectors),
                              .threshold_told = pass_watch_.was_reported(copy.decision),
                              .now = core::read_both(*context_.clock)}));
    write(kept, exporting::Durability::kCached);
    if (copy.decision.outcome == eviction::Outcome::kReclaiming) {
      pass_watch_.mark_reported(copy.decision);
    }
  }
}

void RecordsService::report_brake(const PassCopy& copy) {
  const eviction::Decision& decision = copy.decision;
  const eviction::Reason reason =
      eviction::is_brake(decision.reason) ? decision.reason : eviction::Reason::kNone;
  if (reason == brake_) {
    return;
  }
  brake_ = reason;
  const eviction::ThresholdTable& thresholds = rules_.of(copy.config_generation).thresholds;
  if (reason == eviction::Reason::kNone) {
    context_.log->info("no brake holds evictions back any more");
    return;
  }
  std::string threshold = "local storage limits are exceeded";
  if (decision.threshold) {
    threshold = eviction::to_string(thresholds[*decision.threshold].signal);
    threshold += decision.met.has(*decision.threshold) ? " is short" : " is watched";
  }
  context_.log->warn(fmt::format("{} and {}, continuing without an eviction for it", threshold,
                                 eviction::describe(reason)));
}

void RecordsService::report_signals(const PassCopy& copy) {
  const PassWatch::Seen seen = pass_watch_.take_signal_changes(
      rules_.of(copy.config_generation).thresholds, copy.observations);
  for (const eviction::Signal signal : seen.lost) {
    const bool of_pod_root =
        signal == eviction::Signal::kAllocatableMemoryAvailable ||
        (signal == eviction::Signal::kPidAvailable &&
         context_.settings().pid_available_source == config::PidAvailableSource::kPodRoot);
    context_.log->warn(fmt::format("no reading of {}{}, continuing without its thresholds",
                                   eviction::to_string(signal),
                                   of_pod_root ? ": the cgroup of all pods does not exist, or has "
                                                 "no such limit"
                                               : ""));
  }
  for (const eviction::Signal signal : seen.back) {
    context_.log->info("the signal is read again",
                       {{"signal", std::string(eviction::to_string(signal))}});
  }
}

void RecordsService::report_conditions(eviction::ConditionSet conditions) {
  for (const eviction::Condition condition : eviction::kConditions) {
    const bool now_set = conditions.has(condition);
    if (now_set != conditions_.has(condition)) {
      context_.log->info(now_set ? "node condition set" : "node condition cleared",
                         {{"condition", std::string(eviction::to_string(condition))}});
    }
  }
  conditions_ = conditions;
}

}  // namespace evictd::daemon
