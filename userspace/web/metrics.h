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

/// Input of the exposition.
struct MetricSources {
  /// evictd's answer to {"op":"status"}; null while evictd does not answer.
  const nlohmann::ordered_json* status = nullptr;
  const EvictionHistory* history = nullptr;
  /// Whether evictd-kube is asked, and its answer as above.
  bool asks_kube = false;
  const nlohmann::ordered_json* kube_status = nullptr;
  /// Version of evictd-web.
  std::string version;
  bool following = false;
  /// Number of pods shown as labels, highest memory rank first; 0 for none.
  std::size_t pods = 0;
  std::uint64_t rejected_connections = 0;
};

/// All current metrics, in a fixed order. docs/metrics.md describes them. Pure.
[[nodiscard]] std::vector<prometheus::MetricFamily> make_metrics(const MetricSources& sources);

/// Prometheus' text format, version 0.0.4.
[[nodiscard]] std::string exposition(const std::vector<prometheus::MetricFamily>& families);

}  // namespace evictd::web
