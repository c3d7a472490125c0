// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/journal_line.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_members.h"
#include "evictd/try.h"
#include "eviction/message.h"
#include "kube/shaped_json.h"

namespace evictd::kube {

namespace {

using base::count_at;
using base::is_true_at;
using base::list_at;
using base::member_at;
using base::text_at;
using Json = nlohmann::json;

/// A decision among a thousand pods keeps some twenty values.
Shape make_line_shape() {
  Shape shape =
      keeping({"kind",    "seq",   "first",   "id",     "time",    "namespace", "name",
               "pod",     "uid",   "dry_run", "state",  "outcome", "trigger",   "grace_seconds",
               "message", "event", "type",    "status", "what",    "not_killed"});
  shape.members["annotations"] = keeping({Shape::kAny});
  shape.members["conditions"] = keeping({Shape::kAny});
  shape.members["events"] = keeping({"on", "type", "reason", "message"});
  shape.members["pod_conditions"] = keeping({"type", "status", "reason", "message"});
  return shape;
}

/// The objects of the list with this name.
std::vector<Json> objects_at(const Json& object, const char* name) {
  std::vector<Json> objects;
  for (const Json& one : list_at(object, name)) {
    if (one.is_object()) {
      objects.push_back(one);
    }
  }
  return objects;
}

void read_conditions(const Json& json, JournalLine& line) {
  const Json& conditions = member_at(json, "conditions");
  if (!conditions.is_object()) {
    return;
  }
  for (const auto& [type, status] : conditions.items()) {
    if (status.is_boolean()) {
      line.conditions.emplace(type, status.get<bool>());
    }
  }
}

void read_decision(const Json& json, JournalLine& line) {
  line.ns = text_at(json, "namespace");
  line.name = text_at(json, "name");
  line.outcome = text_at(json, "outcome");
  line.is_spared = !text_at(json, "not_killed").empty();
  line.trigger = text_at(json, "trigger");
  line.message = text_at(json, "message");
  line.grace_seconds = static_cast<std::int64_t>(count_at(json, "grace_seconds"));
  if (const auto found = json.find("annotations"); found != json.end() && found->is_object()) {
    for (const auto& [name, value] : found->items()) {
      if (value.is_string()) {
        line.annotations[name] = value.get<std::string>();
      }
    }
  }
  for (const Json& event : objects_at(json, "events")) {
    line.events.push_back({.is_on_node = text_at(event, "on") == "node",
                           .type = text_at(event, "type"),
                           .reason = text_at(event, "reason"),
                           .message = text_at(event, "message")});
  }
  for (const Json& condition : objects_at(json, "pod_conditions")) {
    line.condition = PodCondition{.type = text_at(condition, "type"),
                                  .status = text_at(condition, "status"),
                                  .reason = text_at(condition, "reason"),
                                  .message = text_at(condition, "message")};
  }
}

/// Reads "NAMESPACE/NAME". The event's name and message are constants.
void read_progress(const Json& json, JournalLine& line) {
  const std::string pod = text_at(json, "pod");
  if (const std::size_t slash = pod.find('/'); slash != std::string::npos) {
    line.ns = pod.substr(0, slash);
    line.name = pod.substr(slash + 1);
  }
  if (text_at(json, "event") == eviction::kExceededGraceReason) {
    line.events.push_back({.is_on_node = false,
                           .type = "Warning",
                           .reason = std::string(eviction::kExceededGraceReason),
                           .message = std::string(eviction::kExceededGraceMessage)});
  }
}

}  // namespace

Result<JournalLine> read_journal_line(std::string_view text) {
  static const Shape kShape = make_line_shape();
  EVICTD_ASSIGN_OR_RETURN(const Json json, read_shaped(text, kShape));
  if (!json.is_object()) {
    return fail(Errc::kInvalid, "not a journal line");
  }
  JournalLine line{.seq = count_at(json, "seq"), .id = count_at(json, "id")};
  line.time = text_at(json, "time");
  line.uid = text_at(json, "uid");
  line.state = text_at(json, "state");
  line.is_dry_run = is_true_at(json, "dry_run");
  const std::string kind = text_at(json, "kind");
  if (kind == "decision") {
    line.kind = JournalLine::Kind::kDecision;
    read_decision(json, line);
  } else if (kind == "progress") {
    line.kind = JournalLine::Kind::kProgress;
    read_progress(json, line);
  } else if (kind == "condition") {
    line.kind = JournalLine::Kind::kCondition;
    line.name = text_at(json, "type");
    line.is_set = is_true_at(json, "status");
  } else if (kind == "daemon" && text_at(json, "what") == "started") {
    line.kind = JournalLine::Kind::kStarted;
  } else if (kind == "skipped") {
    line.kind = JournalLine::Kind::kSkipped;
    line.first = count_at(json, "first");
    read_conditions(json, line);
  }
  return line;
}

}  // namespace evictd::kube
