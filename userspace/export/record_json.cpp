// SPDX-License-Identifier: Apache-2.0
// The JSON form of a record. A newer_member() is one that older records lack.
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

#include "export/eviction_record.h"
#include "export/json_table.h"
#include "export/json_time.h"

namespace evictd::exporting {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto kObservation = Table(
    member("signal", &RecordedObservation::signal),
    member("available", &RecordedObservation::available),
    member("capacity", &RecordedObservation::capacity),
    member("age_us", &RecordedObservation::age_us), member("source", &RecordedObservation::source),
    member("error_bound", &RecordedObservation::error_bound),
    newer_member("kernel_available", &RecordedObservation::kernel_available));

void write_grace(const RecordedThreshold& threshold, Json& json) {
  const std::chrono::milliseconds grace(threshold.grace_period_ms);
  json["hardness"] = threshold.hardness;
  json["grace_period_seconds"] = std::chrono::duration_cast<std::chrono::seconds>(grace).count();
  json["grace_period_ms"] = threshold.grace_period_ms;
}

/// Older records only have whole seconds.
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

constexpr auto kThreshold = Table(member("signal", &RecordedThreshold::signal),
                                  member("threshold", &RecordedThreshold::threshold),
                                  Custom<RecordedThreshold>{write_grace, read_grace},
                                  member("met", &RecordedThreshold::met),
                                  member("available", &RecordedThreshold::available),
                                  member("capacity", &RecordedThreshold::capacity),
                                  member("met_below", &RecordedThreshold::met_below),
                                  member("min_reclaim", &RecordedThreshold::min_reclaim),
                                  member("stood", &RecordedThreshold::stood),
                                  member("met_for_ms", &RecordedThreshold::met_for_ms));

constexpr auto kGuard =
    Table(member("due", &RecordedGuard::due), member("left", &RecordedGuard::left),
          member("rate", &RecordedGuard::rate, kNotNegative),
          member("time_left_ms", &RecordedGuard::time_left_ms),
          member("horizon_ms", &RecordedGuard::horizon_ms, kNotNegative));

constexpr auto kBridge =
    Table(member("memory_high_before", &RecordedBridge::before),
          member("memory_high", &RecordedBridge::set), member("not_set", &RecordedBridge::not_set));

constexpr auto kSortKeys = Table(
    member("urgency", &RecordedSortKeys::urgency), member("priority", &RecordedSortKeys::priority),
    member("missing", &RecordedSortKeys::missing), member("amount", &RecordedSortKeys::amount));

constexpr auto kCandidate = Table(
    member("place", &RecordedCandidate::place), member("namespace", &RecordedCandidate::ns),
    member("name", &RecordedCandidate::name), member("uid", &RecordedCandidate::uid),
    member("qos", &RecordedCandidate::qos), member("priority", &RecordedCandidate::priority),
    member("usage", &RecordedCandidate::usage), member("request", &RecordedCandidate::request),
    member("exceeds_request", &RecordedCandidate::exceeds_request),
    member("stall_us", &RecordedCandidate::stall_us),
    member("rate_bytes_per_second", &RecordedCandidate::rate_bytes_per_second),
    member("reading_age_us", &RecordedCandidate::reading_age_us),
    member("source", &RecordedCandidate::source),
    newer_member("counted", &RecordedCandidate::counted),
    newer_member("error_bound", &RecordedCandidate::error_bound),
    member("passed_over", &RecordedCandidate::passed_over),
    member("reason", &RecordedCandidate::reason),
    member("sort_keys", &RecordedCandidate::keys, kSortKeys));

constexpr auto kLocalStorage =
    Table(member("what", &RecordedLocalStorage::what), member("name", &RecordedLocalStorage::name),
          member("used_bytes", &RecordedLocalStorage::used_bytes),
          member("limit_bytes", &RecordedLocalStorage::limit_bytes),
          member("age_us", &RecordedLocalStorage::age_us),
          member("method", &RecordedLocalStorage::method),
          member("complete", &RecordedLocalStorage::complete));

constexpr auto kLocalCandidate = Table(
    member("namespace", &RecordedLocalCandidate::ns), member("name", &RecordedLocalCandidate::name),
    member("uid", &RecordedLocalCandidate::uid),
    member("local_limit", &RecordedLocalCandidate::local_limit),
    newer_member("local_storage", &RecordedLocalCandidate::storage, kLocalStorage),
    member("passed_over", &RecordedLocalCandidate::passed_over),
    member("reason", &RecordedLocalCandidate::reason));

constexpr auto kContainer =
    Table(member("name", &RecordedContainer::name),
          member("working_set_bytes", &RecordedContainer::working_set_bytes),
          member("age_us", &RecordedContainer::age_us));

constexpr auto kCause =
    Table(member("namespace", &RecordedCause::ns), member("name", &RecordedCause::name),
          member("uid", &RecordedCause::uid), member("rate", &RecordedCause::rate));

constexpr auto kCollector =
    Table(member("collector", &RecordedCollector::collector),
          member("argv", &RecordedCollector::argv), member("outcome", &RecordedCollector::outcome),
          member("end", &RecordedCollector::end), member("took_ms", &RecordedCollector::took_ms),
          member("ended_at_ns", &RecordedCollector::ended_at));

constexpr auto kReclaim = Table(member("available_before", &RecordedReclaim::available_before),
                                member("collectors", &RecordedReclaim::collectors, kCollector));

constexpr auto kRelease =
    Table(member("what", &RecordedRelease::what), member("state", &RecordedRelease::state),
          member("at_ns", &RecordedRelease::at));

constexpr auto kAnswer =
    Table(member("code", &RecordedAnswer::code), member("count", &RecordedAnswer::count));

constexpr auto kKernelKill = Table(member("at_ns", &RecordedKernelKill::at),
                                   member("answers", &RecordedKernelKill::answers, kAnswer),
                                   member("left_out", &RecordedKernelKill::left_out));

constexpr auto kEvent =
    Table(member("on", &RecordedEvent::on),
          written("type", [](const RecordedEvent&) { return "Warning"; }),
          member("reason", &RecordedEvent::reason), member("message", &RecordedEvent::message));

constexpr auto kPodCondition =
    Table(member("type", &RecordedPodCondition::type),
          written("status", [](const RecordedPodCondition&) { return "True"; }),
          member("reason", &RecordedPodCondition::reason),
          member("message", &RecordedPodCondition::message));

Json grace_used_ms(const RecordedTimeline& timeline) {
  const std::optional<Duration> used = grace_used(timeline);
  return used ? Json(std::chrono::duration_cast<std::chrono::milliseconds>(*used).count())
              : Json(nullptr);
}

constexpr auto kTimeline = Table(
    member("hook_ns", &RecordedTimeline::hook), member("wake_ns", &RecordedTimeline::wake),
    newer_member("begin_ns", &RecordedTimeline::begin),
    member("observe_ns", &RecordedTimeline::observe),
    member("decide_ns", &RecordedTimeline::decide),
    newer_member("first_signal_ns", &RecordedTimeline::first_signal),
    member("signal_ns", &RecordedTimeline::signal), member("killed_ns", &RecordedTimeline::killed),
    member("exited_ns", &RecordedTimeline::exited), member("freed_ns", &RecordedTimeline::freed),
    newer_member("grace_began_ns", &RecordedTimeline::grace_began),
    written("grace_used_ms", grace_used_ms));

Json pod_name(const EvictionRecord& record) {
  return record.has_victim() ? Json(record.ns + "/" + record.name) : Json(nullptr);
}

constexpr auto kGrace = Table(member("grace_given", &RecordedGrace::given_ms),
                              member("grace_wanted", &RecordedGrace::wanted_ms, kNotNegative),
                              member("time_left", &RecordedGrace::time_left_ms));

void write_forecast(const EvictionRecord& record, Json& json) {
  if (record.grace) {
    kGrace.write(*record.grace, json);
    return;
  }
  for (const char* const key : {"grace_given", "grace_wanted", "time_left"}) {
    json[key] = nullptr;
  }
}

void read_forecast(JsonFields& fields, EvictionRecord& record) {
  if (fields.has("grace_given")) {
    kGrace.read(fields, record.grace.emplace());
  }
}

constexpr auto kDecision = Table(
    member("id", &EvictionRecord::id),
    written("time", [](const EvictionRecord& record) { return rfc3339(record.at); }),
    newer_member("node", &EvictionRecord::node), written("pod", pod_name),
    member("namespace", &EvictionRecord::ns), member("name", &EvictionRecord::name),
    member("uid", &EvictionRecord::uid), member("trigger", &EvictionRecord::trigger),
    member("outcome", &EvictionRecord::outcome),
    newer_member("escalates", &EvictionRecord::escalates),
    newer_member("escalated_by", &EvictionRecord::escalated_by),
    member("hold_reason", &EvictionRecord::hold_reason), member("signal", &EvictionRecord::signal),
    member("threshold", &EvictionRecord::threshold),
    member("local_limit", &EvictionRecord::local_limit),
    newer_member("local_storage", &EvictionRecord::local_storage, kLocalStorage),
    member("resource", &EvictionRecord::resource), member("available", &EvictionRecord::available),
    member("capacity", &EvictionRecord::capacity),
    newer_member("rate", &EvictionRecord::rate, kNotNegative),
    newer_member("because_of", &EvictionRecord::because_of, kCause),
    newer_member("reclaim", &EvictionRecord::reclaim, kReclaim),
    group("memory_available", member("source", &EvictionRecord::memory_available_source),
          member("swap_aware", &EvictionRecord::swap_aware),
          member("hugepage_aware", &EvictionRecord::hugepage_aware)),
    member("grace_seconds", &EvictionRecord::grace_seconds),
    Custom<EvictionRecord>{write_forecast, read_forecast},
    newer_member("bridge", &EvictionRecord::bridge, kBridge),
    newer_member("oom_guard", &EvictionRecord::oom_guard, kGuard),
    member("dry_run", &EvictionRecord::dry_run),
    group("brakes", member("evictions_last_minute", &EvictionRecord::evictions_last_minute),
          member("overruled", &EvictionRecord::overruled_brake)),
    newer_member("disk_basis", &EvictionRecord::disk_basis),
    member("method", &EvictionRecord::method), member("processes", &EvictionRecord::processes),
    newer_member("kernel_kill", &EvictionRecord::kernel_kill, kKernelKill),
    member("state", &EvictionRecord::state),
    newer_member("not_killed", &EvictionRecord::not_killed),
    member("remaining_bytes", &EvictionRecord::remaining_bytes),
    newer_member("still_charged_bytes", &EvictionRecord::still_charged_bytes),
    newer_member("unreaped_tasks", &EvictionRecord::unreaped_tasks),
    member("message", &EvictionRecord::message),
    member("annotations", &EvictionRecord::annotations),
    newer_member("containers", &EvictionRecord::containers, kContainer),
    newer_member("events", &EvictionRecord::events, kEvent),
    newer_member("pod_conditions", &EvictionRecord::pod_conditions, kPodCondition),
    member("timeline", &EvictionRecord::timeline, kTimeline),
    member("conditions", &EvictionRecord::conditions),
    member("observations", &EvictionRecord::observations, kObservation),
    member("thresholds", &EvictionRecord::thresholds, kThreshold),
    member("ranking", &EvictionRecord::ranking, kCandidate),
    newer_member("local_candidates", &EvictionRecord::local_candidates, kLocalCandidate),
    member("release", &EvictionRecord::release, kRelease), member("hooks", &EvictionRecord::hooks));

}  // namespace

Json to_json(const std::optional<RecordedCause>& cause) {
  return cause ? kCause.json(*cause) : Json(nullptr);
}

Json to_json(const EvictionRecord& record) {
  Json json = {{"schema", kRecordSchema}, {"kind", "decision"}};
  kDecision.write(record, json);
  return json;
}

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
  // First, because every line has one: a line that is no record lacks it.
  record.at = fields.wall_time("time");
  kDecision.read(fields, record);
  if (failure) {
    return Failure(*failure);
  }
  return record;
}

}  // namespace evictd::exporting
