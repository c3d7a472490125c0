// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "daemon/pass_copy.h"

namespace evictd::daemon {

/// What the hot thread did since it started. Written by it alone; any thread may read.
struct HotCounters {
  std::array<std::atomic<std::uint64_t>, kPassTriggers> passes{};
  /// Turns of the loop: shows housekeeping that the thread answers.
  std::atomic<std::uint64_t> heartbeat{0};
  std::atomic<std::uint64_t> evictions{0};
  /// Evictions that the actuator refused or that found nobody: see its own counters for why.
  std::atomic<std::uint64_t> not_begun{0};
  /// Evictions refused, those of an earlier evictd included, for want of room to wait for one more;
  /// one that is refused again in the passes that follow is counted once.
  std::atomic<std::uint64_t> too_many_under_way{0};
  /// Pods whose turn comes when an eviction under way ends, in the last pass.
  std::atomic<std::uint64_t> waiting_for_room{0};
  /// Tasks that released victims have left and nobody has reaped, in the last pass.
  std::atomic<std::int64_t> unreaped_tasks{0};
  /// Passes that left no copy because housekeeping was behind.
  std::atomic<std::uint64_t> uncopied_passes{0};
  /// Passes that went on with pods of which it was not known whether they are all, because
  /// housekeeping did not look in time.
  std::atomic<std::uint64_t> unscanned_passes{0};
  /// Messages that found the queue to housekeeping full.
  std::atomic<std::uint64_t> lost_messages{0};
  /// Kernel records lost so far, each loss followed by a resync.
  std::atomic<std::uint64_t> lost_records{0};
  std::atomic<std::uint64_t> resyncs{0};
  /// Times the thread looked at the ring without sleeping because a threshold was near.
  std::atomic<std::uint64_t> stand_bys{0};
  std::atomic<std::uint64_t> oom_kills{0};
  /// Evictions of an earlier evictd that were gone on with.
  std::atomic<std::uint64_t> adopted{0};
  /// Victims whose cgroup took no note of what is to become of them.
  std::atomic<std::uint64_t> intents_not_written{0};
  /// Passes that were held, by eviction::Reason.
  std::array<std::atomic<std::uint64_t>, eviction::kReasonCount> held{};
  /// SetWishes::generation of the wishes in force.
  std::atomic<std::uint64_t> wishes_applied{0};
  /// Whether passes read the files although there is a kernel side: its timer stands still.
  std::atomic<bool> polling{false};
};

/// Adds to one of them. Relaxed: they are read for show, each on its own.
inline void count(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
  counter.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace evictd::daemon
