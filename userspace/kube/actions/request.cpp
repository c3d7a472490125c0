// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/request.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/rfc3339.h"
#include "eviction/message.h"
#include "kube/actions/times.h"

namespace evictd::kube {

namespace {

using Json = nlohmann::json;

/// An admission webhook may take 30 s; after that the server itself answers 504.
constexpr Duration kTimeLimit = std::chrono::seconds(35);
constexpr const char* kJsonType = "application/json";
constexpr const char* kMergePatch = "application/strategic-merge-patch+json";
constexpr const char* kComponent = "evictd";

Ask make_ask(Ask::Method method, std::string path, const Json& body, const char* type) {
  return {.path = std::move(path),
          .form = Ask::Form::kWhole,
          .time_limit = kTimeLimit,
          .method = method,
          // Container image and container name may contain invalid UTF-8.
          .body = body.dump(-1, ' ', false, Json::error_handler_t::replace),
          .content_type = type};
}

std::string path_of_pod(const Entry& entry) {
  return "/api/v1/namespaces/" + entry.ns + "/pods/" + entry.name;
}

WallTime decided_at(const Entry& entry, WallTime now) {
  return core::wall_time_from_rfc3339(entry.time).value_or(now);
}

Ask status_request(const Entry& entry, WallTime now) {
  const std::string at = whole_seconds(decided_at(entry, now));
  Json conditions = Json::array();
  if (entry.condition) {
    conditions.push_back({{"lastProbeTime", nullptr},
                          {"lastTransitionTime", at},
                          {"message", entry.condition->message},
                          {"reason", entry.condition->reason},
                          {"status", entry.condition->status},
                          {"type", entry.condition->type}});
  }
  for (const char* const type : {"Ready", "ContainersReady"}) {
    conditions.push_back(
        {{"lastTransitionTime", at}, {"reason", "PodFailed"}, {"status", "False"}, {"type", type}});
  }
  Json status = {{"conditions", std::move(conditions)},
                 {"phase", "Failed"},
                 {"reason", eviction::kEvictedReason}};
  if (!entry.message.empty()) {
    status["message"] = entry.message;
  }
  return make_ask(Ask::Method::kPatch, path_of_pod(entry) + "/status",
                  {{"metadata", {{"uid", entry.uid}}}, {"status", std::move(status)}}, kMergePatch);
}

Ask evict_request(const Entry& entry, const RequestForm& form, WallTime now) {
  Json options = {{"gracePeriodSeconds", grace_left(entry, now)},
                  {"preconditions", {{"uid", entry.uid}}}};
  if (form.deletes) {
    options["kind"] = "DeleteOptions";
    options["apiVersion"] = "v1";
    return make_ask(Ask::Method::kDelete, path_of_pod(entry), options, kJsonType);
  }
  const char* const version =
      form.policy == RequestForm::Policy::kV1 ? "policy/v1" : "policy/v1beta1";
  return make_ask(Ask::Method::kPost, path_of_pod(entry) + "/eviction",
                  {{"kind", "Eviction"},
                   {"apiVersion", version},
                   {"metadata", {{"name", entry.name}, {"namespace", entry.ns}}},
                   {"deleteOptions", std::move(options)}},
                  kJsonType);
}

Json object_of(const Entry& entry, const EventNote& event, const std::string& node) {
  // A kubelet uses its node's name as the uid.
  if (event.is_on_node) {
    return {{"kind", "Node"}, {"name", node}, {"uid", node}};
  }
  const bool is_pod = event.kind.empty();
  return {{"kind", is_pod ? "Pod" : event.kind},
          {"namespace", entry.ns},
          {"name", entry.name},
          {"uid", entry.uid},
          {"apiVersion", is_pod ? "v1" : event.api_version}};
}

Ask event_request(const Entry& entry, const EventNote& event, const RequestForm& form) {
  const std::string ns = event.is_on_node ? "default" : entry.ns;
  const std::string path = "/api/v1/namespaces/" + ns + "/events";
  if (event.count > 1 && !form.posts_again) {
    return make_ask(
        Ask::Method::kPatch, path + "/" + event.name,
        {{"count", event.count}, {"lastTimestamp", event.last_time}, {"message", event.message}},
        kMergePatch);
  }
  Json metadata = {{"name", event.name}, {"namespace", ns}};
  if (!event.annotations.empty()) {
    metadata["annotations"] = event.annotations;
  }
  return make_ask(Ask::Method::kPost, path,
                  {{"kind", "Event"},
                   {"apiVersion", "v1"},
                   {"metadata", std::move(metadata)},
                   {"involvedObject", object_of(entry, event, form.node)},
                   {"reason", event.reason},
                   {"message", event.message},
                   {"source", {{"component", kComponent}, {"host", form.node}}},
                   {"firstTimestamp", event.first_time},
                   {"lastTimestamp", event.last_time},
                   {"count", event.count},
                   {"type", event.type},
                   {"reportingComponent", kComponent},
                   {"reportingInstance", form.node}},
                  kJsonType);
}

}  // namespace

std::int64_t grace_left(const Entry& entry, WallTime now) {
  const WallTime end = decided_at(entry, now) + std::chrono::seconds(std::clamp<std::int64_t>(
                                                    entry.grace_seconds, 0, 365LL * 86'400));
  const std::int64_t left = std::chrono::ceil<std::chrono::seconds>(end - now).count();
  return std::max<std::int64_t>(1, std::min(left, entry.grace_seconds));
}

Ask make_request(const Entry& entry, const RequestForm& form, WallTime now) {
  const Step& step = entry.steps.at(entry.done);
  switch (step.kind) {
    case Step::Kind::kPodStatus:
      return status_request(entry, now);
    case Step::Kind::kEvict:
      return evict_request(entry, form, now);
    case Step::Kind::kEvent:
      return event_request(entry, step.event, form);
  }
  return {};
}

}  // namespace evictd::kube
