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

/// Collects metrics in the order in which their families first appear. A value that is not known is
/// left out, and a family without a value is too.
class MetricList {
 public:
  void gauge(const std::string& name, const std::string& help, std::optional<double> value,
             Labels labels = {});
  void counter(const std::string& name, const std::string& help, std::optional<double> value,
               Labels labels = {});
  /// For a name of the kubelet's that is a counter and does not end as one.
  void untyped(const std::string& name, const std::string& help, std::optional<double> value,
               Labels labels = {});
  void histogram(const std::string& name, const std::string& help, const Histogram& histogram,
                 Labels labels = {});
  /// A counter for each number that is a member of `object`, with its key as `label`.
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
