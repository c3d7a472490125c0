// SPDX-License-Identifier: Apache-2.0
#include "cli/forecast_text.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "base/one_line.h"
#include "cli/amount_text.h"
#include "cli/pod_text.h"

namespace evictd::cli {

namespace {

using base::integer_at;
using base::member_at;
using base::text_at;
using Json = nlohmann::ordered_json;

/// Milliseconds. evictd forecasts an hour at most; another program may answer anything.
constexpr std::int64_t kLongest = 1'000'000'000;

}  // namespace

std::string forecast_text(const Json& signal) {
  const Json& forecast = member_at(signal, "forecast");
  const std::int64_t ms = integer_at(forecast, "time_to_threshold_ms").value_or(0);
  if (ms <= 0 || ms > kLongest) {
    return {};
  }
  const Json& pod = member_at(forecast, "because_of");
  const std::string cause =
      pod_text(text_at(pod, "namespace"), text_at(pod, "name"), text_at(pod, "uid"));
  return base::one_line(
      fmt::format("reaches {} in {}, at {}/s{}", text_at(signal, "threshold"),
                  duration_text(std::chrono::milliseconds(ms)),
                  amount_text(text_at(signal, "signal"), integer_at(forecast, "rate").value_or(0)),
                  cause.empty() ? "" : ", because of " + cause));
}

}  // namespace evictd::cli
