// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/line_server.h"
#include "config/config.h"
#include "daemon/control/node_growth.h"
#include "daemon/health/cross_checker.h"
#include "daemon/hot/hot_loop.h"
#include "daemon/notify/notify_worker.h"
#include "daemon/pods/pod_registry.h"
#include "daemon/records/journal.h"
#include "daemon/records/pass_recorder.h"
#include "daemon/records/record_store.h"
#include "daemon/shared/pass_copy.h"
#include "daemon/state/state_keeper.h"
#include "daemon/storage/storage_keeping.h"
#include "disk/filesystems.h"
#include "enforce/actuator.h"
#include "enforce/reclaimer.h"
#include "eviction/brakes.h"
#include "eviction/threshold_table.h"
#include "probe/probe.h"

namespace evictd::daemon {

/// All sources of the status. Pointers are borrowed for the call; comments mark those that may be
/// nullptr.
struct StatusSources {
  const config::Config* config = nullptr;
  const probe::Ladder* ladder = nullptr;
  /// nullptr without BPF.
  const probe::Probe* probe = nullptr;
  const NodeGrowth* node_growth = nullptr;
  /// nullptr if notifications are not served. Queried for a report.
  NotifyWorker* notify = nullptr;
  const PodRegistry* registry = nullptr;
  const disk::Filesystems* filesystems = nullptr;
  const StorageKeeping* storage = nullptr;
  /// Thresholds of the configuration in force, whose generation follows.
  const eviction::ThresholdTable* thresholds = nullptr;
  std::uint64_t config_generation = 0;
  /// nullptr before the first pass. Just after a reload it belongs to the old configuration.
  const PassCopy* last_pass = nullptr;
  PassTrigger last_trigger = PassTrigger::kRegular;
  MonoTime last_pass_at{};
  const RecordStore* records = nullptr;
  const Journal* journal = nullptr;
  /// nullptr if passes are not recorded.
  const PassRecorder* recorder = nullptr;
  const base::LineServer::Counters* control_socket = nullptr;
  const HotCounters* hot = nullptr;
  enforce::ActuatorCounters actuator;
  /// nullptr without BPF.
  const CrossChecker* cross_checker = nullptr;
  enforce::ReclaimerCounters reclaimed;
  std::uint64_t released_by_us = 0;
  std::uint64_t not_released_by_us = 0;
  bool realtime = false;
  std::uint64_t realtime_losses = 0;
  bool memory_locked = false;
  eviction::GrowthLimits growth;
  std::uint64_t descriptor_limit = 0;
  bool timer_stalled = false;
  const StateKeeper* state = nullptr;
  engine::OperatorWishes wishes;
  /// Wall clock at the `now` of the status.
  WallTime wall_now{};
  MonoTime started_at{};
};

/// Builds the answer to the control socket's "status": one object, described in docs/status.md.
/// Reads pods from their files again, and forecasts from the newest readings; all else is from the
/// last pass. Cost: 8 us a pod.
[[nodiscard]] nlohmann::ordered_json make_status(const StatusSources& sources, MonoTime now);

}  // namespace evictd::daemon
