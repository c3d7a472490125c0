// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "web/eviction_history.h"

namespace evictd::web {

/// What the exposition is made of.
struct MetricSources {
  /// Evictd's answer to {"op":"status"}; null while evictd does not answer.
  const nlohmann::ordered_json* status = nullptr;
  const EvictionHistory* history = nullptr;
  /// Whether evictd-kube is asked, and its answer likewise.
  bool asks_kube = false;
  const nlohmann::ordered_json* kube_status = nullptr;
  /// Version of evictd-web.
  std::string version;
  bool following = false;
  /// Pods as labels: the first so many by memory rank; 0 for none.
  std::size_t pods = 0;
  std::uint64_t rejected_connections = 0;
};

/// Every metric of this moment, in a fixed order. docs/metrics.md describes them. Pure.
[[nodiscard]] std::vector<prometheus::MetricFamily> make_metrics(const MetricSources& sources);

/// The text format of Prometheus, version 0.0.4.
[[nodiscard]] std::string exposition(const std::vector<prometheus::MetricFamily>& families);

}  // namespace evictd::web
