// SPDX-License-Identifier: Apache-2.0
#include "web/record_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_members.h"

namespace evictd::web {

namespace {

using base::member_at;
using base::text_at;
using Json = nlohmann::ordered_json;

bool is_listed(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) {
      return true;
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

Json list_records(const Json& answer, const RecordQuery& query) {
  Json listed = Json::array();
  const Json& records = member_at(answer, "records");
  if (!records.is_array()) {
    return listed;
  }
  for (auto record = records.rbegin(); record != records.rend() && listed.size() < query.limit;
       ++record) {
    if (!query.outcomes.empty() && !is_listed(query.outcomes, text_at(*record, "outcome"))) {
      continue;
    }
    Json brief = *record;
    for (const char* key : {"ranking", "observations", "thresholds", "local_candidates"}) {
      brief.erase(key);
    }
    listed.push_back(std::move(brief));
  }
  return listed;
}

Json find_record(const Json& answer, std::uint64_t id) {
  const Json& records = member_at(answer, "records");
  if (!records.is_array()) {
    return nullptr;
  }
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    const Json& its_id = member_at(*record, "id");
    if (its_id.is_number_unsigned() && its_id.get<std::uint64_t>() == id) {
      return *record;
    }
  }
  return nullptr;
}

}  // namespace evictd::web
