// SPDX-License-Identifier: Apache-2.0
#include "daemon/request.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// A request is an object of numbers and texts; one level more is left for what is to come.
constexpr base::JsonLimits kLimits{.depth = 2, .members = 64};

}  // namespace

Json parse_request(std::string_view line) {
  return base::parse_json<Json>(line, kLimits).value_or(Json(Json::value_t::discarded));
}

}  // namespace evictd::daemon
