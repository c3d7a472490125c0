// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "evictd/time.h"
#include "eviction/brakes.h"
#include "eviction/manager.h"

namespace evictd::engine {

/// What the engine decides by. Replaced as a whole.
struct Configuration {
  explicit Configuration(eviction::EvictionManager prepared) : manager(std::move(prepared)) {}

  eviction::EvictionManager manager;
  bool dry_run = false;
  /// 0: as many as it takes.
  std::size_t max_evictions_per_minute = 0;
  eviction::GrowthLimits growth;
  /// Counts the configurations of this run from 0, so that a pass can be told by which it decided.
  std::uint64_t generation = 0;
  /// How long a disk eviction waits for a new measurement of the pods.
  Duration usage_wait{0};
  /// By Collector: how long its command may take; 0 without one.
  std::array<Duration, 2> collector_time{};
};

}  // namespace evictd::engine
