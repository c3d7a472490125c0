// SPDX-License-Identifier: Apache-2.0
#include "web/record_list.h"

#include <nlohmann/json.hpp>

#include "web/json_path.h"

namespace evictd::web {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json list_records(const Json& answer, const RecordQuery& query) {
  Json listed = Json::array();
  const Json& records = at(answer, {"records"});
  if (!records.is_array()) {
    return listed;
  }
  for (auto record = records.rbegin(); record != records.rend() && listed.size() < query.limit;
       ++record) {
    if (!query.outcome.empty() && text_at(*record, {"outcome"}) != query.outcome) {
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
  const Json& records = at(answer, {"records"});
  if (!records.is_array()) {
    return nullptr;
  }
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    const Json& its_id = at(*record, {"id"});
    if (its_id.is_number_unsigned() && its_id.get<std::uint64_t>() == id) {
      return *record;
    }
  }
  return nullptr;
}

}  // namespace evictd::web
