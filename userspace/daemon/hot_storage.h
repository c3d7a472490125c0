// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "disk/pod_storage.h"
#include "evictd/cgroup_id.h"
#include "evictd/time.h"
#include "eviction/pod.h"
#include "eviction/statistics.h"

namespace evictd::daemon {

/// What the hot thread knows of one pod's disk usage. Made by housekeeping for every measurement,
/// owned by the hot thread from its arrival until it is handed back.
struct HotStorage {
  /// Memory cgroup of the pod that was measured.
  CgroupId pod;
  eviction::DiskReading disk;
  /// The measurement that a disk threshold asked for, as MeasurePods has it; 0 for a regular one.
  std::uint64_t round = 0;
  /// Its walk is under way: `counted` is what it has found so far, `disk` the most of that and of
  /// what was measured before.
  bool cut_short = false;
  eviction::DiskReading counted;
  /// A limit on local storage is exceeded; then, and only then, the two below are set: a pass looks
  /// at them again, which allocates.
  bool breaches = false;
  eviction::Pod description;
  eviction::PodStatistics statistics;
  MonoTime measured_at{};
  disk::StorageMethod method = disk::StorageMethod::kNone;
  /// False: something of it could not be counted.
  bool complete = true;
};

}  // namespace evictd::daemon
