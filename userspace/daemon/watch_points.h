// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "daemon/node_memory.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "eviction/manager.h"
#include "eviction/threshold.h"
#include "probe/watch.h"
#include "sys/reserve_terms.h"

namespace evictd::daemon {

/// What thresholds are measured against; a change of any moves the watched levels.
struct Capacities {
  NodeMemory node_memory;
  /// Limit of the pod root, -1 for none.
  Bytes pod_root_memory{-1};
  std::int64_t node_tasks = -1;
  /// pids.max of the pod root, -1 for none.
  std::int64_t pod_root_tasks = -1;

  bool operator==(const Capacities&) const = default;
};

/// The pod root in the hierarchies that count, with its open directories (-1: none).
struct WatchedRoot {
  CgroupId memory;
  CgroupId pids;
  int memory_fd = -1;
  int pids_fd = -1;
};

/// What the OOM guard goes by, as last read, and what was told of it.
struct GuardState {
  std::optional<sys::ReserveTerms> terms;
  std::string problem;
  /// The kernel side does not tell of it.
  bool unwatched = false;
};

struct WatchPointOptions {
  Capacities capacities;
  WatchedRoot root;
  config::PidAvailableSource pid_source = config::PidAvailableSource::kNode;
  config::HysteresisSettings hysteresis;
  eviction::HardFloor floor;
  /// Whether the kernel side reports when the OOM guard is about to be due.
  bool guard = false;
};

/// The levels of use that the kernel side has to report: where each threshold is met and, below a
/// hard one, each further eighth of it and its floor, because a hold and a grace end when so much
/// less is available. Where the sum of watched value and memory.available may have moved since, a
/// level before the threshold and one behind it bound what that makes it early or late. Thresholds
/// whose capacity is not known are left out, as are disk signals.
[[nodiscard]] std::vector<probe::WatchedThreshold> watch_points(
    const std::vector<eviction::Threshold>& thresholds, const WatchPointOptions& options);

/// The place of the threshold that a watched level belongs to.
[[nodiscard]] std::size_t threshold_of(std::uint64_t watched_id);

}  // namespace evictd::daemon
