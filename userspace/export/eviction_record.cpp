// SPDX-License-Identifier: Apache-2.0
#include "export/eviction_record.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "export/json_time.h"

namespace evictd::exporting {

namespace {

using Json = nlohmann::ordered_json;

Json optional_number(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json optional_id(const std::optional<std::uint64_t>& id) {
  return id ? Json(*id) : Json(nullptr);
}

Json stamp(const std::optional<MonoTime>& moment) {
  return moment ? Json(moment->time_since_epoch().count()) : Json(nullptr);
}

Json to_json(const RecordedThreshold& threshold) {
  const std::chrono::milliseconds grace(threshold.grace_period_ms);
  return {{"signal", threshold.signal},
          {"threshold", threshold.threshold},
          {"hardness", threshold.hardness},
          {"grace_period_seconds", std::chrono::duration_cast<std::chrono::seconds>(grace).count()},
          {"grace_period_ms", threshold.grace_period_ms},
          {"met", threshold.met},
          {"available", optional_number(threshold.available)},
          {"capacity", optional_number(threshold.capacity)},
          {"met_below", optional_number(threshold.met_below)},
          {"min_reclaim", threshold.min_reclaim},
          {"stood", threshold.stood},
          {"met_for_ms", optional_number(threshold.met_for_ms)}};
}

Json to_json(const std::optional<RecordedGuard>& guard) {
  if (!guard) {
    return nullptr;
  }
  return {{"due", guard->due},
          {"left", guard->left},
          {"rate", guard->rate},
          {"time_left_ms", optional_number(guard->time_left_ms)},
          {"horizon_ms", guard->horizon_ms}};
}

Json to_json(const RecordedObservation& seen) {
  return {{"signal", seen.signal},
          {"available", seen.available},
          {"capacity", seen.capacity},
          {"age_us", optional_number(seen.age_us)},
          {"source", seen.source},
          {"error_bound", seen.error_bound},
          {"kernel_available", optional_number(seen.kernel_available)}};
}

Json to_json(const RecordedSortKeys& keys) {
  return {{"urgency", keys.urgency},
          {"priority", keys.priority},
          {"missing", keys.missing},
          {"amount", keys.amount}};
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
          {"counted", candidate.counted},
          {"error_bound", optional_number(candidate.error_bound)},
          {"passed_over", candidate.passed_over},
          {"reason", candidate.reason},
          {"sort_keys", to_json(candidate.keys)}};
}

Json grace_used_ms(const RecordedTimeline& timeline) {
  const std::optional<Duration> used = grace_used(timeline);
  return used ? Json(std::chrono::duration_cast<std::chrono::milliseconds>(*used).count())
              : Json(nullptr);
}

Json to_json(const RecordedLocalStorage& storage) {
  return {{"what", storage.what},
          {"name", storage.name},
          {"used_bytes", storage.used_bytes},
          {"limit_bytes", storage.limit_bytes},
          {"age_us", storage.age_us},
          {"method", storage.method},
          {"complete", storage.complete}};
}

Json to_json(const std::optional<RecordedLocalStorage>& storage) {
  return storage ? to_json(*storage) : Json(nullptr);
}

Json to_json(const RecordedLocalCandidate& candidate) {
  return {{"namespace", candidate.ns},
          {"name", candidate.name},
          {"uid", candidate.uid},
          {"local_limit", candidate.local_limit},
          {"local_storage", to_json(candidate.storage)},
          {"passed_over", candidate.passed_over},
          {"reason", candidate.reason}};
}

Json to_json(const RecordedContainer& container) {
  return {{"name", container.name},
          {"working_set_bytes", container.working_set_bytes},
          {"age_us", container.age_us}};
}

Json to_json(const RecordedCollector& one) {
  return {{"collector", one.collector},
          {"argv", one.argv},
          {"outcome", one.outcome},
          {"end", one.end},
          {"took_ms", optional_number(one.took_ms)},
          {"ended_at_ns", stamp(one.ended_at)}};
}

Json to_json(const RecordedRelease& release) {
  return {{"what", release.what}, {"state", release.state}, {"at_ns", stamp(release.at)}};
}

Json to_json(const RecordedEvent& event) {
  return {
      {"on", event.on}, {"type", "Warning"}, {"reason", event.reason}, {"message", event.message}};
}

Json to_json(const RecordedPodCondition& condition) {
  return {{"type", condition.type},
          {"status", "True"},
          {"reason", condition.reason},
          {"message", condition.message}};
}

Json to_json(const RecordedTimeline& timeline) {
  return {{"hook_ns", stamp(timeline.hook)},
          {"wake_ns", stamp(timeline.wake)},
          {"begin_ns", stamp(timeline.begin)},
          {"observe_ns", stamp(timeline.observe)},
          {"decide_ns", stamp(timeline.decide)},
          {"first_signal_ns", stamp(timeline.first_signal)},
          {"signal_ns", stamp(timeline.signal)},
          {"killed_ns", stamp(timeline.killed)},
          {"exited_ns", stamp(timeline.exited)},
          {"freed_ns", stamp(timeline.freed)},
          {"grace_began_ns", stamp(timeline.grace_began)},
          {"grace_used_ms", grace_used_ms(timeline)}};
}

template <typename T>
Json list_of(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) {
    list.push_back(to_json(item));
  }
  return list;
}

Json to_json(const std::optional<RecordedReclaim>& reclaim) {
  if (!reclaim) {
    return nullptr;
  }
  return {{"available_before", optional_number(reclaim->available_before)},
          {"collectors", list_of(reclaim->collectors)}};
}

}  // namespace

std::optional<Duration> grace_used(const RecordedTimeline& timeline) {
  if (!timeline.signal || (!timeline.killed && !timeline.exited)) {
    return std::nullopt;
  }
  const MonoTime begin = timeline.grace_began.value_or(*timeline.signal);
  MonoTime end = timeline.killed.value_or(begin);
  if (timeline.exited && (!timeline.killed || *timeline.exited < end)) {
    end = *timeline.exited;
  }
  return std::max(end - begin, Duration::zero());
}

namespace {

std::string why_not_killed(std::string_view not_killed) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kReasons{
      {{"static", "it comes from a static manifest now"},
       {"mirror", "it is a mirror pod now"},
       {"critical", "its priority is system-critical now"},
       {"never_evict", "neverEvict names it now"},
       {"unknown", "no source of pods knows it any more"},
       {"outside_root", "its cgroup is not below a pod root any more"},
       {"own_process", "evictd itself or pid 1 is in it"},
       {"unreachable", "none of its processes could be signalled"}}};
  std::string_view why = not_killed;
  for (const auto& [name, reason] : kReasons) {
    why = name == not_killed ? reason : why;
  }
  return std::string(why);
}

}  // namespace

std::string still_charged_text(std::int64_t bytes) {
  return "killed, " + std::to_string(bytes >> 20) +
         " MiB still charged to its cgroup by files in memory";
}

std::string not_killed_text(std::string_view not_killed) {
  return "SIGKILL was not sent: " + why_not_killed(not_killed);
}

std::string not_killed_in_dry_run_text(std::string_view not_killed) {
  return "SIGKILL would not have been sent: " + why_not_killed(not_killed);
}

Json to_json(const std::optional<RecordedCause>& cause) {
  if (!cause) {
    return nullptr;
  }
  return {
      {"namespace", cause->ns}, {"name", cause->name}, {"uid", cause->uid}, {"rate", cause->rate}};
}

Json to_json(const EvictionRecord& record) {
  return {{"schema", kRecordSchema},
          {"kind", "decision"},
          {"id", record.id},
          {"time", rfc3339(record.at)},
          {"node", record.node},
          {"pod", record.has_victim() ? Json(record.ns + "/" + record.name) : Json(nullptr)},
          {"namespace", record.ns},
          {"name", record.name},
          {"uid", record.uid},
          {"trigger", record.trigger},
          {"outcome", record.outcome},
          {"escalates", optional_id(record.escalates)},
          {"escalated_by", optional_id(record.escalated_by)},
          {"hold_reason", record.hold_reason},
          {"signal", record.signal},
          {"threshold", record.threshold},
          {"local_limit", record.local_limit},
          {"local_storage", to_json(record.local_storage)},
          {"resource", record.resource},
          {"available", optional_number(record.available)},
          {"capacity", optional_number(record.capacity)},
          {"rate", optional_number(record.rate)},
          {"because_of", to_json(record.because_of)},
          {"reclaim", to_json(record.reclaim)},
          {"memory_available",
           {{"source", record.memory_available_source},
            {"swap_aware", record.swap_aware},
            {"hugepage_aware", record.hugepage_aware}}},
          {"grace_seconds", record.grace_seconds},
          {"grace_given", record.grace ? Json(record.grace->given_ms) : Json(nullptr)},
          {"grace_wanted", record.grace ? Json(record.grace->wanted_ms) : Json(nullptr)},
          {"time_left", record.grace ? optional_number(record.grace->time_left_ms) : Json(nullptr)},
          {"oom_guard", to_json(record.oom_guard)},
          {"dry_run", record.dry_run},
          {"brakes",
           {{"evictions_last_minute", record.evictions_last_minute},
            {"overruled", record.overruled_brake}}},
          {"disk_basis", record.disk_basis},
          {"method", record.method},
          {"processes", record.processes},
          {"state", record.state},
          {"not_killed", record.not_killed},
          {"remaining_bytes", optional_number(record.remaining_bytes)},
          {"still_charged_bytes", optional_number(record.still_charged_bytes)},
          {"unreaped_tasks", optional_number(record.unreaped_tasks)},
          {"message", record.message},
          {"annotations", record.annotations},
          {"containers", list_of(record.containers)},
          {"events", list_of(record.events)},
          {"pod_conditions", list_of(record.pod_conditions)},
          {"timeline", to_json(record.timeline)},
          {"conditions", record.conditions},
          {"observations", list_of(record.observations)},
          {"thresholds", list_of(record.thresholds)},
          {"ranking", list_of(record.ranking)},
          {"local_candidates", list_of(record.local_candidates)},
          {"release", list_of(record.release)},
          {"hooks", record.hooks}};
}

}  // namespace evictd::exporting
