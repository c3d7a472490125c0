// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "convert.h"
#include "eviction/manager.h"

namespace evictd::vectors {

/// The world of one synchronize case: what does not change, and what is visible at the moment.
struct Scenario {
  std::vector<eviction::Threshold> thresholds;
  std::chrono::seconds max_pod_grace{0};
  Duration pressure_transition_period{0};
  bool notifies = false;
  bool local_storage_isolation = false;
  eviction::DiskLayout layout;
  MonoTime start{};
  PodSet pods;

  eviction::NodeStatistics node;
  std::vector<StatisticsEntry> statistics;
  /// Places in `pods`.
  std::vector<std::size_t> active;

  [[nodiscard]] eviction::PassSettings settings(eviction::Compat compat) const;
  /// The pod that the reader names; reports a name that the scenario does not have.
  [[nodiscard]] std::optional<std::size_t> place_of(const JsonReader& name) const;
  void set_active(const JsonReader& names);
};

[[nodiscard]] Result<Scenario> read_scenario(const JsonReader& root, eviction::Compat compat);

}  // namespace evictd::vectors
