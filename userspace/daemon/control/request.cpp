// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/json_text.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// A request is an object of numbers and texts; one more level is reserved for the future.
constexpr base::JsonLimits kLimits{.depth = 2, .members = 64};

}  // namespace

std::string error_line(const std::string& text) {
  return Json{{"error", text}}.dump();
}

base::LineServer::Options control_socket(std::filesystem::path path) {
  // Members of evictd's group may ask; changes are for root alone (control.cpp).
  constexpr mode_t kOwnerAndGroup = 0660;
  base::LineServer::Options options{.path = std::move(path), .mode = kOwnerAndGroup};
  options.one_client_too_many_answer = error_line(fmt::format(
      "at most {} connections are served at a time, and that many are open", options.max_clients));
  options.oversized_answer = error_line(
      fmt::format("a request is one line of at most {} bytes", options.max_request_bytes));
  options.one_listener_too_many_answer = error_line(
      fmt::format("at most {} may follow at a time, and that many do", options.max_listeners));
  return options;
}

Json parse_request(std::string_view line) {
  return base::parse_json<Json>(line, kLimits).value_or(Json(Json::value_t::discarded));
}

Result<> expect_known_members(std::string_view op, const Json& request) {
  std::vector<std::string_view> known;
  if (op == "pause") {
    known = {"op", "for", "signal"};
  } else if (op == "resume") {
    known = {"op", "signal"};
  } else if (op == "dry_run") {
    known = {"op", "on"};
  } else {
    return {};
  }
  for (const auto& [name, value] : request.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return fail(Errc::kInvalid, fmt::format("{}: not a member of a request \"{}\"; allowed: {}",
                                              name, op, fmt::join(known, ", ")));
    }
  }
  return {};
}

}  // namespace evictd::daemon
