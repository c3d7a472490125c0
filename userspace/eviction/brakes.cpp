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
/// Files that may be made between two looks at a small filesystem, which come seldom.
constexpr Wide kInodesSlack = 1'000'000;
/// Twice what all CPUs zero one by one, which together they do not reach.
constexpr std::int64_t kBeyondZeroing = 2;
/// Four devices with a PCIe 5.0 link of four lanes each, striped.
constexpr Bytes kBeyondDevices{64'000'000'000};
/// XFS counts as a free inode what would fit into free blocks: eight a block of 4 KiB.
constexpr Wide kInodesPerSecond = kBeyondDevices.value / 4096 * 8;
/// Of memory may be dirty by default (vm.dirty_ratio is 20 %), a little more than that.
constexpr std::int64_t kDirtyPart = 4;
/// A quarter of the capacity from one look to the next is worth a second look, which costs a
/// millisecond.
constexpr std::int64_t kSuspectPart = 4;

constexpr Wide kNanosPerSecond = 1'000'000'000;

/// How much may be used more after some time, in the unit of the signal.
struct Pace {
  /// 0: not judged.
  Wide per_second = 0;
  Wide slack = 0;
  bool by_capacity = false;
};

Pace pace_of(Signal signal, const GrowthLimits& limits) {
  switch (resource_of(signal)) {
    case Resource::kMemory:
      return {
          .per_second = limits.memory_per_second.value, .slack = kMemorySlack, .by_capacity = true};
    case Resource::kPids:
      return {.per_second = limits.tasks_per_second, .slack = kTasksSlack};
    case Resource::kEphemeralStorage:
      return {.per_second = limits.disk_per_second.value,
              .slack = limits.disk_ahead.value,
              .by_capacity = true};
    case Resource::kInodes:
      return {.per_second = limits.disk_per_second.value > 0 ? kInodesPerSecond : 0,
              .slack = kInodesSlack,
              .by_capacity = true};
    case Resource::kNone:
      return {};
  }
  return {};
}

bool counts(MonoTime begun, MonoTime now) {
  return now - begun < kRateWindow;
}

bool is_of_disk(Signal signal) {
  const Resource resource = resource_of(signal);
  return resource == Resource::kEphemeralStorage || resource == Resource::kInodes;
}

}  // namespace

GrowthLimits growth_limits_of(const Machine& machine) {
  GrowthLimits limits;
  limits.memory_per_second = Bytes{machine.zeroed_per_second.value * machine.cpus * kBeyondZeroing};
  limits.disk_per_second = kBeyondDevices;
  limits.disk_ahead = Bytes{machine.memory.value / kDirtyPart};
  limits.capacity_part = kSuspectPart;
  return limits;
}

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
  const Pace pace = pace_of(signal, limits);
  if (pace.per_second <= 0) {
    return Reason::kNone;
  }
  // Of a disk what is available, because the path may lead to another filesystem by now; else use:
  // a limit may be lowered by any amount at once.
  Wide grown = Wide{before.available} - seen.available;
  if (!is_of_disk(signal)) {
    grown += Wide{seen.capacity} - before.capacity;
  }
  const Wide elapsed = (*seen.time - *before.time).count();
  Wide most = pace.per_second * elapsed / kNanosPerSecond;
  if (pace.by_capacity && limits.capacity_part > 0) {
    most = std::min(most, Wide{seen.capacity} / limits.capacity_part);
  }
  return grown > pace.slack + most ? Reason::kUnexplainedJump : Reason::kNone;
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
