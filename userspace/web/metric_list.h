// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>

#include <initializer_list>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "web/eviction_history.h"

namespace evictd::web {

using Labels = std::vector<prometheus::ClientMetric::Label>;

/// Collects metrics in the order in which their families first appear. Omits unknown values, and
/// families without a value.
class MetricList {
 public:
  void gauge(const std::string& name, const std::string& help, std::optional<double> value,
             Labels labels = {});
  void counter(const std::string& name, const std::string& help, std::optional<double> value,
               Labels labels = {});
  /// For a kubelet metric that is a counter but lacks a counter's suffix.
  void untyped(const std::string& name, const std::string& help, std::optional<double> value,
               Labels labels = {});
  void histogram(const std::string& name, const std::string& help, const Histogram& histogram,
                 Labels labels = {});
  /// A counter for each number among the members of `object`, with its key as `label`.
  void counters_of(const std::string& name, const std::string& help,
                   const nlohmann::ordered_json& object, const std::string& label);

  [[nodiscard]] std::vector<prometheus::MetricFamily> take() { return std::move(families_); }

 private:
  prometheus::ClientMetric& add(const std::string& name, const std::string& help,
                                prometheus::MetricType type, Labels labels);

  std::vector<prometheus::MetricFamily> families_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace evictd::web
