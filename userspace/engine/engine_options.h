// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/configuration.h"
#include "engine/eviction_times.h"
#include "evictd/bytes.h"
#include "eviction/disk_layout.h"

namespace evictd::engine {

/// What an engine is made with.
struct EngineOptions {
  /// Borrowed until ConfigurationChanged names another one.
  Configuration* configuration = nullptr;
  eviction::DiskLayout layout;
  /// Whether anybody looks at filesystems.
  bool has_filesystems = false;
  /// Whether each pod that comes, goes, fills or empties is told. Else a pass that may choose a
  /// pod has the pods looked at before.
  bool events_tell_pods = true;
  /// No more than this is charged to a cgroup without a process for nothing that could be given
  /// back.
  Bytes least_left_behind{0};
  /// Of an earlier evictd, within the last minute.
  EvictionTimes eviction_times{};
};

}  // namespace evictd::engine
