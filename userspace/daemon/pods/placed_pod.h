// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cgroup_tree.h"
#include "cluster/pod_table.h"
#include "daemon/hot/hot_pod.h"
#include "daemon/pods/pod_opener.h"
#include "evictd/cgroup_id.h"
#include "evictd/usage.h"
#include "probe/watch.h"

namespace evictd::daemon {

/// Which counters of a cgroup the kernel side knows. A cgroup that stays loses a counter only if
/// its controller is removed.
struct KnownCounters {
  bool memory = false;
  bool tasks = false;
  /// The row lacks a counter or has wrong values: find the counters again.
  bool doubted = false;

  [[nodiscard]] static KnownCounters of(const probe::PodCounters& counters) {
    KnownCounters known;
    known.memory = counters.memory && *counters.memory && (*counters.memory)->memory_counter != 0;
    known.tasks = counters.pids && *counters.pids && (*counters.pids)->pids_counter != 0;
    return known;
  }
  [[nodiscard]] bool are_lost_in(const CgroupUsage& row) const {
    return (memory && !row.has_memory()) || (tasks && row.tasks < 0);
  }
  [[nodiscard]] bool are_all_in(const KnownCounters& others) const {
    return (!memory || others.memory) && (!tasks || others.tasks);
  }
};

/// What the hot thread has in a slot, for detecting changes.
struct PlacedPod {
  std::uint32_t slot = 0;
  const HotPod* hot = nullptr;
  bool complete = true;
  /// Whether the kernel side, if any, watches it; retried at each scan.
  bool watched = true;
  KnownCounters known{};
  /// Whether it can be signalled; retried at each scan.
  bool has_target = true;
  bool is_own = false;  ///< evictd or pid 1 was in it at the last read.
  CgroupId memory_id;
  /// Unset as long as the v1 pids hierarchy has no directory for it.
  CgroupId pids_id;
  cluster::PodState state = cluster::PodState::kUnknown;
  std::vector<cluster::ContainerCgroup> containers;
  /// Shows a changed manifest, which manifest_origin and the manifest's position do not.
  PodStanding standing;

  /// Its row is wrong: watch it again at the next opportunity.
  void doubt() {
    watched = false;
    known.doubted = true;
  }
};

}  // namespace evictd::daemon
