// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/node_request.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/json_members.h"
#include "core/rfc3339.h"
#include "evictd/try.h"
#include "kube/actions/times.h"
#include "kube/shaped_json.h"

namespace evictd::kube {

namespace {

using base::list_at;
using base::text_at;
using Json = nlohmann::json;

constexpr Duration kNodeTimeLimit = std::chrono::seconds(10);
constexpr const char* kEffect = "NoSchedule";

Shape make_node_shape() {
  Shape shape = keeping({"kind"});
  shape.members["metadata"] = keeping({"name", "resourceVersion"});
  shape.members["spec"].members["taints"] = keeping({"key", "value", "effect", "timeAdded"});
  shape.members["status"].members["conditions"] = keeping({"type", "status", "reason"});
  return shape;
}

bool is_ours(const Json& taint) {
  if (!taint.is_object() || text_at(taint, "effect") != kEffect) {
    return false;
  }
  const std::string key = text_at(taint, "key");
  return key == kLoopTaint ||
         std::any_of(kPressureKinds.begin(), kPressureKinds.end(),
                     [&](const PressureKind& kind) { return key == kind.taint; });
}

/// The keys of evictd's taints that the node should have.
std::vector<std::string_view> wanted_keys(const Pressure& pressure) {
  std::vector<std::string_view> keys;
  for (std::size_t i = 0; i < kPressureKinds.size(); ++i) {
    if (pressure.kinds[i].is_set) {
      keys.push_back(kPressureKinds[i].taint);
    }
  }
  if (pressure.is_damped) {
    keys.push_back(kLoopTaint);
  }
  return keys;
}

std::string_view type_of(const PressureKind& kind, NodeConditions which) {
  return which == NodeConditions::kOwn ? kind.own_condition : kind.condition;
}

Ask node_patch(std::string path, const Json& body) {
  return {.path = std::move(path),
          .form = Ask::Form::kWhole,
          .time_limit = kNodeTimeLimit,
          .method = Ask::Method::kPatch,
          .body = body.dump(),
          .content_type = "application/strategic-merge-patch+json"};
}

}  // namespace

Result<NodeAnswer> read_node(std::string_view body, const std::string& node) {
  static const Shape kShape = make_node_shape();
  EVICTD_ASSIGN_OR_RETURN(const Json read, read_shaped(body, kShape));
  std::string version = text_at(read, "metadata", "resourceVersion");
  if (text_at(read, "kind") != "Node" || text_at(read, "metadata", "name") != node ||
      version.empty()) {
    return fail(Errc::kInvalid, "not a v1.Node named " + node);
  }
  return NodeAnswer{.resource_version = std::move(version),
                    .taints = list_at(read, "spec", "taints"),
                    .conditions = list_at(read, "status", "conditions")};
}

Ask get_node_request(const std::string& node) {
  return {.path = "/api/v1/nodes/" + node, .form = Ask::Form::kWhole, .time_limit = kNodeTimeLimit};
}

Json wanted_taints(const Json& taints, const Pressure& pressure) {
  Json wanted = Json::array();
  std::vector<std::string_view> missing = wanted_keys(pressure);
  for (const Json& taint : taints) {
    const bool is_wanted = is_ours(taint) && std::erase(missing, text_at(taint, "key")) != 0;
    if (is_wanted || !is_ours(taint)) {
      wanted.push_back(taint);
    }
  }
  for (const std::string_view key : missing) {
    wanted.push_back({{"key", key}, {"effect", kEffect}});
  }
  return wanted;
}

Ask taint_request(const std::string& node, const NodeAnswer& read, const Json& taints) {
  return node_patch(
      "/api/v1/nodes/" + node,
      {{"metadata", {{"resourceVersion", read.resource_version}}}, {"spec", {{"taints", taints}}}});
}

bool has_conditions(const NodeAnswer& read, const Pressure& pressure, NodeConditions which) {
  for (std::size_t i = 0; i < kPressureKinds.size(); ++i) {
    const bool is_there =
        std::any_of(read.conditions.begin(), read.conditions.end(), [&](const Json& condition) {
          return condition.is_object() &&
                 text_at(condition, "type") == type_of(kPressureKinds[i], which) &&
                 text_at(condition, "status") == (pressure.kinds[i].is_set ? "True" : "False");
        });
    if (!is_there) {
      return false;
    }
  }
  return true;
}

Ask condition_request(const std::string& node, const Pressure& pressure, NodeConditions which,
                      WallTime now) {
  const bool is_own = which == NodeConditions::kOwn;
  Json conditions = Json::array();
  for (std::size_t i = 0; i < kPressureKinds.size(); ++i) {
    const PressureKind& kind = kPressureKinds[i];
    const Pressure::One& one = pressure.kinds[i];
    const std::string reason = (is_own ? "Evictd" : "Kubelet") +
                               std::string(one.is_set ? kind.bad_reason : kind.good_reason);
    const std::string message = (is_own ? "evictd " : "kubelet ") +
                                std::string(one.is_set ? kind.bad_words : kind.good_words);
    const Result<WallTime> since = core::wall_time_from_rfc3339(one.since);
    conditions.push_back({{"type", type_of(kind, which)},
                          {"status", one.is_set ? "True" : "False"},
                          {"reason", reason},
                          {"message", message},
                          {"lastHeartbeatTime", whole_seconds(now)},
                          {"lastTransitionTime", whole_seconds(since.value_or(now))}});
  }
  return node_patch("/api/v1/nodes/" + node + "/status",
                    {{"status", {{"conditions", std::move(conditions)}}}});
}

}  // namespace evictd::kube
