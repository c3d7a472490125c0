// SPDX-License-Identifier: Apache-2.0
// Writing. A list of fixed length stands where an object would repeat its names for every pod.
#include "replay/pass_json.h"

#include <algorithm>
#include <limits>

#include "replay/spec_json.h"

namespace evictd::replay {

namespace {

std::int64_t ns(MonoTime moment) {
  return moment.time_since_epoch().count();
}

Json moment_json(const std::optional<MonoTime>& moment) {
  return moment ? Json(ns(*moment)) : Json(nullptr);
}

Json list_json(const eviction::ThresholdList& list) {
  Json json = Json::array();
  for (const std::size_t place : list) {
    json.push_back(place);
  }
  return json;
}

Json conditions_json(eviction::ConditionSet set) {
  Json json = Json::array();
  for (const eviction::Condition condition : eviction::kConditions) {
    if (set.has(condition)) {
      json.push_back(eviction::to_string(condition));
    }
  }
  return json;
}

Json layout_json(const std::optional<eviction::DiskLayout>& layout) {
  return layout ? Json{{"dedicated_image_fs", layout->dedicated_image_fs},
                       {"split_container_fs", layout->split_container_fs}}
                : Json(nullptr);
}

Json brakes_json(const std::optional<RecordedBrakes>& recorded) {
  if (!recorded) {
    return nullptr;
  }
  const eviction::Brakes& brakes = recorded->brakes;
  Json recent = Json::array();
  for (const MonoTime moment : recorded->recent) {
    recent.push_back(ns(moment));
  }
  Json paused = Json::array();
  for (const MonoTime moment : brakes.pauses.by_signal) {
    paused.push_back(ns(moment));
  }
  return {{"max_evictions_per_minute", brakes.max_evictions_per_minute},
          {"recent", std::move(recent)},
          {"all_paused_until", ns(brakes.pauses.all)},
          {"paused_until", std::move(paused)},
          {"memory_per_second", brakes.growth.memory_per_second.value},
          {"tasks_per_second", brakes.growth.tasks_per_second},
          {"disk_per_second", brakes.growth.disk_per_second.value},
          {"disk_ahead", brakes.growth.disk_ahead.value},
          {"capacity_part", brakes.growth.capacity_part},
          {"released_at", moment_json(brakes.released_at)},
          {"released_below_pod_root_at",
           Json::array({moment_json(brakes.released_below_pod_root_at)})}};
}

Json place_json(const std::optional<std::size_t>& place) {
  return place ? Json(*place) : Json(nullptr);
}

}  // namespace

std::string_view to_string(eviction::Cadence cadence) {
  return cadence == eviction::Cadence::kRegular ? "regular" : "event";
}

Json wide_json(eviction::Wide value) {
  if (value >= std::numeric_limits<std::int64_t>::min() &&
      value <= std::numeric_limits<std::int64_t>::max()) {
    return static_cast<std::int64_t>(value);
  }
  const bool negative = value < 0;
  std::string digits;
  for (; value != 0; value /= 10) {
    const auto digit = static_cast<int>(value % 10);
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
  }
  if (negative) {
    digits += '-';
  }
  std::reverse(digits.begin(), digits.end());
  return digits;
}

Json to_json(const eviction::Observations& observations) {
  Json json = Json::object();
  for (const eviction::Signal signal : eviction::kSignals) {
    if (const auto& seen = observations[signal]) {
      Json& one = json[std::string(eviction::to_string(signal))];
      one = {{"available", seen->available},
             {"capacity", seen->capacity},
             {"time", seen->time ? Json(ns(*seen->time)) : Json(nullptr)}};
      if (seen->kernel_available) {
        one["kernel_available"] = *seen->kernel_available;
      }
      if (seen->rate) {
        one["rate"] = *seen->rate;
      }
      if (seen->reserve) {
        one["reserve"] = {seen->reserve->left, seen->reserve->rate, seen->reserve->tight};
      }
    }
  }
  return json;
}

Json to_json(const eviction::PassState& state) {
  Json times = Json::array();
  for (const auto& moment : state.conditions_last_observed) {
    times.push_back(moment_json(moment));
  }
  Json first = Json::array();
  for (std::size_t place = 0; place < state.first_observed.size(); ++place) {
    if (state.first_observed[place]) {
      first.push_back({place, ns(*state.first_observed[place])});
    }
  }
  Json unchanged = Json::array();
  for (const auto& moment : state.unchanged_since) {
    unchanged.push_back(moment_json(moment));
  }
  Json marks = Json::array();
  for (std::size_t signal = 0; signal < state.last_evictions.size(); ++signal) {
    if (const auto& mark = state.last_evictions[signal]) {
      marks.push_back({signal, ns(mark->at), mark->available});
    }
  }
  Json json = {{"conditions", conditions_json(state.conditions)},
               {"conditions_last_observed", std::move(times)},
               {"first_observed", std::move(first)},
               {"past_grace", list_json(state.past_grace)},
               {"last_observations", to_json(state.last_observations)},
               {"unchanged_since", std::move(unchanged)},
               {"layout", layout_json(state.layout)},
               {"watch_points_refreshed_at", moment_json(state.watch_points_refreshed_at)},
               {"last_evictions", std::move(marks)}};
  if (const auto& mark = state.guard_mark) {
    json["guard_mark"] = {ns(mark->at), mark->available};
  }
  return json;
}

Json to_json(const eviction::SuspendedPass& suspended) {
  return {{"threshold", suspended.threshold},
          {"met", list_json(suspended.met)},
          {"past_grace", list_json(suspended.past_grace)},
          {"actionable", list_json(suspended.actionable)},
          {"observations", to_json(suspended.observations)}};
}

Json to_json(const eviction::Decision& decision) {
  Json collectors = Json::array();
  for (const eviction::Collector collector : decision.collectors) {
    collectors.push_back(eviction::to_string(collector));
  }
  Json local = Json::array();
  for (const eviction::LocalStorageVictim& victim : decision.local_victims) {
    local.push_back({victim.pod, eviction::to_string(victim.breach.limit), victim.breach.place});
  }
  Json json = {{"outcome", eviction::to_string(decision.outcome)},
               {"reason", eviction::to_string(decision.reason)},
               {"conditions", conditions_json(decision.conditions)},
               {"met", list_json(decision.met)},
               {"past_grace", list_json(decision.past_grace)},
               {"actionable", list_json(decision.actionable)},
               {"threshold", place_json(decision.threshold)},
               {"victim", place_json(decision.victim)},
               {"overruled", eviction::to_string(decision.overruled)},
               {"grace", std::chrono::ceil<std::chrono::seconds>(decision.grace).count()},
               {"collectors", std::move(collectors)},
               {"local_victims", std::move(local)},
               {"observations", to_json(decision.observations)},
               {"next_deadline", moment_json(decision.next_deadline)},
               {"refresh_watch_points", decision.refresh_watch_points},
               {"learnt_layout", decision.learnt_layout}};
  if (decision.choice != eviction::Choice::kAnybody) {
    json["choice"] = eviction::to_string(decision.choice);
  }
  if (decision.grace != decision.grace_wanted && decision.grace_wanted.count() != 0) {
    json["grace_ms"] = decision.grace.count();
    json["grace_wanted_ms"] = decision.grace_wanted.count();
  }
  if (decision.oom_guard) {
    json["oom_guard"] = true;
  }
  if (decision.disk_basis != eviction::DiskBasis::kMeasured) {
    json["disk_basis"] = eviction::to_string(decision.disk_basis);
  }
  return json;
}

Json to_json(const eviction::PodFacts& facts) {
  Json json = {{"qos", static_cast<int>(facts.qos)},
               {"priority", facts.priority},
               {"static", facts.is_static},
               {"mirror", facts.is_mirror},
               {"critical", facts.is_critical},
               {"node_critical", facts.is_node_critical},
               {"never_evict", facts.never_evict},
               {"tolerates_memory_pressure", facts.tolerates_memory_pressure},
               {"has_local_limits", facts.has_local_limits},
               {"memory_request", wide_json(facts.memory_request_nanos)},
               {"ephemeral_request", wide_json(facts.ephemeral_request_nanos)},
               {"grace", facts.termination_grace_seconds ? Json(*facts.termination_grace_seconds)
                                                         : Json(nullptr)}};
  if (facts.inode_request_nanos != 0) {
    json["inode_request"] = wide_json(facts.inode_request_nanos);
  }
  if (!facts.below_pod_root) {
    json["outside_pod_root"] = true;
  }
  return json;
}

Json to_json(const RecordedPod& pod) {
  return {{"pod", pod.number},
          {"namespace", pod.ns},
          {"name", pod.name},
          {"uid", pod.uid},
          {"labels", pod.labels},
          {"facts", to_json(pod.facts)},
          {"spec", pod.spec ? spec_json(*pod.spec) : Json(nullptr)}};
}

Json to_json(const RecordedPodPass& pod) {
  const eviction::DiskReading& disk = pod.reading.disk;
  Json json = {
      {"n", pod.number},
      {"r",
       {static_cast<int>(pod.reading.state), pod.reading.working_set_bytes, pod.reading.processes}},
      {"s", static_cast<int>(pod.standing)},
      {"u",
       {pod.usage.usage.value, pod.usage.inactive_file.value, pod.usage.tasks,
        pod.usage.stall.count(), pod.usage.rate_bytes_per_second, ns(pod.usage.read_at),
        pod.usage.source == UsageSource::kBpfTable ? 1 : 0}}};
  if (disk.root_bytes != 0 || disk.root_inodes != 0 || disk.log_bytes != 0 ||
      disk.log_inodes != 0 || disk.volume_bytes != 0 || disk.volume_inodes != 0) {
    json["d"] = {{"rb", wide_json(disk.root_bytes)},   {"ri", wide_json(disk.root_inodes)},
                 {"lb", wide_json(disk.log_bytes)},    {"li", wide_json(disk.log_inodes)},
                 {"vb", wide_json(disk.volume_bytes)}, {"vi", wide_json(disk.volume_inodes)}};
  }
  if (pod.grown.value != 0) {
    json["g"] = pod.grown.value;
  }
  if (pod.disk_count != eviction::DiskCount::kWhole) {
    json["c"] = static_cast<int>(pod.disk_count);
  }
  if (pod.statistics) {
    json["t"] = statistics_json(*pod.statistics);
  }
  return json;
}

Json to_json(const RecordedPass& pass) {
  Json pods = Json::array();
  for (const RecordedPodPass& pod : pass.pods) {
    pods.push_back(to_json(pod));
  }
  Json releasing = Json::array();
  for (const eviction::ReleasingPod& pod : pass.releasing) {
    Json& one = releasing.emplace_back(
        Json{ns(pod.killed_at), pod.memory.value, pod.tasks, pod.disk.value, pod.inodes});
    if (!pod.below_pod_root || pod.left.value != 0) {
      one.push_back(pod.below_pod_root ? 0 : 1);
    }
    if (pod.left.value != 0) {
      one.push_back(pod.left.value);
    }
  }
  Json json = {
      {"pass", ns(pass.now)},
      {"missed", pass.missed},
      {"trigger", pass.trigger},
      {"cadence", to_string(pass.cadence)},
      {"before", pass.before ? to_json(*pass.before) : Json(nullptr)},
      {"waiting_before", pass.waiting_before ? to_json(*pass.waiting_before) : Json(nullptr)},
      {"observations", pass.observations ? to_json(*pass.observations) : Json(nullptr)},
      {"resumed", pass.resumed},
      {"disk_usage_pending", pass.disk_usage_pending},
      {"layout", layout_json(pass.layout)},
      {"pods", std::move(pods)},
      {"releasing", std::move(releasing)},
      {"brakes", brakes_json(pass.brakes)},
      {"dry_run", pass.dry_run},
      {"signal_at", moment_json(pass.signal_at)},
      {"local_signalled", pass.local_signalled},
      {"decision", pass.decision},
      {"state", pass.state}};
  if (pass.disk_progress != eviction::DiskProgress::kNothing) {
    json["disk_progress"] = static_cast<int>(pass.disk_progress);
  }
  return json;
}

}  // namespace evictd::replay
