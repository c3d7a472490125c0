// SPDX-License-Identifier: Apache-2.0
#include "kube/answers.h"

#include <utility>

#include "base/json_members.h"
#include "base/one_line.h"
#include "evictd/try.h"
#include "kube/evicted_event.h"

namespace evictd::kube {

namespace {

using base::member_at;
using base::text_at;
using Json = nlohmann::json;

constexpr int kGoneCode = 410;

/// How to read the items of a list or a watch, and their kind.
struct Form {
  Shape list;
  Shape watch_line;
  std::string_view kind;
  bool (*is_of_node)(const Json& object, const std::string& node);
  Result<PodDocument> (*document_of)(Json object);
};

Shape make_list_shape(const Shape& item) {
  Shape list = keeping({"kind", "apiVersion"});
  list.members["metadata"] = keeping({"resourceVersion", "continue"});
  list.members["items"] = item;
  return list;
}

/// The shape of a watch line: its object is an item, or a v1.Status for an error.
Shape make_line_shape(const Shape& item) {
  Shape event;
  event.members["type"];
  event.members["object"] = item;
  for (const char* const member : {"code", "message", "reason"}) {
    event.members["object"].members[member];
  }
  return event;
}

bool is_pod_of_node(const Json& pod, const std::string& node) {
  return text_at(pod, "spec", "nodeName") == node;
}

const Form& form_of(Listed listed) {
  static const Form kPods{.list = make_list_shape(pod_shape()),
                          .watch_line = make_line_shape(pod_shape()),
                          .kind = "Pod",
                          .is_of_node = is_pod_of_node,
                          .document_of = pod_document};
  static const Form kEvents{.list = make_list_shape(evicted_event_shape()),
                            .watch_line = make_line_shape(evicted_event_shape()),
                            .kind = "Event",
                            .is_of_node = is_kubelet_event_of,
                            .document_of = evicted_pod_of};
  return listed == Listed::kPods ? kPods : kEvents;
}

bool is_of_node(const Json& object, const AnswerRules& rules) {
  return rules.node.empty() || form_of(rules.listed).is_of_node(object, rules.node);
}

/// Only a short word or number is accepted, because the version becomes part of a URL. Its meaning
/// is opaque.
bool is_resource_version(const std::string& text) {
  constexpr std::size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest && text != "0" &&
         text.find_first_not_of(
             "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") ==
             std::string::npos;
}

Failure incomplete_list(std::string why, std::string_view kind) {
  return fail(Errc::kInvalid, "incomplete v1." + std::string(kind) + "List: " + std::move(why));
}

Result<> check_list(const Json& list, Answerer answerer, const AnswerRules& rules) {
  const std::string_view kind = form_of(rules.listed).kind;
  if (text_at(list, "kind") != std::string(kind) + "List" || text_at(list, "apiVersion") != "v1") {
    return incomplete_list("unexpected kind or apiVersion", kind);
  }
  const Json& items = member_at(list, "items");
  if (!items.is_array() && !(answerer == Answerer::kKubelet && items.is_null())) {
    return incomplete_list("items is not a list", kind);
  }
  if (items.size() > rules.max_pods) {
    return fail(Errc::kExhausted, "a list of more than " + std::to_string(rules.max_pods) +
                                      (rules.listed == Listed::kPods ? " pods" : " events"));
  }
  const Json& metadata = member_at(list, "metadata");
  const Json& continues = member_at(metadata, "continue");
  const bool is_whole = continues.is_null() ||
                        (continues.is_string() && continues.get_ref<const std::string&>().empty());
  if (!is_whole) {
    return incomplete_list("it has a continue token, but no limit was set", kind);
  }
  if (answerer == Answerer::kApiServer &&
      !is_resource_version(text_at(metadata, "resourceVersion"))) {
    return incomplete_list("metadata.resourceVersion is not valid", kind);
  }
  return {};
}

WatchEvent error_event(const Json& status) {
  WatchEvent event;
  const bool is_gone = member_at(status, "code") == kGoneCode ||
                       text_at(status, "reason") == "Expired" ||
                       text_at(status, "reason") == "Gone";
  event.kind = is_gone ? WatchEvent::Kind::kGone : WatchEvent::Kind::kError;
  event.refusal = base::one_line(text_at(status, "message"));
  return event;
}

WatchEvent pod_event(Json pod, WatchEvent::Kind kind, const AnswerRules& rules) {
  WatchEvent event;
  event.kind = kind;
  // A deleted pod may have lost its node before.
  if (kind != WatchEvent::Kind::kDeleted && !is_of_node(pod, rules)) {
    event.kind = WatchEvent::Kind::kForeign;
    return event;
  }
  Result<PodDocument> document = form_of(rules.listed).document_of(std::move(pod));
  if (document) {
    event.pod = std::move(*document);
  } else {
    event.kind = WatchEvent::Kind::kRefused;
    event.refusal = document.error().context;
  }
  return event;
}

}  // namespace

Result<PodList> read_pod_list(std::string_view text, Answerer answerer, const AnswerRules& rules) {
  const Form& form = form_of(rules.listed);
  EVICTD_ASSIGN_OR_RETURN(Json read, read_shaped(text, form.list));
  EVICTD_TRY(check_list(read, answerer, rules));
  PodList list;
  list.resource_version = text_at(read, "metadata", "resourceVersion");
  for (Json& item : read["items"]) {
    if (!is_of_node(item, rules)) {
      ++list.foreign;
      continue;
    }
    Result<PodDocument> document = form.document_of(std::move(item));
    if (document) {
      list.pods.push_back(std::move(*document));
      continue;
    }
    list.first_refusal = list.refused == 0 ? document.error().context : list.first_refusal;
    ++list.refused;
  }
  return list;
}

Result<WatchEvent> read_watch_event(std::string_view line, const AnswerRules& rules) {
  const Form& form = form_of(rules.listed);
  EVICTD_ASSIGN_OR_RETURN(Json read, read_shaped(line, form.watch_line));
  const std::string type = text_at(read, "type");
  Json object = member_at(read, "object");
  if (type == "ERROR") {
    return error_event(object);
  }
  std::string version = text_at(object, "metadata", "resourceVersion");
  if (text_at(object, "kind") != form.kind || !is_resource_version(version)) {
    return fail(Errc::kInvalid, "not a v1." + std::string(form.kind) + " with a resource version");
  }
  WatchEvent event;
  if (type == "ADDED" || type == "MODIFIED") {
    event = pod_event(std::move(object), WatchEvent::Kind::kChanged, rules);
  } else if (type == "DELETED") {
    event = pod_event(std::move(object), WatchEvent::Kind::kDeleted, rules);
  } else if (type != "BOOKMARK") {
    return fail(Errc::kInvalid, "not a type of watch event");
  }
  event.resource_version = std::move(version);
  return event;
}

std::string refusal_of(std::string_view body) {
  static const Shape kShape = keeping({"kind", "message", "reason"});
  const Result<Json> read = read_shaped(body, kShape);
  constexpr std::size_t kMost = 300;
  return read ? base::one_line(text_at(*read, "message").substr(0, kMost)) : std::string();
}

}  // namespace evictd::kube
