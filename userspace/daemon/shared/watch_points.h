// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/settings.h"
#include "daemon/shared/node_memory.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "eviction/manager.h"
#include "eviction/threshold.h"
#include "probe/watch.h"

namespace evictd::daemon {

/// Capacities of the thresholds; a change of any moves the watched levels.
struct Capacities {
  NodeMemory node_memory;
  /// Limit of the pod root, -1 for none.
  Bytes pod_root_memory{-1};
  std::int64_t node_tasks = -1;
  /// pids.max of the pod root, -1 for none.
  std::int64_t pod_root_tasks = -1;

  bool operator==(const Capacities&) const = default;
};

/// The pod root in the relevant hierarchies, with its open directories (-1: none).
struct WatchedRoot {
  CgroupId memory;
  CgroupId pids;
  int memory_fd = -1;
  int pids_fd = -1;
};

struct WatchPointOptions {
  Capacities capacities;
  WatchedRoot root;
  config::PidAvailableSource pid_source = config::PidAvailableSource::kNode;
  config::HysteresisSettings hysteresis;
  eviction::HardFloor floor;
  /// Whether the kernel side reports that the OOM guard is about to be due.
  bool guard = false;
};

/// Returns the levels of usage that the kernel side must report. They are: where each threshold is
/// met; below a hard threshold also each further eighth of it, and its floor. A hold and a grace
/// period end at those. If the sum of watched value and memory.available may have moved, a level
/// before and one after the threshold bound the error. Disk signals, and thresholds of unknown
/// capacity, are left out.
[[nodiscard]] std::vector<probe::WatchedThreshold> watch_points(
    const std::vector<eviction::Threshold>& thresholds, const WatchPointOptions& options);

/// Index of the threshold that a watched level belongs to.
[[nodiscard]] std::size_t threshold_of(std::uint64_t watched_id);

}  // namespace evictd::daemon
