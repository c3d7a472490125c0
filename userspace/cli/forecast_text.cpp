// SPDX-License-Identifier: Apache-2.0
#include "cli/forecast_text.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/one_line.h"
#include "cli/amount_text.h"
#include "cli/pod_text.h"

namespace evictd::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A member of `object`; null if there is none.
Json part_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? Json() : *found;
}

std::string name_in(const Json& object, const char* key) {
  const Json name = part_of(object, key);
  return name.is_string() ? name.get<std::string>() : std::string();
}

/// 0 if there is none.
std::int64_t whole_in(const Json& object, const char* key) {
  const Json number = part_of(object, key);
  return number.is_number_integer() ? number.get<std::int64_t>() : 0;
}

}  // namespace

std::string forecast_text(const Json& signal) {
  const Json forecast = part_of(signal, "forecast");
  const std::int64_t ms = whole_in(forecast, "time_to_threshold_ms");
  if (ms <= 0) {
    return {};
  }
  const Json pod = part_of(forecast, "because_of");
  const std::string cause =
      pod_text(name_in(pod, "namespace"), name_in(pod, "name"), name_in(pod, "uid"));
  return base::one_line(
      fmt::format("reaches {} in {}, at {}/s{}", name_in(signal, "threshold"),
                  duration_text(std::chrono::milliseconds(ms)),
                  amount_text(name_in(signal, "signal"), whole_in(forecast, "rate")),
                  cause.empty() ? "" : ", because of " + cause));
}

}  // namespace evictd::cli
