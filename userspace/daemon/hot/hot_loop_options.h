// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>

#include "base/loan.h"
#include "core/clock.h"
#include "daemon/hot/readings.h"
#include "daemon/shared/hot_config.h"
#include "daemon/shared/hot_counters.h"
#include "daemon/shared/messages.h"
#include "disk/newest_readings.h"
#include "enforce/actuator.h"
#include "engine/eviction_times.h"
#include "engine/operator_wishes.h"
#include "probe/backstop.h"
#include "probe/event_ring.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// The hot thread's inputs and settings.
struct HotLoopOptions {
  /// Ladder of the loaded kernel side, nullptr without one. Borrowed, as all pointers and
  /// references here.
  const probe::Ladder* ladder = nullptr;
  /// Its events; nullptr without BPF.
  probe::EventRing* events = nullptr;
  /// What can kill by a plan; nullptr without it.
  probe::Backstop* backstop = nullptr;
  const core::Clock* clock = nullptr;
  Mailbox<ToHot>* inbox = nullptr;
  Mailbox<ToHousekeeping>* outbox = nullptr;
  enforce::Actuator* actuator = nullptr;
  enforce::Actuator* dry_run_actuator = nullptr;
  HotCounters* counters = nullptr;
  Readings::Options readings;
  base::Loan<HotConfig> config;
  /// Whether each pass, rehearsals included, is sent to housekeeping, and missing passes are
  /// reported.
  bool record_every_pass = false;
  /// nullptr if no filesystem is watched.
  const disk::NewestReadings* filesystems = nullptr;
  /// Whether the kernel side reports each cgroup that is created, removed, filled or emptied. If
  /// not, housekeeping scans before a pass that may choose a pod.
  bool events_tell_pods = true;
  /// Times of an earlier evictd's evictions, within the last minute.
  engine::EvictionTimes eviction_times{};
  /// As clock_name() gives it: tells the next evictd the clock of an intent's moments.
  std::string intent_clock{};
  /// Whether the thread has real-time priority, so that it may spin for a crossing that is
  /// milliseconds away. At ordinary priority its time slice would end just when it is needed. On a
  /// single CPU the growing task could not run. nullptr: never; the thread rehearses and sleeps.
  const std::atomic<bool>* may_stand_by = nullptr;
};

}  // namespace evictd::daemon
