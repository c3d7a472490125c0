// SPDX-License-Identifier: Apache-2.0
// Parses a record from its JSON form.
#include <limits>
#include <nlohmann/json.hpp>

#include "core/rfc3339.h"
#include "export/eviction_record.h"
#include "export/json_fields.h"

namespace evictd::exporting {

namespace {

using Json = nlohmann::ordered_json;

std::map<std::string, std::string> text_map(JsonFields& fields, const char* key) {
  std::map<std::string, std::string> map;
  for (const auto& [name, value] : fields.object(key).items()) {
    if (!value.is_string()) {
      fields.refuse(key, "not a list of strings");
      return {};
    }
    map.emplace(name, value.get<std::string>());
  }
  return map;
}

RecordedObservation read_observation(JsonFields fields) {
  RecordedObservation seen;
  seen.signal = fields.text("signal");
  seen.available = fields.whole("available");
  seen.capacity = fields.whole("capacity");
  seen.age_us = fields.whole_or_null("age_us");
  seen.source = fields.text("source");
  seen.error_bound = fields.whole("error_bound");
  if (fields.has("kernel_available")) {
    seen.kernel_available = fields.whole_or_null("kernel_available");
  }
  return seen;
}

/// Members that older records lack.
void read_fall(JsonFields& fields, EvictionRecord& record) {
  if (fields.has("rate")) {
    record.rate = fields.whole("rate", 0);
  }
  if (fields.has("because_of")) {
    JsonFields cause = fields.below("because_of");
    record.because_of = RecordedCause{.ns = cause.text("namespace"),
                                      .name = cause.text("name"),
                                      .uid = cause.text("uid"),
                                      .rate = cause.whole("rate")};
  }
}

/// Hardness and grace period; older records only have whole seconds.
void read_grace(JsonFields& fields, RecordedThreshold& threshold) {
  constexpr std::int64_t kMsPerSecond = 1000;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kMsPerSecond;
  const std::int64_t seconds = fields.whole("grace_period_seconds", 0, kMost);
  threshold.grace_period_ms =
      fields.has("grace_period_ms") ? fields.whole("grace_period_ms", 0) : seconds * kMsPerSecond;
  threshold.hardness = seconds > 0 ? "soft" : "hard";
  if (fields.has("hardness")) {
    threshold.hardness = fields.text("hardness");
    if (threshold.hardness != "hard" && threshold.hardness != "soft") {
      fields.refuse("hardness", "neither \"hard\" nor \"soft\"");
    }
  }
}

/// Members that older records lack.
void read_forecast(JsonFields& fields, EvictionRecord& record) {
  const std::optional<std::int64_t> given =
      fields.has("grace_given") ? fields.whole_or_null("grace_given") : std::nullopt;
  if (given) {
    record.grace = RecordedGrace{.given_ms = *given,
                                 .wanted_ms = fields.whole("grace_wanted", 0),
                                 .time_left_ms = fields.whole_or_null("time_left")};
  }
  if (!fields.has("oom_guard")) {
    return;
  }
  JsonFields guard = fields.below("oom_guard");
  record.oom_guard = RecordedGuard{.left = guard.whole("left"),
                                   .rate = guard.whole("rate", 0),
                                   .time_left_ms = guard.whole_or_null("time_left_ms"),
                                   .horizon_ms = guard.whole("horizon_ms", 0),
                                   .due = guard.truth("due")};
}

RecordedThreshold read_threshold(JsonFields fields) {
  RecordedThreshold threshold;
  threshold.signal = fields.text("signal");
  threshold.threshold = fields.text("threshold");
  read_grace(fields, threshold);
  threshold.met = fields.truth("met");
  threshold.available = fields.whole_or_null("available");
  threshold.capacity = fields.whole_or_null("capacity");
  threshold.met_below = fields.whole_or_null("met_below");
  threshold.min_reclaim = fields.text("min_reclaim");
  threshold.stood = fields.text("stood");
  threshold.met_for_ms = fields.whole_or_null("met_for_ms");
  return threshold;
}

RecordedCandidate read_candidate(JsonFields fields) {
  RecordedCandidate candidate;
  candidate.place = static_cast<std::size_t>(fields.whole("place", 0));
  candidate.ns = fields.text("namespace");
  candidate.name = fields.text("name");
  candidate.uid = fields.text("uid");
  candidate.qos = fields.text("qos");
  candidate.priority =
      static_cast<std::int32_t>(fields.whole("priority", std::numeric_limits<std::int32_t>::min(),
                                             std::numeric_limits<std::int32_t>::max()));
  candidate.usage = fields.whole("usage");
  candidate.request = fields.whole("request");
  candidate.exceeds_request = fields.truth("exceeds_request");
  candidate.stall_us = fields.whole("stall_us");
  candidate.rate_bytes_per_second = fields.whole("rate_bytes_per_second");
  candidate.reading_age_us = fields.whole("reading_age_us");
  candidate.source = fields.text("source");
  if (fields.has("counted")) {
    candidate.counted = fields.text("counted");
    candidate.error_bound = fields.whole_or_null("error_bound");
  }
  candidate.passed_over = fields.text("passed_over");
  candidate.reason = fields.text("reason");
  JsonFields keys = fields.below("sort_keys");
  candidate.keys.urgency = keys.whole("urgency");
  candidate.keys.priority = keys.whole("priority");
  candidate.keys.missing = keys.whole("missing");
  candidate.keys.amount = keys.whole("amount");
  return candidate;
}

RecordedLocalStorage read_local_storage(JsonFields fields) {
  RecordedLocalStorage storage;
  storage.what = fields.text("what");
  storage.name = fields.text("name");
  storage.used_bytes = fields.whole("used_bytes");
  storage.limit_bytes = fields.whole("limit_bytes");
  storage.age_us = fields.whole("age_us");
  storage.method = fields.text("method");
  storage.complete = fields.truth("complete");
  return storage;
}

RecordedLocalCandidate read_local_candidate(JsonFields fields) {
  RecordedLocalCandidate candidate;
  candidate.ns = fields.text("namespace");
  candidate.name = fields.text("name");
  candidate.uid = fields.text("uid");
  candidate.local_limit = fields.text("local_limit");
  if (fields.has("local_storage")) {
    candidate.storage = read_local_storage(fields.below("local_storage"));
  }
  candidate.passed_over = fields.text("passed_over");
  candidate.reason = fields.text("reason");
  return candidate;
}

RecordedContainer read_container(JsonFields fields) {
  RecordedContainer container;
  container.name = fields.text("name");
  container.working_set_bytes = fields.whole("working_set_bytes");
  container.age_us = fields.whole("age_us");
  return container;
}

RecordedRelease read_release(JsonFields fields) {
  RecordedRelease release;
  release.what = fields.text("what");
  release.state = fields.text("state");
  release.at = fields.moment_or_null("at_ns");
  return release;
}

RecordedEvent read_event(JsonFields fields) {
  return {
      .on = fields.text("on"), .reason = fields.text("reason"), .message = fields.text("message")};
}

RecordedPodCondition read_pod_condition(JsonFields fields) {
  return {.type = fields.text("type"),
          .reason = fields.text("reason"),
          .message = fields.text("message")};
}

RecordedTimeline read_timeline(JsonFields fields) {
  RecordedTimeline timeline;
  timeline.hook = fields.moment_or_null("hook_ns");
  timeline.wake = fields.moment_or_null("wake_ns");
  if (fields.has("begin_ns")) {
    timeline.begin = fields.moment_or_null("begin_ns");
  }
  timeline.observe = fields.moment_or_null("observe_ns");
  timeline.decide = fields.moment_or_null("decide_ns");
  if (fields.has("first_signal_ns")) {
    timeline.first_signal = fields.moment("first_signal_ns");
  }
  timeline.signal = fields.moment_or_null("signal_ns");
  timeline.killed = fields.moment_or_null("killed_ns");
  timeline.exited = fields.moment_or_null("exited_ns");
  timeline.freed = fields.moment_or_null("freed_ns");
  if (fields.has("grace_began_ns")) {
    timeline.grace_began = fields.moment_or_null("grace_began_ns");
  }
  return timeline;
}

template <typename Read>
auto read_list(JsonFields& fields, const char* key, Read read) {
  std::vector<decltype(read(fields.at(key, 0)))> items;
  const std::size_t count = fields.list(key).size();
  for (std::size_t i = 0; i < count && !fields.failed(); ++i) {
    items.push_back(read(fields.at(key, i)));
  }
  return items;
}

std::vector<std::string> read_texts(JsonFields& fields, const char* key) {
  std::vector<std::string> texts;
  for (const Json& value : fields.list(key)) {
    if (!value.is_string()) {
      fields.refuse(key, "not a list of strings");
      return {};
    }
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

RecordedCollector read_collector(JsonFields fields) {
  RecordedCollector one;
  one.collector = fields.text("collector");
  one.argv = read_texts(fields, "argv");
  one.outcome = fields.text("outcome");
  one.end = fields.text("end");
  one.took_ms = fields.whole_or_null("took_ms");
  one.ended_at = fields.moment_or_null("ended_at_ns");
  return one;
}

RecordedReclaim read_reclaim(JsonFields fields) {
  RecordedReclaim reclaim;
  reclaim.available_before = fields.whole_or_null("available_before");
  reclaim.collectors = read_list(fields, "collectors", read_collector);
  return reclaim;
}

/// For a decision; empty for null, and for records older than the member.
std::optional<std::uint64_t> read_id(JsonFields& fields, const char* key) {
  if (!fields.has(key)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(fields.whole(key, 0));
}

void read_decision(JsonFields& fields, EvictionRecord& record) {
  record.id = static_cast<std::uint64_t>(fields.whole("id", 0));
  if (fields.has("node")) {
    record.node = fields.text("node");
  }
  record.ns = fields.text("namespace");
  record.name = fields.text("name");
  record.uid = fields.text("uid");
  record.trigger = fields.text("trigger");
  record.outcome = fields.text("outcome");
  record.escalates = read_id(fields, "escalates");
  record.escalated_by = read_id(fields, "escalated_by");
  record.hold_reason = fields.text("hold_reason");
  record.signal = fields.text("signal");
  record.threshold = fields.text("threshold");
  record.local_limit = fields.text("local_limit");
  if (fields.has("local_storage")) {
    record.local_storage = read_local_storage(fields.below("local_storage"));
  }
  record.resource = fields.text("resource");
  record.available = fields.whole_or_null("available");
  record.capacity = fields.whole_or_null("capacity");
  read_fall(fields, record);
  if (fields.has("reclaim")) {
    record.reclaim = read_reclaim(fields.below("reclaim"));
  }
  record.grace_seconds = fields.whole("grace_seconds");
  read_forecast(fields, record);
  record.dry_run = fields.truth("dry_run");
  JsonFields memory = fields.below("memory_available");
  record.memory_available_source = memory.text("source");
  record.swap_aware = memory.truth("swap_aware");
  record.hugepage_aware = memory.truth("hugepage_aware");
  JsonFields brakes = fields.below("brakes");
  record.evictions_last_minute = static_cast<std::size_t>(brakes.whole("evictions_last_minute", 0));
  record.overruled_brake = brakes.text("overruled");
  if (fields.has("disk_basis")) {
    record.disk_basis = fields.text("disk_basis");
  }
  record.method = fields.text("method");
  record.processes = static_cast<std::uint32_t>(
      fields.whole("processes", 0, std::numeric_limits<std::uint32_t>::max()));
  record.state = fields.text("state");
  if (fields.has("not_killed")) {
    record.not_killed = fields.text("not_killed");
  }
  record.remaining_bytes = fields.whole_or_null("remaining_bytes");
  if (fields.has("still_charged_bytes")) {
    record.still_charged_bytes = fields.whole_or_null("still_charged_bytes");
  }
  if (fields.has("unreaped_tasks")) {
    record.unreaped_tasks = fields.whole_or_null("unreaped_tasks");
  }
  record.message = fields.text("message");
}

}  // namespace

Result<EvictionRecord> record_from_json(const Json& json) {
  std::optional<Error> failure;
  JsonFields fields(json, "", failure);
  if (fields.whole("schema", 1) > kRecordSchema && !failure) {
    return fail(Errc::kUnsupported, "schema " + json["schema"].dump() +
                                        " is newer than what this program reads (" +
                                        std::to_string(kRecordSchema) + ")");
  }
  if (fields.text("kind") != "decision") {
    fields.refuse("kind", "not \"decision\"");
  }
  EvictionRecord record;
  const std::string time = fields.text("time");
  if (!fields.failed()) {
    const Result<WallTime> at = core::wall_time_from_rfc3339(time);
    if (!at) {
      fields.refuse("time", at.error().context);
    } else {
      record.at = *at;
    }
  }
  read_decision(fields, record);
  record.annotations = text_map(fields, "annotations");
  if (fields.has("containers")) {
    record.containers = read_list(fields, "containers", read_container);
  }
  if (fields.has("events")) {
    record.events = read_list(fields, "events", read_event);
  }
  if (fields.has("pod_conditions")) {
    record.pod_conditions = read_list(fields, "pod_conditions", read_pod_condition);
  }
  record.timeline = read_timeline(fields.below("timeline"));
  record.conditions = read_texts(fields, "conditions");
  record.observations = read_list(fields, "observations", read_observation);
  record.thresholds = read_list(fields, "thresholds", read_threshold);
  record.ranking = read_list(fields, "ranking", read_candidate);
  if (fields.has("local_candidates")) {
    record.local_candidates = read_list(fields, "local_candidates", read_local_candidate);
  }
  record.release = read_list(fields, "release", read_release);
  record.hooks = text_map(fields, "hooks");
  if (failure) {
    return Failure(*failure);
  }
  return record;
}

}  // namespace evictd::exporting
