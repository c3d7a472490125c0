// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "daemon/shared/pass_copy.h"
#include "engine/backstop.h"

namespace evictd::daemon {

/// Counters of the hot thread since its start. Only it writes them; any thread may read.
struct HotCounters {
  std::array<std::atomic<std::uint64_t>, kPassTriggers> passes{};
  /// Turns of the loop: shows housekeeping that the thread answers.
  std::atomic<std::uint64_t> heartbeat{0};
  std::atomic<std::uint64_t> evictions{0};
  /// Evictions that the actuator refused or that found no process; its own counters say why.
  std::atomic<std::uint64_t> not_begun{0};
  /// Evictions, an earlier evictd's included, refused because too many were in progress. One that
  /// later passes refuse again is counted once.
  std::atomic<std::uint64_t> too_many_under_way{0};
  /// Pods that wait for an eviction in progress to end, in the last pass.
  std::atomic<std::uint64_t> waiting_for_room{0};
  /// Unreaped dead tasks of released victims, in the last pass.
  std::atomic<std::int64_t> unreaped_tasks{0};
  /// Passes without a copy because housekeeping was behind.
  std::atomic<std::uint64_t> uncopied_passes{0};
  /// Passes with a possibly incomplete pod list, because housekeeping did not scan in time.
  std::atomic<std::uint64_t> unscanned_passes{0};
  /// Messages that found the queue to housekeeping full.
  std::atomic<std::uint64_t> lost_messages{0};
  /// Kernel records lost so far; a resync follows each loss.
  std::atomic<std::uint64_t> lost_records{0};
  std::atomic<std::uint64_t> resyncs{0};
  /// Times the thread polled the ring without sleeping because a threshold was near.
  std::atomic<std::uint64_t> stand_bys{0};
  std::atomic<std::uint64_t> oom_kills{0};
  /// Evictions of an earlier evictd that were resumed.
  std::atomic<std::uint64_t> adopted{0};
  /// Victims whose intent could not be written to their cgroup.
  std::atomic<std::uint64_t> intents_not_written{0};
  /// Rehearsals that gave the kernel side no plan, by engine::NoBackstop.
  std::array<std::atomic<std::uint64_t>, engine::kNoBackstops> backstops_refused{};
  /// Held passes, by eviction::Reason.
  std::array<std::atomic<std::uint64_t>, eviction::kReasonCount> held{};
  /// SetWishes::generation of the wishes in force.
  std::atomic<std::uint64_t> wishes_applied{0};
  /// Whether passes read files despite a kernel side, because its timer stalls.
  std::atomic<bool> polling{false};
};

/// Adds to a counter. Relaxed: readers display each counter on its own.
inline void count(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
  counter.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace evictd::daemon
