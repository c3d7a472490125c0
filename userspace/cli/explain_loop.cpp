// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_loop.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/json_members.h"

namespace evictd::cli {

namespace {

using base::member_at;
using base::text_at;
using Json = nlohmann::ordered_json;

/// The ids of the controller's evictions; empty if `record` is not among them.
std::vector<std::string> ids_with(const Json& controller, const exporting::EvictionRecord& record) {
  std::vector<std::string> ids;
  bool has_record = false;
  for (const Json& eviction : member_at(controller, "evictions")) {
    const Json& id = member_at(eviction, "id");
    has_record = has_record || (id == record.id && text_at(eviction, "uid") == record.uid);
    ids.push_back(id.dump());
  }
  return has_record ? ids : std::vector<std::string>();
}

std::string sentence(const Json& loops, const Json& controller,
                     const std::vector<std::string>& ids) {
  const Json& number = member_at(controller, "loops");
  const std::string until = text_at(loops, "damped_until");
  return fmt::format(
      "Its controller {} {}/{} is in a loop of evictions: three of its pods were evicted from this "
      "node within ten minutes, {} time{}; the last time at {}. Decisions about its pods: {}.{}",
      text_at(controller, "kind"), text_at(controller, "namespace"), text_at(controller, "name"),
      number.dump(), number == 1 ? "" : "s", text_at(controller, "looped_at"), fmt::join(ids, ", "),
      until.empty() ? std::string()
                    : fmt::format(" New pods are kept off the node until {}.", until));
}

}  // namespace

std::string loop_text(const Json& kube_status, const exporting::EvictionRecord& record) {
  const Json& loops = member_at(kube_status, "actions", "loops");
  for (const Json& controller : member_at(loops, "controllers")) {
    if (const std::vector<std::string> ids = ids_with(controller, record); !ids.empty()) {
      return sentence(loops, controller, ids);
    }
  }
  return {};
}

}  // namespace evictd::cli
