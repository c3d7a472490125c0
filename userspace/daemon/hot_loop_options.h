// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/clock.h"
#include "daemon/hot_config.h"
#include "daemon/hot_counters.h"
#include "daemon/messages.h"
#include "daemon/readings.h"
#include "disk/newest_readings.h"
#include "enforce/actuator.h"
#include "engine/eviction_times.h"
#include "engine/operator_wishes.h"
#include "probe/event_ring.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// What the hot thread works with and on.
struct HotLoopOptions {
  /// Of the kernel side that is loaded, nullptr without one. Borrowed, as all pointers and
  /// references here.
  const probe::Ladder* ladder = nullptr;
  /// What it has to tell; nullptr without BPF.
  probe::EventRing* events = nullptr;
  const core::Clock* clock = nullptr;
  Mailbox<ToHot>* inbox = nullptr;
  Mailbox<ToHousekeeping>* outbox = nullptr;
  enforce::Actuator* actuator = nullptr;
  enforce::Actuator* dry_run_actuator = nullptr;
  HotCounters* counters = nullptr;
  Readings::Options readings;
  std::unique_ptr<HotConfig> config;
  /// Whether each pass is sent to housekeeping, rehearsals included, and what is missing told.
  bool record_every_pass = false;
  /// nullptr where no filesystem is looked at.
  const disk::NewestReadings* filesystems = nullptr;
  /// Whether the kernel side tells of each cgroup that comes, goes, fills or empties. Else a pass
  /// that may choose a pod has housekeeping look before.
  bool events_tell_pods = true;
  /// Of an earlier evictd, within the last minute.
  engine::EvictionTimes eviction_times{};
  /// As clock_name() gives it: what the next evictd is to know an intent's moments by.
  std::string intent_clock{};
  /// Whether the thread has real-time priority, which allows it to wait awake for a crossing that
  /// is milliseconds away. At ordinary priority its turn would be over just when it is needed;
  /// with a single CPU whoever grows could not run. nullptr for never: it rehearses and sleeps.
  const std::atomic<bool>* may_stand_by = nullptr;
};

}  // namespace evictd::daemon
