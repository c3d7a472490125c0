// SPDX-License-Identifier: Apache-2.0
#include "web/readiness.h"

#include <nlohmann/json.hpp>

#include "base/json_members.h"

namespace evictd::web {

std::string not_ready_because(const nlohmann::ordered_json& status, ReadyRequires required) {
  if (!base::member_at(status, "last_pass").is_object()) {
    return "evictd has not run a pass yet";
  }
  if (base::text_at(status, "pod_root").empty()) {
    return "the pods' cgroup does not exist";
  }
  if (required == ReadyRequires::kAny) {
    return "";
  }
  if (base::text_at(status, "event_source") != "bpf") {
    return "evictd polls: it has no kernel side";
  }
  if (base::number_at(status, "reading_files").value_or(1) != 0) {
    return "evictd polls: the timer of its kernel side has stalled";
  }
  return "";
}

}  // namespace evictd::web
