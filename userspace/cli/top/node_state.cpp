// SPDX-License-Identifier: Apache-2.0
#include "cli/top/node_state.h"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/amount_text.h"
#include "cli/forecast_text.h"
#include "cli/pod_text.h"

namespace evictd::cli::top {

namespace {

using Json = nlohmann::ordered_json;

/// A member of an object; null if there is none.
const Json& member(const Json& object, const char* key) {
  static const Json kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::string string_in(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<std::int64_t> number_in(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

bool flag_in(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_boolean() && value.get<bool>();
}

/// The objects of a list; none without a list.
std::vector<Json> objects_in(const Json& object, const char* key) {
  std::vector<Json> objects;
  const Json& list = member(object, key);
  if (list.is_array()) {
    for (const Json& one : list) {
      if (one.is_object()) {
        objects.push_back(one);
      }
    }
  }
  return objects;
}

SignalState read_signal(const Json& json) {
  const std::int64_t grace_ms = number_in(json, "grace_period_ms").value_or(0);
  const std::string kind = string_in(json, "kind");
  const Json& forecast = member(json, "forecast");
  return {.signal = string_in(json, "signal"),
          .kind = grace_ms == 0 ? kind : kind + " " + grace_text(grace_ms),
          .threshold = string_in(json, "threshold"),
          .observed = flag_in(json, "observed"),
          .met = flag_in(json, "met"),
          .available = number_in(json, "available").value_or(0),
          .capacity = number_in(json, "capacity").value_or(0),
          .met_below = number_in(json, "met_below").value_or(0),
          .time_to_threshold_ms = number_in(forecast, "time_to_threshold_ms"),
          .forecast = forecast_text(json)};
}

PodState read_pod(const Json& json) {
  const std::string protection = string_in(json, "protection");
  const std::string state = string_in(json, "state");
  const bool is_protected = !protection.empty() && protection != "none";
  PodState pod{.name = pod_text(string_in(json, "namespace"), string_in(json, "name"),
                                string_in(json, "uid")),
               .uid = string_in(json, "uid"),
               .cgroup = string_in(json, "cgroup"),
               .origin = string_in(json, "origin"),
               .state = is_protected && protection != state ? state + ", " + protection : state,
               .is_protected = is_protected,
               .qos = string_in(json, "qos")};
  pod.priority = number_in(json, "priority");
  pod.request = number_in(json, "memory_request_bytes");
  pod.usage = number_in(json, "usage_bytes");
  pod.inactive_file = number_in(json, "inactive_file_bytes");
  pod.working_set = number_in(json, "working_set_bytes");
  pod.tasks = number_in(json, "tasks");
  pod.stall_us = number_in(json, "stall_us");
  pod.rate = number_in(json, "rate_bytes_per_second");
  const Json& storage = member(json, "storage");
  if (storage.is_object()) {
    pod.local_storage = number_in(storage, "ephemeral_bytes");
  }
  pod.memory_rank = number_in(json, "memory_rank").value_or(0);
  pod.task_rank = number_in(json, "pid_rank").value_or(0);
  return pod;
}

void read_head(const Json& status, NodeState& node) {
  node.version = string_in(status, "version");
  node.node = string_in(status, "node");
  node.event_source = string_in(status, "event_source");
  node.realtime = flag_in(status, "realtime");
  node.dry_run = flag_in(status, "dry_run");
  if (const Json& brakes = member(status, "brakes"); brakes.is_object()) {
    node.brake = string_in(brakes, "on");
  }
  if (const Json& pass = member(status, "last_pass"); pass.is_object()) {
    const std::chrono::milliseconds age(number_in(pass, "ms_ago").value_or(0));
    node.last_pass = duration_text(age) + " ago: " + string_in(pass, "outcome") + " (" +
                     string_in(pass, "trigger") + ")";
  }
  if (const Json& counters = member(status, "counters"); counters.is_object()) {
    node.evictions = number_in(counters, "evictions").value_or(0);
    node.oom_kills = number_in(counters, "kernel_oom_kills").value_or(0);
    node.lost_records = number_in(counters, "lost_records").value_or(0);
  }
}

}  // namespace

std::optional<std::int64_t> PodState::over_request() const {
  return working_set && request ? std::optional(*working_set - *request) : std::nullopt;
}

NodeState read_node_state(const Json& status) {
  NodeState node;
  if (!status.is_object()) {
    return node;
  }
  read_head(status, node);
  for (const Json& condition : objects_in(status, "conditions")) {
    if (flag_in(condition, "status")) {
      node.conditions.push_back(string_in(condition, "type"));
    }
  }
  for (const Json& signal : objects_in(status, "signals")) {
    node.signals.push_back(read_signal(signal));
  }
  for (const Json& pod : objects_in(status, "pods")) {
    node.pods.push_back(read_pod(pod));
  }
  return node;
}

bool is_moving(const NodeState& before, const NodeState& after) {
  constexpr std::int64_t kStill = 1000;
  if (before.signals.size() != after.signals.size()) {
    return true;
  }
  for (std::size_t i = 0; i < after.signals.size(); ++i) {
    const std::int64_t moved = after.signals[i].available - before.signals[i].available;
    if (std::abs(moved) > after.signals[i].capacity / kStill) {
      return true;
    }
  }
  return false;
}

}  // namespace evictd::cli::top
