// SPDX-License-Identifier: Apache-2.0
#include "export/eviction_record.h"

#include <nlohmann/json.hpp>

#include "export/json_time.h"

namespace evictd::exporting {

namespace {

using Json = nlohmann::ordered_json;

Json optional_number(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json stamp(const std::optional<MonoTime>& moment) {
  return moment ? Json(moment->time_since_epoch().count()) : Json(nullptr);
}

Json to_json(const RecordedThreshold& threshold) {
  return {{"signal", threshold.signal},
          {"threshold", threshold.threshold},
          {"grace_period_seconds", threshold.grace_period_seconds},
          {"met", threshold.met},
          {"available", optional_number(threshold.available)},
          {"capacity", optional_number(threshold.capacity)}};
}

Json to_json(const RecordedCandidate& candidate) {
  return {{"place", candidate.place},
          {"namespace", candidate.ns},
          {"name", candidate.name},
          {"uid", candidate.uid},
          {"qos", candidate.qos},
          {"priority", candidate.priority},
          {"usage", candidate.usage},
          {"request", candidate.request},
          {"exceeds_request", candidate.exceeds_request},
          {"stall_us", candidate.stall_us},
          {"rate_bytes_per_second", candidate.rate_bytes_per_second},
          {"reading_age_us", candidate.reading_age_us},
          {"source", candidate.source},
          {"passed_over", candidate.passed_over},
          {"reason", candidate.reason}};
}

Json to_json(const RecordedTimeline& timeline) {
  return {{"hook_ns", stamp(timeline.hook)},       {"wake_ns", stamp(timeline.wake)},
          {"observe_ns", stamp(timeline.observe)}, {"decide_ns", stamp(timeline.decide)},
          {"signal_ns", stamp(timeline.signal)},   {"killed_ns", stamp(timeline.killed)},
          {"exited_ns", stamp(timeline.exited)},   {"freed_ns", stamp(timeline.freed)}};
}

template <typename T>
Json list_of(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) {
    list.push_back(to_json(item));
  }
  return list;
}

}  // namespace

Json to_json(const EvictionRecord& record) {
  return {{"id", record.id},
          {"time", rfc3339(record.at)},
          {"pod", record.ns + "/" + record.name},
          {"uid", record.uid},
          {"trigger", record.trigger},
          {"outcome", record.outcome},
          {"signal", record.signal},
          {"threshold", record.threshold},
          {"resource", record.resource},
          {"available", optional_number(record.available)},
          {"capacity", optional_number(record.capacity)},
          {"memory_available",
           {{"source", record.memory_available_source},
            {"swap_aware", record.swap_aware},
            {"hugepage_aware", record.hugepage_aware}}},
          {"grace_seconds", record.grace_seconds},
          {"dry_run", record.dry_run},
          {"brakes",
           {{"evictions_last_minute", record.evictions_last_minute},
            {"overruled", record.overruled_brake}}},
          {"method", record.method},
          {"processes", record.processes},
          {"state", record.state},
          {"remaining_bytes", optional_number(record.remaining_bytes)},
          {"message", record.message},
          {"annotations", record.annotations},
          {"timeline", to_json(record.timeline)},
          {"thresholds", list_of(record.thresholds)},
          {"ranking", list_of(record.ranking)},
          {"hooks", record.hooks}};
}

}  // namespace evictd::exporting
