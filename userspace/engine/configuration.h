// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "evictd/bytes.h"
#include "evictd/time.h"
#include "eviction/brakes.h"
#include "eviction/manager.h"

namespace evictd::engine {

/// Configuration of the engine. Replaced as a whole.
struct Configuration {
  explicit Configuration(eviction::EvictionManager prepared) : manager(std::move(prepared)) {}

  eviction::EvictionManager manager;
  bool dry_run = false;
  /// 0: no limit.
  std::size_t max_evictions_per_minute = 0;
  eviction::GrowthLimits growth;
  /// How far past a hard memory threshold the kernel side kills without a pass; unset: never.
  std::optional<Bytes> backstop_margin{};
  /// Whether the growth of a victim of memory is throttled in its grace period.
  bool bridge_grace = false;
  /// Counts the configurations of this run from 0, so that a pass can name the one it used.
  std::uint64_t generation = 0;
  /// How long a disk eviction waits for a new measurement of the pods.
  Duration usage_wait{0};
  /// By Collector: timeout of its command; 0 without a command.
  std::array<Duration, 2> collector_time{};
};

}  // namespace evictd::engine
