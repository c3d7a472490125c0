// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/entry.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/json_members.h"
#include "kube/actions/names.h"
#include "kube/pod_document.h"

namespace evictd::kube {

namespace {

using base::text_at;
using Json = nlohmann::json;

constexpr std::array<std::pair<Step::Kind, std::string_view>, 3> kKinds = {
    {{Step::Kind::kPodStatus, "status"},
     {Step::Kind::kEvict, "evict"},
     {Step::Kind::kEvent, "event"}}};

std::string_view name_of(Step::Kind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) {
      return name;
    }
  }
  return "";
}

/// Throws the JSON library's exception, which stays within this file.
Step::Kind kind_of(const std::string& name) {
  for (const auto& [kind, known] : kKinds) {
    if (known == name) {
      return kind;
    }
  }
  throw Json::other_error::create(501, "no step", nullptr);
}

Json event_json(const EventNote& event) {
  Json json = {
      {"node", event.is_on_node}, {"type", event.type},   {"reason", event.reason},
      {"message", event.message}, {"name", event.name},   {"first", event.first_time},
      {"last", event.last_time},  {"count", event.count}, {"annotations", event.annotations}};
  if (!event.kind.empty()) {
    json["api_version"] = event.api_version;
    json["kind"] = event.kind;
  }
  return json;
}

EventNote read_event(const Json& json) {
  return {.is_on_node = json.at("node").get<bool>(),
          .type = json.at("type").get<std::string>(),
          .reason = json.at("reason").get<std::string>(),
          .message = json.at("message").get<std::string>(),
          .name = json.at("name").get<std::string>(),
          .first_time = json.at("first").get<std::string>(),
          .last_time = json.at("last").get<std::string>(),
          .count = json.at("count").get<std::int64_t>(),
          .annotations = json.at("annotations").get<std::map<std::string, std::string>>(),
          .api_version = text_at(json, "api_version"),
          .kind = text_at(json, "kind")};
}

Json steps_json(const std::vector<Step>& steps) {
  Json list = Json::array();
  for (const Step& step : steps) {
    Json one = {{"do", name_of(step.kind)}};
    if (step.kind == Step::Kind::kEvent) {
      one["event"] = event_json(step.event);
    }
    list.push_back(std::move(one));
  }
  return list;
}

Entry read_entry(const Json& json) {
  Entry entry{.number = json.at("number").get<std::uint64_t>(),
              .ns = json.at("namespace").get<std::string>(),
              .name = json.at("name").get<std::string>(),
              .uid = json.at("uid").get<std::string>(),
              .time = json.at("time").get<std::string>(),
              .grace_seconds = json.at("grace").get<std::int64_t>(),
              .message = json.at("message").get<std::string>()};
  if (const Json& condition = json.at("condition"); !condition.is_null()) {
    entry.condition = PodCondition{.type = condition.at("type").get<std::string>(),
                                   .status = condition.at("status").get<std::string>(),
                                   .reason = condition.at("reason").get<std::string>(),
                                   .message = condition.at("message").get<std::string>()};
  }
  for (const Json& step : json.at("steps")) {
    Step read{.kind = kind_of(step.at("do").get<std::string>())};
    if (read.kind == Step::Kind::kEvent) {
      read.event = read_event(step.at("event"));
    }
    entry.steps.push_back(std::move(read));
  }
  entry.done = json.at("done").get<std::size_t>();
  return entry;
}

/// An entry about the node alone names no pod.
bool has_usable_names(const Entry& entry) {
  bool is_about_pod = false;
  for (const Step& step : entry.steps) {
    const bool is_event = step.kind == Step::Kind::kEvent;
    if (is_event && !is_object_name(step.event.name)) {
      return false;
    }
    is_about_pod = is_about_pod || !is_event || !step.event.is_on_node;
  }
  return !is_about_pod ||
         (is_object_name(entry.ns) && is_object_name(entry.name) && is_file_name(entry.uid));
}

}  // namespace

Json to_json(const Entry& entry) {
  Json condition;
  if (entry.condition) {
    condition = {{"type", entry.condition->type},
                 {"status", entry.condition->status},
                 {"reason", entry.condition->reason},
                 {"message", entry.condition->message}};
  }
  return {{"number", entry.number},
          {"namespace", entry.ns},
          {"name", entry.name},
          {"uid", entry.uid},
          {"time", entry.time},
          {"grace", entry.grace_seconds},
          {"message", entry.message},
          {"condition", std::move(condition)},
          {"steps", steps_json(entry.steps)},
          {"done", entry.done}};
}

Result<Entry> entry_from_json(const Json& json) {
  try {
    Entry entry = read_entry(json);
    if (!has_usable_names(entry)) {
      return fail(Errc::kMalformed, "an entry with a name that is not valid in the API");
    }
    return entry;
  } catch (const Json::exception& error) {
    return fail(Errc::kMalformed, std::string("an entry: ") + error.what());
  }
}

}  // namespace evictd::kube
