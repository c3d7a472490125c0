// SPDX-License-Identifier: Apache-2.0
#include "eviction/brakes.h"

#include <algorithm>

namespace evictd::eviction {
namespace {

/// What statistics may be behind by all at once: the kernel folds per-CPU parts of 125 pages of
/// three kinds, 190 MiB with 128 CPUs.
constexpr Wide kMemorySlack = (256_MiB).value;
/// Threads that one process may start between two passes without being suspect.
constexpr Wide kTasksSlack = 4096;

constexpr Wide kNanosPerSecond = 1'000'000'000;

bool counts(MonoTime begun, MonoTime now) {
  return now - begun < kRateWindow;
}

}  // namespace

std::optional<MonoTime> Pauses::until(Signal signal, MonoTime now) const {
  MonoTime end = all;
  if (signal != Signal::kUnknown) {
    end = std::max(end, by_signal[static_cast<std::size_t>(signal)]);
  }
  return end > now ? std::optional(end) : std::nullopt;
}

std::optional<MonoTime> Pauses::until(const Threshold& threshold, MonoTime now) const {
  const std::optional<MonoTime> own = until(threshold.signal, now);
  return threshold.derived_from ? std::max(own, until(*threshold.derived_from, now)) : own;
}

Reason doubt_about(const Observation& seen) {
  if (seen.capacity <= 0) {
    return Reason::kNoCapacity;
  }
  return seen.available > seen.capacity ? Reason::kAboveCapacity : Reason::kNone;
}

Reason doubt_about_jump(Signal signal, const Observation& seen, const Observation& before,
                        const GrowthLimits& limits) {
  if (!seen.time || !before.time || *seen.time < *before.time ||
      doubt_about(before) != Reason::kNone) {
    return Reason::kNone;
  }
  Wide rate = 0;
  Wide slack = 0;
  if (is_memory(signal)) {
    rate = limits.memory_per_second.value;
    slack = kMemorySlack;
  } else if (signal == Signal::kPidAvailable) {
    rate = limits.tasks_per_second;
    slack = kTasksSlack;
  }
  if (rate <= 0) {
    return Reason::kNone;
  }
  // Use, not what is available: a limit may be lowered by any amount at once.
  const Wide grown =
      (Wide{seen.capacity} - seen.available) - (Wide{before.capacity} - before.available);
  const Wide elapsed = (*seen.time - *before.time).count();
  return grown > slack + rate * elapsed / kNanosPerSecond ? Reason::kUnexplainedJump
                                                          : Reason::kNone;
}

Reason doubt_about_rest(Signal signal, const Observation& seen,
                        std::optional<MonoTime> unchanged_since, const Brakes& brakes,
                        MonoTime now) {
  const std::optional<MonoTime>& released_at = signal == Signal::kAllocatableMemoryAvailable
                                                   ? brakes.released_below_pod_root_at
                                                   : brakes.released_at;
  const bool should_have_moved =
      is_memory(signal) && seen.available > 0 && released_at && now - *released_at < kStuckWait;
  return should_have_moved && unchanged_since && *unchanged_since < *released_at
             ? Reason::kStatisticsStuck
             : Reason::kNone;
}

std::optional<std::size_t> evictions_left(const Brakes& brakes, MonoTime now) {
  if (brakes.max_evictions_per_minute == 0) {
    return std::nullopt;
  }
  const auto recent = static_cast<std::size_t>(std::count_if(
      brakes.recent.begin(), brakes.recent.end(), [&](MonoTime at) { return counts(at, now); }));
  return brakes.max_evictions_per_minute - std::min(recent, brakes.max_evictions_per_minute);
}

std::optional<MonoTime> next_allowance(const Brakes& brakes, MonoTime now) {
  const std::size_t most = brakes.max_evictions_per_minute;
  if (most == 0 || brakes.recent.size() < most) {
    return std::nullopt;
  }
  // Once this one no longer counts, one less than allowed is left.
  const MonoTime leaves = brakes.recent[brakes.recent.size() - most] + kRateWindow;
  return leaves > now ? std::optional(leaves) : std::nullopt;
}

}  // namespace evictd::eviction
