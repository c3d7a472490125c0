// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/looks.h"

#include <algorithm>

#include "daemon/shared/node_memory.h"
#include "daemon/shared/watcher.h"
#include "eviction/forecast.h"
#include "poll/growth.h"

namespace evictd::daemon {

namespace {

bool is_polled(eviction::Signal signal) {
  return eviction::is_memory(signal) || signal == eviction::Signal::kPidAvailable;
}

/// Growth of usage, in the unit of the signal a second; a change of capacity is no growth.
std::int64_t growth_of(const std::optional<eviction::Observation>& before,
                       const eviction::Observation& now) {
  if (!before || !before->time || !now.time) {
    return 0;
  }
  return poll::growth_per_second(before->capacity - before->available, *before->time,
                                 now.capacity - now.available, *now.time);
}

}  // namespace

Looks::Looks(const probe::Ladder* ladder, const HotConfig& config)
    : ladder_(ladder),
      has_timer_(ladder != nullptr && !ladder->chosen(probe::Purpose::kSweepTimer).empty()) {
  use(config);
}

void Looks::use(const HotConfig& config) {
  polled_ = {};
  if (ladder_ != nullptr) {
    watches_memory_ = memory_watcher(*ladder_, config.memory) == Watcher::kKernel;
    watches_tasks_ = task_watcher(*ladder_, config.pid_source) == Watcher::kKernel;
  }
}

bool Looks::kernel_watches(eviction::Signal signal, const Readings& readings) const {
  if (source() != ReadingSource::kTable) {
    return false;
  }
  if (signal == eviction::Signal::kMemoryAvailable) {
    return watches_memory_ && readings.node().source == UsageSource::kBpfTable;
  }
  if (signal == eviction::Signal::kPidAvailable) {
    return watches_tasks_;
  }
  // Without its timer the kernel side sees neither the last steps of a batch nor a recovery.
  return has_timer_;
}

Duration Looks::next(const HotConfig& config, const Readings& readings) const {
  Duration interval = config.interval.longest;
  poll::IntervalOptions options = config.interval;
  if (ladder_ != nullptr) {
    // What the kernel side does not watch is polled more often as it nears a threshold; everything
    // is, while its timer stalls.
    options.mode = poll::IntervalMode::kAdaptive;
  }
  const eviction::ThresholdTable& thresholds = config.manager.thresholds();
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const eviction::Signal signal = thresholds[i].signal;
    const auto& seen = readings.observations()[signal];
    if (!is_polled(signal) || !seen || kernel_watches(signal, readings)) {
      continue;
    }
    const auto limit = static_cast<std::int64_t>(
        thresholds.limit(i, seen->capacity, eviction::MinReclaim::kIgnored));
    const std::int64_t distance = seen->available - limit;
    const std::int64_t growth = growth_of(polled_[signal], *seen);
    const std::int64_t pods = readings.pod_root().rate_bytes_per_second;
    const Duration next =
        eviction::is_memory(signal)
            ? poll::next_interval(
                  options, {.distance = Bytes{distance}, .rate = Bytes{std::max(growth, pods)}})
            : poll::next_interval(options,
                                  poll::TaskApproach{.distance = distance, .rate = growth});
    interval = std::min(interval, next);
  }
  const auto& memory = readings.observations()[eviction::Signal::kMemoryAvailable];
  // Without the timer the kernel side checks only when something is charged.
  const bool pushed = readings.reserve_is_pushed() && has_timer_;
  if (config.manager.has_guard() && memory && memory->reserve && !pushed) {
    const eviction::KernelReserve& reserve = *memory->reserve;
    const auto distance =
        static_cast<std::int64_t>(reserve.left - eviction::guard_distance(reserve));
    interval = std::min(interval, poll::next_interval(options, {.distance = Bytes{distance},
                                                                .rate = Bytes{reserve.rate}}));
  }
  return interval;
}

}  // namespace evictd::daemon
