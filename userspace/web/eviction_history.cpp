// SPDX-License-Identifier: Apache-2.0
#include "web/eviction_history.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_members.h"

namespace evictd::web {

namespace {

using base::member_at;
using base::number_at;
using base::text_at;
using Json = nlohmann::ordered_json;

/// Seconds. A decision takes tens of microseconds; an exit takes up to a second per few GiB.
constexpr std::array<double, 20> kLatencyBounds{
    10e-6, 20e-6, 35e-6, 50e-6, 75e-6, 100e-6, 150e-6, 200e-6, 300e-6, 500e-6,
    1e-3,  2e-3,  5e-3,  10e-3, 50e-3, 100e-3, 500e-3, 1.0,    5.0,    30.0};
/// Seconds: the kubelet's bounds of kubelet_eviction_stats_age_seconds, with smaller ones below.
constexpr std::array<double, 13> kAgeBounds{10e-6, 100e-6, 1e-3, 5e-3, 10e-3, 25e-3, 50e-3,
                                            0.1,   0.25,   0.5,  1.0,  2.5,   10.0};
constexpr std::array<double, 10> kByteBounds{65536,    262144,   524288,    1048576,    2097152,
                                             16777216, 67108864, 268435456, 1073741824, 8589934592};
constexpr std::array<double, 9> kGraceBounds{0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 120.0};

constexpr std::array<const char*, kIntervals> kEnds{"wake_ns", "decide_ns", "first_signal_ns",
                                                    "exited_ns", "freed_ns"};

/// More than evictd tracks at a time, which is 64.
constexpr std::size_t kMostOpen = 256;

bool is_eviction(const Json& line) {
  const std::string outcome = text_at(line, "outcome");
  return text_at(line, "kind") == "decision" && (outcome == "evicted" || outcome == "oom_guard") &&
         number_at(line, "dry_run").value_or(1) == 0;
}

const Json* observation_of(const Json& record, const std::string& signal) {
  const Json& observations = member_at(record, "observations");
  if (!observations.is_array()) {
    return nullptr;
  }
  const auto found = std::find_if(
      observations.begin(), observations.end(),
      [&](const Json& observation) { return text_at(observation, "signal") == signal; });
  return found == observations.end() ? nullptr : &*found;
}

/// The available quantity below which the deciding threshold is met.
std::optional<double> acted_on_limit(const Json& record) {
  const Json& thresholds = member_at(record, "thresholds");
  if (!thresholds.is_array()) {
    return std::nullopt;
  }
  for (const Json& threshold : thresholds) {
    if (text_at(threshold, "stood") == "acted_on") {
      return number_at(threshold, "met_below");
    }
  }
  return std::nullopt;
}

}  // namespace

void Histogram::observe(double value) {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  if (bucket != bounds_.end()) {
    ++counts_[static_cast<std::size_t>(bucket - bounds_.begin())];
  }
  ++count_;
  sum_ += value;
}

std::uint64_t Histogram::cumulative(std::size_t i) const {
  std::uint64_t sum = 0;
  for (std::size_t bucket = 0; bucket <= i; ++bucket) {
    sum += counts_[bucket];
  }
  return sum;
}

EvictionHistory::EvictionHistory()
    : intervals_(kIntervals, Histogram(kLatencyBounds)),
      past_threshold_(kByteBounds),
      grace_given_(kGraceBounds),
      grace_wanted_(kGraceBounds) {}

void EvictionHistory::take(const Json& line) {
  const std::optional<double> number = number_at(line, "id");
  if (!is_eviction(line) || !number || *number < 1) {
    return;
  }
  const auto id = static_cast<std::uint64_t>(*number);
  if (id > newest_) {
    newest_ = id;
    open_[id] = {};
    count_start(line);
    if (open_.size() > kMostOpen) {
      open_.erase(open_.begin());
    }
  }
  if (const auto open = open_.find(id); open != open_.end()) {
    count_intervals(member_at(line, "timeline"), open->second);
  }
}

void EvictionHistory::count_start(const Json& record) {
  const std::string limit = text_at(record, "local_limit");
  const std::string signal = limit.empty() ? text_at(record, "signal") : limit;
  ++evictions_[signal];
  if (const Json* seen = observation_of(record, signal)) {
    if (const std::optional<double> age_us = number_at(*seen, "age_us")) {
      reading_age_.try_emplace(signal, kAgeBounds).first->second.observe(*age_us / 1e6);
    }
  }
  const std::optional<double> available = number_at(record, "available");
  const std::optional<double> limit_at = acted_on_limit(record);
  if (text_at(record, "resource") == "memory" && available && limit_at) {
    past_threshold_.observe(std::max(0.0, *limit_at - *available));
  }
  count_grace(record);
}

/// A record of an older version, or of an eviction found in progress, has whole seconds only.
void EvictionHistory::count_grace(const Json& record) {
  const auto of_ms = [&](const char* key) {
    const std::optional<double> ms = number_at(record, key);
    return ms ? std::optional(*ms / 1e3) : std::nullopt;
  };
  const std::optional<double> whole = number_at(record, "grace_seconds");
  const std::optional<double> given = of_ms("grace_given");
  if (const std::optional<double> known = given ? given : whole) {
    grace_given_.observe(*known);
    grace_wanted_.observe(of_ms("grace_wanted").value_or(*known));
  }
}

void EvictionHistory::count_intervals(const Json& timeline, Open& open) {
  // Without it, polling found the crossing: its time is unknown.
  const std::optional<double> begin = number_at(timeline, "hook_ns");
  if (!begin) {
    return;
  }
  for (std::size_t i = 0; i < kIntervals; ++i) {
    const std::optional<double> end = number_at(timeline, kEnds[i]);
    if (end && !open.counted[i]) {
      open.counted[i] = true;
      intervals_[i].observe((*end - *begin) / 1e9);
    }
  }
}

}  // namespace evictd::web
