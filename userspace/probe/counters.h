// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "evictd/time.h"

namespace evictd::probe {

/// Names of the record kinds, in the order of the arrays below.
enum class EventKind : std::uint8_t { kThreshold, kStall, kCgroup, kOomKill, kApproach };
constexpr std::size_t kEventKinds = 5;

/// Cost of one program; times are 0 unless kernel.bpf_stats_enabled is set.
struct ProgramCounters {
  std::string program;
  /// The kernel's program id, as in bpftool.
  std::uint32_t id = 0;
  std::uint64_t runs = 0;
  Duration run_time{0};
  /// Runs that the kernel skipped because the program was already running on that CPU.
  std::uint64_t recursion_misses = 0;
};

/// Counters since load(). Per kind, `emitted == delivered + dropped` once drain() finds no more
/// records.
struct Counters {
  std::array<std::uint64_t, kEventKinds> emitted{};
  std::array<std::uint64_t, kEventKinds> delivered{};
  /// Lost to a full ring, or dropped by drain() because of Options::drop_all_events.
  std::array<std::uint64_t, kEventKinds> dropped{};
  /// Records of unknown kind or wrong size: skipped.
  std::uint64_t malformed = 0;
  std::uint64_t ticks = 0;
  std::uint64_t fast_ticks = 0;
  std::uint64_t kicks = 0;
  /// Kicks refused because the budget of fast ticks was used up.
  std::uint64_t throttled = 0;
  std::uint64_t charges = 0;
  std::uint64_t forks = 0;
  /// Rows and watches cleared because their counter no longer belonged to their cgroup.
  std::uint64_t stale_rows = 0;
  /// Rows and watches cleared because the kernel was removing their counter: with its cgroup,
  /// before the hook reported it, or with the controller of a remaining cgroup.
  std::uint64_t dying_rows = 0;
  MonoTime last_tick{};

  [[nodiscard]] std::uint64_t dropped_total() const;
};

/// Result of one drain().
struct Drained {
  std::uint32_t delivered = 0;
  /// Records lost since the last drain(). Not 0: call resync().
  std::uint64_t newly_dropped = 0;
};

}  // namespace evictd::probe
