// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "evictd/abi/watch.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "probe/events.h"

namespace evictd::probe {

/// The cgroups of one pod (or of the pod root), one per controller; on v2 the same id twice. The
/// descriptors are open directories in cgroupfs, borrowed for the call; -1 without the controller.
struct PodCgroup {
  CgroupId memory{};
  CgroupId pids{};
  int memory_fd = -1;
  int pids_fd = -1;
};

/// Kernel addresses of such a pod's counters at one time; unset without a descriptor. The kernel
/// side notices an outdated address when it uses it, as for any removed cgroup.
struct PodCounters {
  std::optional<Result<evictd_resolved>> memory{};
  std::optional<Result<evictd_resolved>> pids{};
};

/// Parameters of the reserve that the kernel side computes, and how far ahead of its end it is
/// reported.
struct GuardTerms {
  /// Watermarks of all zones together.
  Bytes min{0};
  Bytes low{0};
  /// Worth of a free swap page, in thousandths of a page.
  std::int64_t swap_permille = 1000;
  Duration horizon{0};
  /// Horizon with less than `low` left.
  Duration tight_horizon{0};

  bool operator==(const GuardTerms&) const = default;
};

/// A threshold "signal is above `value`" for the kernel side to watch.
struct WatchedThreshold {
  /// The caller's id, unique among all given thresholds.
  std::uint64_t id = 0;
  Signal signal = Signal::kNodeWorkingSet;
  /// For cgroup signals: any cgroup of the memory or pids hierarchy except its root (which has no
  /// counter), watched as a slot or not. `cgroup_fd`: its open directory, borrowed for the call.
  CgroupId cgroup{};
  int cgroup_fd = -1;
  /// Bytes or tasks. Crossed up: signal > value; crossed down: signal <= value - hysteresis.
  std::uint64_t value = 0;
  std::uint64_t hysteresis = 0;
};

}  // namespace evictd::probe
