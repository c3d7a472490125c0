// SPDX-License-Identifier: Apache-2.0
#include "demo/eviction_record.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/json_members.h"

namespace evictd::demo {
namespace {

using base::integer_at;
using base::text_at;
using nlohmann::json;

/// A stamp that is missing, null or 0 means that the step did not happen.
std::optional<MonoTime> stamp(const json& timeline, const char* key) {
  const std::int64_t ns = integer_at(timeline, key).value_or(0);
  return ns == 0 ? std::nullopt : std::optional{MonoTime{Duration{ns}}};
}

/// The hooks in use, each once: the record lists them by purpose, and one hook may serve several.
std::vector<std::string> hooks_of(const json& record) {
  std::vector<std::string> result;
  const json hooks = record.value("hooks", json::object());
  for (const json& hook : hooks) {
    if (hook.is_string() && std::find(result.begin(), result.end(), hook) == result.end()) {
      result.push_back(hook.get<std::string>());
    }
  }
  return result;
}

/// When the threshold was first seen met, computed from its duration before the acting pass's
/// reading.
std::optional<MonoTime> first_met(const json& record, const std::optional<MonoTime>& observe) {
  for (const json& threshold : record.value("thresholds", json::array())) {
    const std::optional<std::int64_t> met_for = integer_at(threshold, "met_for_ms");
    if (observe && text_at(threshold, "stood") == "acted_on" && met_for) {
      return *observe - std::chrono::milliseconds{*met_for};
    }
  }
  return std::nullopt;
}

EvictionRecord parse_record(const json& record) {
  EvictionRecord result;
  result.pod = text_at(record, "pod");
  result.uid = text_at(record, "uid");
  result.escalated = text_at(record, "outcome") == "escalated";
  result.hooks = hooks_of(record);
  result.grace_seconds = record.value("grace_seconds", std::int64_t{0});
  const auto milliseconds = [&record](const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_number() ? found->get<std::int64_t>() : 0;
  };
  result.grace_was_shortened = milliseconds("grace_given") < milliseconds("grace_wanted");
  const json timeline = record.value("timeline", json::object());
  result.hook = stamp(timeline, "hook_ns");
  result.wake = stamp(timeline, "wake_ns");
  result.observe = stamp(timeline, "observe_ns");
  result.first_met = first_met(record, result.observe);
  result.decide = stamp(timeline, "decide_ns");
  result.signal = stamp(timeline, "first_signal_ns");
  result.kill = stamp(timeline, "killed_ns");
  result.exited = stamp(timeline, "exited_ns");
  result.freed = stamp(timeline, "freed_ns");
  // Without a grace period the first signal is SIGKILL. The observed process may die of it while
  // many others still have to be signalled.
  if (result.grace_seconds == 0) {
    result.kill = result.signal;
  }
  for (const json& place : record.value("ranking", json::array())) {
    if (place.value("place", 0) > 0) {
      result.ranking.push_back({text_at(place, "name"), text_at(place, "reason")});
    }
  }
  return result;
}

}  // namespace

Result<std::vector<EvictionRecord>> parse_evictions(std::string_view answer) {
  const json whole = json::parse(answer, nullptr, false);
  if (!whole.is_array()) {
    return fail(Errc::kMalformed,
                "evictd's answer to last_evictions: " + std::string{answer.substr(0, 200)});
  }
  std::vector<EvictionRecord> records;
  for (const json& record : whole) {
    if (!record.is_object()) {
      return fail(Errc::kMalformed, "an entry of last_evictions is no object");
    }
    records.push_back(parse_record(record));
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
  const json whole = json::parse(answer, nullptr, false);
  std::optional<MonoTime> held;
  if (!whole.is_object()) {
    return held;
  }
  const json records = whole.value("records", json::array());
  for (const json& record : records) {
    if (!record.is_object() || text_at(record, "hold_reason") != "usage_pending") {
      continue;
    }
    const json timeline = record.value("timeline", json::object());
    const std::optional<MonoTime> decided = stamp(timeline, "decide_ns");
    if (decided && eviction.decide && *decided < *eviction.decide) {
      held = decided;
    }
  }
  return held;
}

}  // namespace evictd::demo
