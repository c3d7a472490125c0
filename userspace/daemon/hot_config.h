// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "config/settings.h"
#include "evictd/result.h"
#include "eviction/brakes.h"
#include "eviction/manager.h"
#include "poll/interval.h"

namespace evictd::daemon {

/// What the hot thread needs of a configuration, prepared by housekeeping and swapped whole.
struct HotConfig {
  explicit HotConfig(eviction::EvictionManager prepared) : manager(std::move(prepared)) {}

  eviction::EvictionManager manager;
  poll::IntervalOptions interval;
  config::PidAvailableSource pid_source = config::PidAvailableSource::kNode;
  eviction::MemoryRules memory;
  bool dry_run = false;
  /// Of these the pass gets those that are known from the configuration; the rest is BrakeState's.
  std::size_t max_evictions_per_minute = 0;
  eviction::GrowthLimits growth;
  /// Counts the configurations of this run from 0, so that a pass can be told by which it decided.
  std::uint64_t generation = 0;
  /// How long a disk eviction waits for a new measurement of the pods.
  Duration usage_wait{0};
  /// By Collector: how long its command may take; 0 without one.
  std::array<Duration, 2> collector_time{};
};

}  // namespace evictd::daemon
