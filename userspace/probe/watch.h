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

/// The cgroups of one pod (or of the pod root), one per controller; the same id twice on v2. The
/// descriptors are open directories in cgroupfs, borrowed for the call; -1 without the controller.
struct PodCgroup {
  CgroupId memory{};
  CgroupId pids{};
  int memory_fd = -1;
  int pids_fd = -1;
};

/// Where the kernel has the counters of such a pod, as asked at one moment; unset without a
/// descriptor. One that is out of date when it is used is noticed by the kernel side, as any is
/// whose cgroup goes.
struct PodCounters {
  std::optional<Result<evictd_resolved>> memory{};
  std::optional<Result<evictd_resolved>> pids{};
};

/// By what the kernel side works out what the kernel can still give, and how far ahead of its end
/// that is reported.
struct GuardTerms {
  /// Watermarks of all zones together.
  Bytes min{0};
  Bytes low{0};
  /// What a free page of swap is worth, in thousandths of a page.
  std::int64_t swap_permille = 1000;
  Duration horizon{0};
  /// With less than `low` left.
  Duration tight_horizon{0};

  bool operator==(const GuardTerms&) const = default;
};

/// A threshold "signal is above `value`" that the kernel side watches.
struct WatchedThreshold {
  /// The caller's own name for it, unique among all thresholds given.
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
