// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/configuration.h"
#include "engine/eviction_times.h"
#include "evictd/bytes.h"
#include "eviction/disk_layout.h"

namespace evictd::engine {

/// Options of an Engine.
struct EngineOptions {
  /// Borrowed until ConfigurationChanged names another one.
  Configuration* configuration = nullptr;
  eviction::DiskLayout layout;
  /// Whether filesystems are sampled.
  bool has_filesystems = false;
  /// Whether events report each pod that appears, disappears, gets or loses processes. If not, a
  /// pass that may choose a pod first requests a scan.
  bool events_tell_pods = true;
  /// Upper bound of the charge of a cgroup without processes that cannot be reclaimed.
  Bytes least_left_behind{0};
  /// Eviction times of an earlier evictd within the last minute.
  EvictionTimes eviction_times{};
};

}  // namespace evictd::engine
