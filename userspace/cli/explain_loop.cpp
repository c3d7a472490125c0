// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_loop.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Null if there is none: the status is from another program, of any version.
const Json& member_of(const Json& object, const char* name) {
  static const Json kNothing;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? kNothing : *found;
}

std::string text_member(const Json& object, const char* name) {
  const Json& value = member_of(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// The ids of the controller's evictions; empty if `record` is not among them.
std::vector<std::string> ids_with(const Json& controller, const exporting::EvictionRecord& record) {
  std::vector<std::string> ids;
  bool has_record = false;
  for (const Json& eviction : member_of(controller, "evictions")) {
    const Json& id = member_of(eviction, "id");
    has_record = has_record || (id == record.id && text_member(eviction, "uid") == record.uid);
    ids.push_back(id.dump());
  }
  return has_record ? ids : std::vector<std::string>();
}

std::string sentence(const Json& loops, const Json& controller,
                     const std::vector<std::string>& ids) {
  const Json& number = member_of(controller, "loops");
  const std::string until = text_member(loops, "damped_until");
  return fmt::format(
      "Its controller {} {}/{} is in a loop of evictions: three of its pods were evicted from this "
      "node within ten minutes, {} time{}; the last time at {}. Decisions about its pods: {}.{}",
      text_member(controller, "kind"), text_member(controller, "namespace"),
      text_member(controller, "name"), number.dump(), number == 1 ? "" : "s",
      text_member(controller, "looped_at"), fmt::join(ids, ", "),
      until.empty() ? std::string()
                    : fmt::format(" New pods are kept off the node until {}.", until));
}

}  // namespace

std::string loop_text(const Json& kube_status, const exporting::EvictionRecord& record) {
  const Json& loops = member_of(member_of(kube_status, "actions"), "loops");
  for (const Json& controller : member_of(loops, "controllers")) {
    if (const std::vector<std::string> ids = ids_with(controller, record); !ids.empty()) {
      return sentence(loops, controller, ids);
    }
  }
  return {};
}

}  // namespace evictd::cli
