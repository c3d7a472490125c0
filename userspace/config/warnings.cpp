// SPDX-License-Identifier: Apache-2.0
#include "config/warnings.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "config/eviction_fields.h"
#include "eviction/parse_thresholds.h"

namespace evictd::config {
namespace {

/// Collects warnings, each prefixed with the place of its key if known.
class Collector {
 public:
  Collector(const Config& config, std::string_view own_file)
      : config_(config), own_file_(own_file) {}

  [[nodiscard]] bool is_given(std::string_view key) const {
    return config_.origin(key).kind == Origin::Kind::kFile ||
           config_.origin(key).kind == Origin::Kind::kFlag;
  }

  /// Whether it is given in evictd's own file, not in one of the kubelet's.
  [[nodiscard]] bool is_given_by_us(std::string_view key) const {
    const Origin origin = config_.origin(key);
    return origin.kind == Origin::Kind::kFile && origin.source == own_file_;
  }

  void add(const std::string& key, const std::string& what) {
    const std::string place = is_given(key) ? to_string(config_.origin(key)) + ": " : "";
    found_.push_back(Warning{.key = key, .text = fmt::format("{}{}: {}", place, key, what)});
  }

  [[nodiscard]] std::vector<Warning> take() { return std::move(found_); }

 private:
  const Config& config_;
  std::string_view own_file_;
  std::vector<Warning> found_;
};

void warn_of_dropped_defaults(const Config& config, Collector& collector) {
  if (!collector.is_given("evictionHard")) {
    return;
  }
  std::string dropped;
  for (const auto& [signal, text] : eviction::default_eviction_hard(config->compatibility)) {
    if (!config->eviction.hard.contains(signal)) {
      dropped += fmt::format("{}{} {}", dropped.empty() ? "" : ", ", signal, text);
    }
  }
  if (!dropped.empty()) {
    collector.add("evictionHard", "drops the kubelet's other defaults: " + dropped);
  }
}

/// Whether a soft threshold is met no sooner than the hard one. A quantity and a share can only be
/// compared on the node.
bool is_at_or_below(const eviction::ThresholdValue& soft, const eviction::ThresholdValue& hard) {
  if (soft.quantity && hard.quantity) {
    return *soft.quantity <= *hard.quantity;
  }
  return !soft.quantity && !hard.quantity && soft.percentage <= hard.percentage;
}

void warn_of_soft_below_hard(const Config& config, Collector& collector) {
  for (const eviction::Threshold& soft : config.thresholds()) {
    for (const eviction::Threshold& hard : config.thresholds()) {
      const std::string key = fmt::format("evictionSoft[{}]", to_string(soft.signal));
      if (soft.is_hard() || !hard.is_hard() || soft.signal != hard.signal ||
          !collector.is_given(key) || !is_at_or_below(soft.value, hard.value)) {
        continue;
      }
      collector.add(key, fmt::format("{} is not above the hard threshold {}: the hard one always "
                                     "acts first",
                                     to_string(soft.value), to_string(hard.value)));
    }
  }
}

void warn_of_shares_that_are_no_number(const Config& config, Collector& collector) {
  for (const eviction::Threshold& threshold : config.thresholds()) {
    const std::string key =
        fmt::format("{}[{}]", threshold.is_hard() ? "evictionHard" : "evictionSoft",
                    to_string(threshold.signal));
    if (!threshold.value.quantity && std::isnan(threshold.value.percentage) &&
        collector.is_given(key)) {
      collector.add(key, "NaN% is not a percentage: the threshold can never be met");
    }
  }
}

void warn_of_containerfs(const Config& config, Collector& collector) {
  const auto look = [&](std::string_view name, const auto& thresholds) {
    for (const auto& [signal, text] : thresholds) {
      if (signal.starts_with("containerfs.")) {
        collector.add(fmt::format("{}[{}]", name, signal),
                      fmt::format("{} is not used: as with the kubelet, containerfs takes the "
                                  "thresholds of the filesystem that it is on",
                                  text));
      }
    }
  };
  look("evictionHard", config->eviction.hard);
  look("evictionSoft", config->eviction.soft);
}

void warn_of_lone_minimum_reclaim(const Config& config, Collector& collector) {
  const EvictionSettings& eviction = config->eviction;
  for (const auto& [signal, text] : eviction.minimum_reclaim) {
    if (!eviction.hard.contains(signal) && !eviction.soft.contains(signal)) {
      collector.add(fmt::format("evictionMinimumReclaim[{}]", signal),
                    "no threshold has this signal");
    }
  }
}

void warn_of_the_rest(const Config& config, Collector& collector) {
  const Settings& settings = config.settings();
  if (settings.eviction.pressure_transition_period == Duration{0} &&
      collector.is_given_by_us("evictionPressureTransitionPeriod")) {
    collector.add("evictionPressureTransitionPeriod",
                  "0s is taken as written; the kubelet reads it in a file as 5m");
  }
  if (settings.eviction.max_pod_grace_period < std::chrono::seconds::zero()) {
    collector.add("evictionMaxPodGracePeriod",
                  fmt::format("{} is taken as 0: a soft eviction is SIGKILL at once",
                              settings.eviction.max_pod_grace_period.count()));
  }
  // The floor cuts a grace period, and decides which evictions pass the brake.
  if (settings.hard_eviction.grace_period == std::chrono::seconds(0) &&
      settings.brakes.max_evictions_per_minute == 0 && collector.is_given("hardEvictionFloor")) {
    collector.add("hardEvictionFloor",
                  "has no effect while hardEvictionGracePeriodSeconds and maxEvictionsPerMinute "
                  "are both 0");
  }
  if (settings.manifest_directories.empty() && settings.pod_globs.empty() &&
      !settings.evict_unknown_pods) {
    collector.add("evictUnknownPods",
                  "no pod can be evicted: neither manifestDirectories nor podGlobs is set, and "
                  "unknown pods are never evicted");
  }
  if (settings.faults.drop_kernel_events) {
    collector.add("faults.dropKernelEvents", "a fault for tests is on: kernel events are ignored");
  }
}

}  // namespace

std::vector<Warning> find_warnings(const Config& config, std::string_view own_file) {
  Collector collector(config, own_file);
  warn_of_dropped_defaults(config, collector);
  warn_of_soft_below_hard(config, collector);
  warn_of_shares_that_are_no_number(config, collector);
  warn_of_containerfs(config, collector);
  warn_of_lone_minimum_reclaim(config, collector);
  warn_of_the_rest(config, collector);
  return collector.take();
}

}  // namespace evictd::config
