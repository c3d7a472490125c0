// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/rfc3339.h"
#include "export/comparison.h"
#include "export/json_fields.h"
#include "export/json_time.h"

namespace evictd::exporting {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kSchema = 1;
constexpr const char* kKind = "comparison";
/// The coarsest precision of a time.
constexpr std::int64_t kMostPrecisionMs = 3'600'000;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::int64_t whole_ms(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

Json side_json(const std::optional<ComparedEviction>& side) {
  if (!side) {
    return nullptr;
  }
  Json json = {{"namespace", side->ns},
               {"name", side->name},
               {"uid", side->uid},
               {"time", rfc3339(side->time)},
               {"time_source", side->time_source},
               {"precision_ms", whole_ms(side->precision)},
               {"resource", side->resource},
               {"available", or_null(side->available)},
               {"usage", or_null(side->usage)}};
  if (side->id != 0) {
    json["id"] = side->id;
  }
  return json;
}

std::optional<std::int64_t> amount_in(JsonFields& fields, const char* key) {
  return fields.has(key) ? std::optional(fields.whole(key, -kMostCompared, kMostCompared))
                         : std::nullopt;
}

ComparedEviction read_side(JsonFields fields) {
  ComparedEviction side{
      .ns = fields.text("namespace"), .name = fields.text("name"), .uid = fields.text("uid")};
  const std::string time = fields.text("time");
  const Result<WallTime> moment = core::wall_time_from_rfc3339(time);
  if (moment && is_comparable(*moment)) {
    side.time = *moment;
  } else {
    fields.refuse("time", "no time from 1970 to 2043");
  }
  side.time_source = fields.text("time_source");
  side.precision = std::chrono::milliseconds(fields.whole("precision_ms", 0, kMostPrecisionMs));
  side.resource = fields.text("resource");
  side.available = amount_in(fields, "available");
  side.usage = amount_in(fields, "usage");
  if (fields.has("id")) {
    side.id = static_cast<std::uint64_t>(fields.whole("id", 0));
  }
  return side;
}

}  // namespace

Json to_json(const Comparison& comparison) {
  Json json = {{"schema", kSchema},
               {"kind", kKind},
               {"evictd", side_json(comparison.evictd)},
               {"kubelet", side_json(comparison.kubelet)},
               {"waiting", comparison.is_waiting}};
  const bool is_pair = comparison.is_pair();
  json["same_pod"] = is_pair ? Json(comparison.is_same_pod()) : Json(nullptr);
  json["earlier"] = is_pair ? Json(to_string(earlier_of(comparison))) : Json(nullptr);
  json["evictd_earlier_ms"] = is_pair ? Json(whole_ms(lead_of(comparison))) : Json(nullptr);
  json["more_available"] = is_pair ? or_null(more_available(comparison)) : Json(nullptr);
  return json;
}

Json to_json(const ComparisonSummary& summary) {
  const std::optional<Duration>& lead = summary.median_lead;
  return {{"same_pod", summary.same_pod},
          {"other_pod", summary.other_pod},
          {"evictd_only", summary.evictd_only},
          {"kubelet_only", summary.kubelet_only},
          {"waiting", summary.waiting},
          {"evictd_earlier", summary.evictd_earlier},
          {"kubelet_earlier", summary.kubelet_earlier},
          {"unclear", summary.unclear},
          {"median_evictd_earlier_ms", lead ? Json(whole_ms(*lead)) : Json(nullptr)},
          {"median_more_available", or_null(summary.median_more_available)}};
}

Result<Comparison> comparison_from_json(const Json& json) {
  std::optional<Error> failure;
  JsonFields fields(json, "", failure);
  const std::int64_t schema = fields.whole("schema");
  if (!failure && schema != kSchema) {
    return fail(Errc::kUnsupported, "schema " + std::to_string(schema) + "; allowed: 1");
  }
  if (fields.text("kind") != kKind) {
    fields.refuse("kind", "no comparison");
  }
  Comparison comparison;
  if (fields.has("evictd")) {
    comparison.evictd = read_side(fields.below("evictd"));
  }
  if (fields.has("kubelet")) {
    comparison.kubelet = read_side(fields.below("kubelet"));
  }
  comparison.is_waiting = fields.truth("waiting");
  if (!comparison.evictd && !comparison.kubelet) {
    fields.refuse("evictd", "neither side is there");
  }
  if (failure) {
    return Failure(*std::move(failure));
  }
  return comparison;
}

}  // namespace evictd::exporting
