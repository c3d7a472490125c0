// SPDX-License-Identifier: Apache-2.0
#include "web/metric_list.h"

#include <nlohmann/json.hpp>

namespace evictd::web {

using prometheus::ClientMetric;
using prometheus::MetricType;

ClientMetric& MetricList::add(const std::string& name, const std::string& help, MetricType type,
                              Labels labels) {
  const auto [place, added] = places_.emplace(name, families_.size());
  if (added) {
    families_.push_back({.name = name, .help = help, .type = type, .metric = {}});
  }
  ClientMetric metric;
  metric.label = std::move(labels);
  std::vector<ClientMetric>& metrics = families_[place->second].metric;
  metrics.push_back(std::move(metric));
  return metrics.back();
}

void MetricList::gauge(const std::string& name, const std::string& help,
                       std::optional<double> value, Labels labels) {
  if (value) {
    add(name, help, MetricType::Gauge, std::move(labels)).gauge.value = *value;
  }
}

void MetricList::counter(const std::string& name, const std::string& help,
                         std::optional<double> value, Labels labels) {
  if (value) {
    add(name, help, MetricType::Counter, std::move(labels)).counter.value = *value;
  }
}

void MetricList::untyped(const std::string& name, const std::string& help,
                         std::optional<double> value, Labels labels) {
  if (value) {
    add(name, help, MetricType::Untyped, std::move(labels)).untyped.value = *value;
  }
}

void MetricList::histogram(const std::string& name, const std::string& help,
                           const Histogram& histogram, Labels labels) {
  ClientMetric::Histogram& shown =
      add(name, help, MetricType::Histogram, std::move(labels)).histogram;
  shown.sample_count = histogram.count();
  shown.sample_sum = histogram.sum();
  for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
    shown.bucket.push_back(
        {.cumulative_count = histogram.cumulative(i), .upper_bound = histogram.bounds()[i]});
  }
}

void MetricList::counters_of(const std::string& name, const std::string& help,
                             const nlohmann::ordered_json& object, const std::string& label) {
  if (!object.is_object()) {
    return;
  }
  for (const auto& [key, value] : object.items()) {
    if (value.is_number()) {
      counter(name, help, value.get<double>(), {{label, key}});
    }
  }
}

}  // namespace evictd::web
