// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "disk/pod_storage.h"
#include "evictd/cgroup_id.h"
#include "evictd/time.h"
#include "eviction/pod.h"
#include "eviction/statistics.h"

namespace evictd::daemon {

/// One pod's disk usage for the hot thread. Housekeeping creates one per measurement. The hot
/// thread owns it from its arrival until it returns it.
struct HotStorage {
  /// Memory cgroup of the pod that was measured.
  CgroupId pod;
  eviction::DiskReading disk;
  /// engine::MeasurePods::round if a disk threshold asked for the measurement; 0 for a regular one.
  std::uint64_t round = 0;
  /// Its walk is in progress. `counted` is the walk's result so far; `disk` is the maximum of that
  /// and the measurement before.
  bool cut_short = false;
  eviction::DiskReading counted;
  /// A limit on local storage is exceeded. Only then are the two members below set. A pass
  /// evaluates the limits again, which allocates.
  bool breaches = false;
  eviction::Pod description;
  eviction::PodStatistics statistics;
  MonoTime measured_at{};
  disk::StorageMethod method = disk::StorageMethod::kNone;
  /// False: something in it could not be counted.
  bool complete = true;
};

}  // namespace evictd::daemon
