// SPDX-License-Identifier: Apache-2.0
#include "kube/observe/dry_run_line.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/json_members.h"
#include "core/rfc3339.h"
#include "evictd/try.h"
#include "kube/shaped_json.h"

namespace evictd::kube {

namespace {

using base::count_at;
using base::integer_at;
using base::is_true_at;
using base::list_at;
using base::text_at;
using exporting::ComparedEviction;
using Json = nlohmann::json;

Shape make_observed_shape() {
  Shape shape =
      keeping({"kind", "seq", "first", "id", "time", "namespace", "name", "uid", "dry_run", "state",
               "outcome", "trigger", "what", "signal", "resource", "available"});
  shape.members["ranking"] = keeping({"uid", "place", "usage"});
  return shape;
}

std::optional<std::int64_t> comparable_at(const Json& object, const char* name) {
  const std::optional<std::int64_t> amount = integer_at(object, name);
  const bool is_comparable = amount.value_or(0) >= -exporting::kMostCompared &&
                             amount.value_or(0) <= exporting::kMostCompared;
  return is_comparable ? amount : std::nullopt;
}

/// The victim's usage in the ranking.
std::optional<std::int64_t> ranked_usage_of(const Json& decision, const std::string& uid) {
  for (const Json& ranked : list_at(decision, "ranking")) {
    if (text_at(ranked, "uid") == uid) {
      return comparable_at(ranked, "usage");
    }
  }
  return std::nullopt;
}

std::optional<ComparedEviction> read_choice(const Json& json) {
  const Result<WallTime> time = core::wall_time_from_rfc3339(text_at(json, "time"));
  ComparedEviction decision{.ns = text_at(json, "namespace"),
                            .name = text_at(json, "name"),
                            .uid = text_at(json, "uid"),
                            .time = time.value_or(WallTime{}),
                            .time_source = "record",
                            .resource = text_at(json, "resource"),
                            .id = count_at(json, "id")};
  const bool is_usable = time && exporting::is_comparable(*time) && !decision.uid.empty();
  if (!is_usable || text_at(json, "outcome") != "evicted" ||
      text_at(json, "trigger") == "restart") {
    return std::nullopt;
  }
  // An eviction for a local storage limit has no signal.
  if (!text_at(json, "signal").empty()) {
    decision.available = comparable_at(json, "available");
  }
  decision.usage = ranked_usage_of(json, decision.uid);
  return decision;
}

}  // namespace

Result<ObservedLine> read_observed_line(std::string_view text) {
  static const Shape kShape = make_observed_shape();
  EVICTD_ASSIGN_OR_RETURN(const Json json, read_shaped(text, kShape));
  if (!json.is_object()) {
    return fail(Errc::kInvalid, "not a journal line");
  }
  ObservedLine line{.seq = count_at(json, "seq")};
  const std::string kind = text_at(json, "kind");
  const bool chose = kind == "decision" && !text_at(json, "state").empty();
  if (chose || (kind == "daemon" && text_at(json, "what") == "started")) {
    line.is_dry_run = is_true_at(json, "dry_run");
  }
  if (chose && line.is_dry_run == true) {
    line.decision = read_choice(json);
  }
  if (kind == "skipped") {
    line.first = count_at(json, "first");
  }
  return line;
}

}  // namespace evictd::kube
