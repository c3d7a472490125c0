// SPDX-License-Identifier: Apache-2.0
#include "convert.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "cluster/pod_json.h"

namespace evictd::vectors {

using eviction::Observations;
using eviction::Quantity;
using eviction::Signal;
using eviction::Threshold;
using eviction::ThresholdOperator;
using eviction::ThresholdValue;

Result<Json> Input::checked(Json answer) const {
  if (problem_) {
    return fail(Errc::kMalformed, *problem_);
  }
  return answer;
}

std::optional<std::int64_t> optional_whole(const JsonReader& reader) {
  return reader.integer(std::numeric_limits<std::int64_t>::min(),
                        std::numeric_limits<std::int64_t>::max());
}

std::int64_t whole(const JsonReader& reader) {
  return optional_whole(reader).value_or(0);
}

Quantity quantity(const JsonReader& reader) {
  const Result<Quantity> parsed = Quantity::parse(reader.text());
  if (!parsed) {
    reader.reject(parsed.error().context);
    return {};
  }
  return *parsed;
}

MonoTime mono(std::int64_t nanoseconds) {
  return MonoTime(Duration(nanoseconds));
}

std::optional<MonoTime> time(const JsonReader& reader) {
  const std::string text = reader.text();
  if (text.empty() || text.starts_with("0001-01-01T")) {
    return std::nullopt;
  }
  const Result<WallTime> parsed = cluster::wall_time_from_rfc3339(text);
  if (!parsed) {
    reader.reject("is not a time like 2024-01-31T12:00:00Z");
    return std::nullopt;
  }
  return MonoTime(parsed->time_since_epoch());
}

Json time_json(const std::optional<MonoTime>& time) {
  if (!time) {
    return nullptr;
  }
  const WallTime wall(time->time_since_epoch());
  const auto days = std::chrono::floor<std::chrono::days>(wall);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(wall - days);
  std::array<char, 64> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%09d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  std::string result(text.data(), static_cast<std::size_t>(length));
  result.erase(result.find_last_not_of('0') + 1);
  if (result.ends_with('.')) {
    result.pop_back();
  }
  return result + "Z";
}

ThresholdValue threshold_value(const JsonReader& reader) {
  ThresholdValue value;
  if (const JsonReader amount = reader.at("quantity"); amount.present()) {
    value.quantity = quantity(amount);
  } else if (const JsonReader share = reader.at("percentage"); share.present()) {
    if (share.value().is_number()) {
      value.percentage = static_cast<float>(share.value().get<double>());
    } else {
      share.reject("must be a number");
    }
  }
  return value;
}

Json threshold_value_json(const ThresholdValue& value) {
  if (value.quantity) {
    return {{"quantity", value.quantity->to_string()}};
  }
  const auto share = static_cast<double>(value.percentage);
  if (std::abs(share) < 1e15 && share == std::trunc(share)) {
    return {{"percentage", static_cast<std::int64_t>(share)}};
  }
  return {{"percentage", share}};
}

Threshold threshold(const JsonReader& reader, eviction::Compat compat) {
  Threshold threshold;
  threshold.signal = eviction::signal_from_text(reader.at("signal").text(), compat);
  threshold.op = reader.at("operator").text() == "LessThan" ? ThresholdOperator::kLessThan
                                                            : ThresholdOperator::kNone;
  threshold.value = threshold_value(reader.at("value"));
  threshold.grace_period = Duration(whole(reader.at("gracePeriod")));
  if (const JsonReader reclaim = reader.at("minReclaim"); reclaim.present()) {
    threshold.min_reclaim = threshold_value(reclaim);
  }
  return threshold;
}

std::vector<Threshold> thresholds(const JsonReader& reader, eviction::Compat compat) {
  std::vector<Threshold> list;
  for (const JsonReader& element : reader.elements()) {
    list.push_back(threshold(element, compat));
  }
  return list;
}

Json threshold_json(const Threshold& threshold) {
  Json json{{"signal", to_string(threshold.signal)},
            {"operator", threshold.op == ThresholdOperator::kLessThan ? "LessThan" : ""},
            {"value", threshold_value_json(threshold.value)},
            {"gracePeriod", threshold.grace_period.count()}};
  if (threshold.min_reclaim) {
    json["minReclaim"] = threshold_value_json(*threshold.min_reclaim);
  }
  return json;
}

Json sorted_thresholds_json(const std::vector<Threshold>& thresholds) {
  std::vector<Json> list(thresholds.size());
  std::transform(thresholds.begin(), thresholds.end(), list.begin(), threshold_json);
  const auto key = [](const Json& json) {
    return std::tuple(json["signal"].get<std::string>(), json["gracePeriod"].get<std::int64_t>(),
                      json["operator"].get<std::string>(), json["value"].dump(),
                      json.value("minReclaim", Json()).dump());
  };
  std::sort(list.begin(), list.end(),
            [&](const Json& a, const Json& b) { return key(a) < key(b); });
  return Json(list);
}

namespace {

eviction::SignalTexts texts(const JsonReader& reader) {
  eviction::SignalTexts result;
  for (const auto& [name, value] : reader.members()) {
    result[name] = value.text();
  }
  return result;
}

}  // namespace

eviction::ThresholdTexts threshold_texts(const JsonReader& reader) {
  eviction::ThresholdTexts result{texts(reader.at("evictionHard")),
                                  texts(reader.at("evictionSoft")),
                                  texts(reader.at("evictionSoftGracePeriod")),
                                  texts(reader.at("evictionMinimumReclaim")),
                                  {}};
  for (const JsonReader& element : reader.at("enforceNodeAllocatable").elements()) {
    result.enforce_node_allocatable.push_back(element.text());
  }
  return result;
}

Observations observations(const JsonReader& reader, eviction::Compat compat,
                          std::string_view unknown) {
  Observations seen;
  for (const auto& [name, value] : reader.members()) {
    const eviction::Observation observation{whole(value.at("available")),
                                            whole(value.at("capacity")), time(value.at("time"))};
    const Signal signal = eviction::signal_from_text(name, compat);
    if (signal != Signal::kUnknown || name == unknown) {
      seen[signal] = observation;
    }
  }
  return seen;
}

Json observations_json(const Observations& observations) {
  Json json = Json::object();
  for (const Signal signal : eviction::kSignals) {
    if (const auto& seen = observations[signal]) {
      json[std::string(to_string(signal))] = {{"available", seen->available},
                                              {"capacity", seen->capacity},
                                              {"time", time_json(seen->time)}};
    }
  }
  return json;
}

}  // namespace evictd::vectors
