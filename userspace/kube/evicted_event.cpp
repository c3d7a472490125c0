// SPDX-License-Identifier: Apache-2.0
#include "kube/evicted_event.h"

#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "core/rfc3339.h"
#include "eviction/message.h"
#include "export/comparison.h"

namespace evictd::kube {

namespace {

using base::member_at;
using base::text_at;
using Json = nlohmann::json;

Shape make_evicted_event_shape() {
  Shape shape = keeping({"kind", "apiVersion", "reason", "message", "firstTimestamp", "eventTime"});
  shape.members["metadata"] = keeping({"resourceVersion"});
  shape.members["source"] = keeping({"component", "host"});
  shape.members["involvedObject"] = keeping({"kind", "namespace", "name", "uid"});
  return shape;
}

std::optional<WallTime> event_time_of(const Json& event) {
  for (const char* const name : {"firstTimestamp", "eventTime"}) {
    const Result<WallTime> time = core::wall_time_from_rfc3339(text_at(event, name));
    if (time && exporting::is_comparable(*time)) {
      return *time;
    }
  }
  return std::nullopt;
}

}  // namespace

const Shape& evicted_event_shape() {
  static const Shape kShape = make_evicted_event_shape();
  return kShape;
}

bool is_kubelet_event_of(const Json& event, const std::string& node) {
  return text_at(event, "source", "component") == "kubelet" &&
         text_at(event, "source", "host") == node;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): pod_document() takes what it reads apart.
Result<PodDocument> evicted_pod_of(Json event) {
  if (!event.is_object()) {
    return fail(Errc::kInvalid, "an event that is not an object");
  }
  const Json& pod = member_at(event, "involvedObject");
  PodDocument document{.uid = text_at(pod, "uid"), .text = ""};
  if (!is_file_name(document.uid)) {
    return fail(Errc::kInvalid,
                "an event whose involvedObject.uid is not 1 to 64 of 0-9, a-z and -");
  }
  const std::string message = text_at(event, "message");
  const std::optional<WallTime> time = event_time_of(event);
  if (text_at(pod, "kind") == "Pod" && text_at(event, "reason") == eviction::kEvictedReason &&
      describes_eviction(message) && time) {
    document.evicted = KubeletEviction{.ns = text_at(pod, "namespace"),
                                       .name = text_at(pod, "name"),
                                       .message = message,
                                       .time = time,
                                       .time_source = "event"};
  }
  return document;
}

}  // namespace evictd::kube
