// SPDX-License-Identifier: Apache-2.0
#include "demo/eviction_record.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_text.h"
#include "evictd/try.h"
#include "export/eviction_record.h"

namespace evictd::demo {
namespace {

using Json = nlohmann::ordered_json;

/// When the threshold was first seen met, computed from its duration before the acting pass's
/// reading.
std::optional<MonoTime> first_met(const exporting::EvictionRecord& record) {
  for (const exporting::RecordedThreshold& threshold : record.thresholds) {
    if (record.timeline.observe && threshold.stood == "acted_on" && threshold.met_for_ms) {
      return *record.timeline.observe - std::chrono::milliseconds{*threshold.met_for_ms};
    }
  }
  return std::nullopt;
}

EvictionRecord told(const exporting::EvictionRecord& record) {
  EvictionRecord result;
  result.uid = record.uid;
  result.escalated = record.outcome == "escalated";
  // The record lists them by purpose, and one hook may serve several.
  std::set<std::string> hooks;
  for (const auto& [purpose, hook] : record.hooks) {
    hooks.insert(hook);
  }
  result.hooks.assign(hooks.begin(), hooks.end());
  result.grace_seconds = record.grace_seconds;
  result.grace_was_shortened = record.grace && record.grace->given_ms < record.grace->wanted_ms;
  const exporting::RecordedTimeline& timeline = record.timeline;
  result.hook = timeline.hook;
  result.rehearsed = record.trigger == "approach";
  result.wake = timeline.wake;
  result.observe = timeline.observe;
  result.first_met = first_met(record);
  result.decide = timeline.decide;
  result.signal = timeline.first_signal;
  // Without a grace period the first signal is SIGKILL. The observed process may die of it while
  // many others still have to be signalled.
  result.kill = result.grace_seconds == 0 ? result.signal : timeline.killed;
  result.exited = timeline.exited;
  result.freed = timeline.freed;
  for (const exporting::RecordedCandidate& candidate : record.ranking) {
    if (candidate.place > 0) {
      result.ranking.push_back({candidate.name, candidate.reason});
    }
  }
  return result;
}

}  // namespace

Result<std::vector<EvictionRecord>> parse_evictions(std::string_view answer) {
  const Json whole = base::parse_json<Json>(answer).value_or(Json());
  if (!whole.is_array()) {
    return fail(Errc::kMalformed,
                "evictd's answer to last_evictions: " + std::string{answer.substr(0, 200)});
  }
  std::vector<EvictionRecord> records;
  for (const Json& json : whole) {
    EVICTD_ASSIGN_OR_RETURN(const exporting::EvictionRecord record,
                            exporting::record_from_json(json));
    records.push_back(told(record));
  }
  return records;
}

std::optional<EvictionRecord> eviction_of(const std::vector<EvictionRecord>& records,
                                          std::string_view uid) {
  std::optional<EvictionRecord> whole;
  for (const EvictionRecord& record : records) {
    if (record.uid != uid) {
      continue;
    }
    if (!whole || !record.escalated) {
      whole = record;
      continue;
    }
    whole->grace_was_cut = true;
    whole->kill = record.kill;
    whole->exited = record.exited;
    whole->freed = record.freed;
  }
  return whole;
}

std::optional<MonoTime> held_for_usage(std::string_view answer, const EvictionRecord& eviction) {
  const Json whole = base::parse_json<Json>(answer).value_or(Json());
  std::optional<MonoTime> held;
  if (!whole.is_object()) {
    return held;
  }
  for (const Json& json : whole.value("records", Json::array())) {
    const Result<exporting::EvictionRecord> record = exporting::record_from_json(json);
    if (!record || record->hold_reason != "usage_pending") {
      continue;
    }
    const std::optional<MonoTime>& decided = record->timeline.decide;
    if (decided && eviction.decide && *decided < *eviction.decide) {
      held = decided;
    }
  }
  return held;
}

}  // namespace evictd::demo
