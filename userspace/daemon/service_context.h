// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/log.h"
#include "config/config.h"
#include "config/sources.h"
#include "core/clock.h"
#include "daemon/backlog.h"
#include "daemon/hot/hot_loop.h"
#include "daemon/hot/hot_priority.h"
#include "daemon/notify/notify_worker.h"
#include "daemon/pods/pod_registry.h"
#include "daemon/records/pass_recorder.h"
#include "daemon/shared/guard_terms.h"
#include "daemon/shared/messages.h"
#include "daemon/state/state_keeper.h"
#include "disk/filesystems.h"
#include "eviction/brakes.h"
#include "probe/probe.h"

namespace evictd::daemon {

/// The main thread's inputs and settings.
struct HousekeepingOptions {
  config::Sources sources;
  std::shared_ptr<const config::Config> config;
  // All borrowed; probe is nullptr without BPF.
  const core::Clock* clock = nullptr;
  base::Log* log = nullptr;
  const sys::Root* root = nullptr;
  probe::Probe* probe = nullptr;
  /// Result of the attach ladder, also without a probe.
  const probe::Ladder* ladder = nullptr;
  /// nullptr if notifications are not served.
  NotifyWorker* notify = nullptr;
  /// Whether the kernel side reports each new or removed cgroup, so that a scan only confirms.
  bool events_tell_pods = true;
  PodRegistry* registry = nullptr;
  disk::Filesystems* filesystems = nullptr;
  base::Lender* loans = nullptr;
  Mailbox<ToHot>* to_hot = nullptr;
  Mailbox<ToHousekeeping>* from_hot = nullptr;
  const HotCounters* hot_counters = nullptr;
  HotPriority* priority = nullptr;
  /// Where the hot thread finds the inputs of the OOM guard.
  GuardTermsBoard* guard_terms = nullptr;
  bool memory_locked = false;
  /// Assumed growth limits of this machine.
  eviction::GrowthLimits growth;
  std::uint64_t descriptor_limit = 0;
  /// The last run's state, and where the state is kept for the next.
  StateKeeper::Options state;
  /// Unset: passes are not recorded.
  std::optional<RecordingOptions> recording;
};

/// What the services of the main thread share. A reload replaces `config`.
struct ServiceContext : HousekeepingOptions {
  explicit ServiceContext(HousekeepingOptions inputs)
      : HousekeepingOptions(std::move(inputs)), backlog(*to_hot) {}

  [[nodiscard]] const config::Settings& settings() const { return config->settings(); }

  Backlog backlog;
};

}  // namespace evictd::daemon
