// SPDX-License-Identifier: Apache-2.0
#include "eviction/parse_thresholds.h"

#include <algorithm>

#include "core/go_duration.h"
#include "evictd/try.h"
#include "eviction/go_float.h"

namespace evictd::eviction {
namespace {

Failure refuse(std::string why) {
  return fail(Errc::kInvalid, std::move(why));
}

Result<Signal> known_signal(const std::string& name, Compat compat) {
  const Signal signal = signal_from_text(name, compat);
  if (signal == Signal::kUnknown) {
    return refuse("unsupported eviction signal " + name);
  }
  return signal;
}

/// "7%" as 0.07; all signs of percent at the end are dropped, as the kubelet does.
Result<float> parse_percentage(const std::string& text) {
  const std::size_t last = text.find_last_not_of('%');
  EVICTD_ASSIGN_OR_RETURN(const float number, parse_float(std::string_view(text).substr(
                                                  0, last == std::string::npos ? 0 : last + 1)));
  return number / 100;
}

Result<ThresholdValue> parse_share(const std::string& name, const std::string& text) {
  EVICTD_ASSIGN_OR_RETURN(const float percentage, parse_percentage(text));
  if (percentage < 0) {
    return refuse("eviction percentage threshold " + name + " must be >= 0%: " + text);
  }
  if (percentage > 1) {
    return refuse("eviction percentage threshold " + name + " must be <= 100%: " + text);
  }
  return ThresholdValue{std::nullopt, percentage};
}

Result<ThresholdValue> parse_amount(const std::string& name, const std::string& text) {
  EVICTD_ASSIGN_OR_RETURN(Quantity quantity, Quantity::parse(text));
  if (quantity.sign() <= 0) {
    return refuse("eviction threshold " + name + " must be positive: " + quantity.to_string());
  }
  return ThresholdValue{std::move(quantity), 0};
}

/// Adds the thresholds of one map.
Result<> add_statements(const SignalTexts& statements, Compat compat,
                        std::vector<Threshold>& thresholds) {
  for (const auto& [name, text] : statements) {
    EVICTD_ASSIGN_OR_RETURN(const Signal signal, known_signal(name, compat));
    if (is_switched_off(text)) {
      continue;
    }
    EVICTD_ASSIGN_OR_RETURN(ThresholdValue value, text.ends_with('%') ? parse_share(name, text)
                                                                      : parse_amount(name, text));
    Threshold threshold;
    threshold.signal = signal;
    threshold.value = std::move(value);
    thresholds.push_back(std::move(threshold));
  }
  return {};
}

using GracePeriods = std::map<Signal, Duration>;
using MinimumReclaims = std::map<Signal, ThresholdValue>;

Result<GracePeriods> parse_grace_periods(const SignalTexts& statements, Compat compat) {
  GracePeriods periods;
  for (const auto& [name, text] : statements) {
    EVICTD_ASSIGN_OR_RETURN(const Signal signal, known_signal(name, compat));
    EVICTD_ASSIGN_OR_RETURN(const Duration period, core::parse_go_duration(text));
    if (period < Duration::zero()) {
      return refuse("invalid eviction grace period specified: " + text +
                    ", must be a positive value");
    }
    periods[signal] = period;
  }
  return periods;
}

Result<ThresholdValue> parse_minimum_reclaim(const std::string& name, const std::string& text) {
  if (text.ends_with('%')) {
    EVICTD_ASSIGN_OR_RETURN(const float percentage, parse_percentage(text));
    if (percentage <= 0) {
      return refuse("eviction percentage minimum reclaim " + name + " must be positive: " + text);
    }
    return ThresholdValue{std::nullopt, percentage};
  }
  EVICTD_ASSIGN_OR_RETURN(Quantity quantity, Quantity::parse(text));
  if (quantity.sign() < 0) {
    return refuse("negative eviction minimum reclaim specified for " + name);
  }
  return ThresholdValue{std::move(quantity), 0};
}

Result<MinimumReclaims> parse_minimum_reclaims(const SignalTexts& statements, Compat compat) {
  MinimumReclaims reclaims;
  for (const auto& [name, text] : statements) {
    EVICTD_ASSIGN_OR_RETURN(const Signal signal, known_signal(name, compat));
    EVICTD_ASSIGN_OR_RETURN(reclaims[signal], parse_minimum_reclaim(name, text));
  }
  return reclaims;
}

/// The pods' own cgroup is held to the same line as the node.
void copy_memory_to_allocatable(std::vector<Threshold>& thresholds) {
  std::vector<Threshold> copies;
  for (const Threshold& threshold : thresholds) {
    if (threshold.signal == Signal::kMemoryAvailable && threshold.is_hard()) {
      copies.push_back(threshold);
      copies.back().signal = Signal::kAllocatableMemoryAvailable;
      copies.back().derived_from = threshold.signal;
    }
  }
  thresholds.insert(thresholds.end(), copies.begin(), copies.end());
}

}  // namespace

Result<std::vector<Threshold>> parse_thresholds(const ThresholdTexts& texts, Compat compat) {
  std::vector<Threshold> thresholds;
  EVICTD_TRY(add_statements(texts.hard, compat, thresholds));
  const std::size_t first_soft = thresholds.size();
  EVICTD_TRY(add_statements(texts.soft, compat, thresholds));
  EVICTD_ASSIGN_OR_RETURN(const GracePeriods periods,
                          parse_grace_periods(texts.soft_grace_period, compat));
  EVICTD_ASSIGN_OR_RETURN(const MinimumReclaims reclaims,
                          parse_minimum_reclaims(texts.minimum_reclaim, compat));
  for (std::size_t i = first_soft; i < thresholds.size(); ++i) {
    const auto period = periods.find(thresholds[i].signal);
    if (period == periods.end()) {
      return refuse("grace period must be specified for the soft eviction threshold " +
                    std::string(to_string(thresholds[i].signal)));
    }
    thresholds[i].grace_period = period->second;
  }
  for (Threshold& threshold : thresholds) {
    if (const auto reclaim = reclaims.find(threshold.signal); reclaim != reclaims.end()) {
      threshold.min_reclaim = reclaim->second;
    }
  }
  const auto& enforced = texts.enforce_node_allocatable;
  if (std::find(enforced.begin(), enforced.end(), "pods") != enforced.end()) {
    copy_memory_to_allocatable(thresholds);
  }
  return thresholds;
}

bool is_switched_off(std::string_view text) {
  return text == "0%" || text == "100%";
}

SignalTexts default_eviction_hard(Compat compat) {
  SignalTexts defaults{{"memory.available", "100Mi"},
                       {"nodefs.available", "10%"},
                       {"nodefs.inodesFree", "5%"},
                       {"imagefs.available", "15%"}};
  if (compat != Compat::k1_26) {
    defaults["imagefs.inodesFree"] = "5%";
  }
  return defaults;
}

}  // namespace evictd::eviction
