// SPDX-License-Identifier: Apache-2.0
#include "cli/top/node_state.h"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "cli/amount_text.h"
#include "cli/forecast_text.h"
#include "cli/pod_text.h"

namespace evictd::cli::top {

namespace {

using base::integer_at;
using base::is_true_at;
using base::list_at;
using base::member_at;
using base::text_at;
using Json = nlohmann::ordered_json;

/// The objects of a list; none without a list.
std::vector<Json> objects_in(const Json& object, const char* key) {
  std::vector<Json> objects;
  for (const Json& one : list_at(object, key)) {
    if (one.is_object()) {
      objects.push_back(one);
    }
  }
  return objects;
}

SignalState read_signal(const Json& json) {
  const std::int64_t grace_ms = integer_at(json, "grace_period_ms").value_or(0);
  const std::string kind = text_at(json, "kind");
  return {.signal = text_at(json, "signal"),
          .kind = grace_ms == 0 ? kind : kind + " " + grace_text(grace_ms),
          .threshold = text_at(json, "threshold"),
          .observed = is_true_at(json, "observed"),
          .met = is_true_at(json, "met"),
          .available = integer_at(json, "available").value_or(0),
          .capacity = integer_at(json, "capacity").value_or(0),
          .met_below = integer_at(json, "met_below").value_or(0),
          .time_to_threshold_ms = integer_at(json, "forecast", "time_to_threshold_ms"),
          .forecast = forecast_text(json)};
}

PodState read_pod(const Json& json) {
  const std::string protection = text_at(json, "protection");
  const std::string state = text_at(json, "state");
  const bool is_protected = !protection.empty() && protection != "none";
  PodState pod{
      .name = pod_text(text_at(json, "namespace"), text_at(json, "name"), text_at(json, "uid")),
      .uid = text_at(json, "uid"),
      .cgroup = text_at(json, "cgroup"),
      .origin = text_at(json, "origin"),
      .state = is_protected && protection != state ? state + ", " + protection : state,
      .is_protected = is_protected,
      .qos = text_at(json, "qos")};
  pod.priority = integer_at(json, "priority");
  pod.request = integer_at(json, "memory_request_bytes");
  pod.usage = integer_at(json, "usage_bytes");
  pod.inactive_file = integer_at(json, "inactive_file_bytes");
  pod.working_set = integer_at(json, "working_set_bytes");
  pod.tasks = integer_at(json, "tasks");
  pod.stall_us = integer_at(json, "stall_us");
  pod.rate = integer_at(json, "rate_bytes_per_second");
  pod.local_storage = integer_at(json, "storage", "ephemeral_bytes");
  pod.memory_rank = integer_at(json, "memory_rank").value_or(0);
  pod.task_rank = integer_at(json, "pid_rank").value_or(0);
  return pod;
}

void read_head(const Json& status, NodeState& node) {
  node.version = text_at(status, "version");
  node.node = text_at(status, "node");
  node.event_source = text_at(status, "event_source");
  node.realtime = is_true_at(status, "realtime");
  node.dry_run = is_true_at(status, "dry_run");
  node.brake = text_at(status, "brakes", "on");
  if (const Json& pass = member_at(status, "last_pass"); pass.is_object()) {
    const std::chrono::milliseconds age(integer_at(pass, "ms_ago").value_or(0));
    node.last_pass = duration_text(age) + " ago: " + text_at(pass, "outcome") + " (" +
                     text_at(pass, "trigger") + ")";
  }
  node.evictions = integer_at(status, "counters", "evictions").value_or(0);
  node.oom_kills = integer_at(status, "counters", "kernel_oom_kills").value_or(0);
  node.lost_records = integer_at(status, "counters", "lost_records").value_or(0);
}

}  // namespace

std::optional<std::int64_t> PodState::over_request() const {
  return working_set && request ? std::optional(*working_set - *request) : std::nullopt;
}

NodeState read_node_state(const Json& status) {
  NodeState node;
  read_head(status, node);
  for (const Json& condition : objects_in(status, "conditions")) {
    if (is_true_at(condition, "status")) {
      node.conditions.push_back(text_at(condition, "type"));
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
