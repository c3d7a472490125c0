// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/watch_points.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "eviction/watch_point.h"

namespace evictd::daemon {

namespace {

/// A hold ends when a further quarter of the threshold is used, wherever it began: eighths notice
/// that at most an eighth late. If less was left, it ends when half of that is: these levels notice
/// it.
constexpr std::int64_t kStepsOfThreshold = 8;
constexpr std::array<std::int64_t, 2> kPartsOfLastStep = {2, 4};

/// Ids of one threshold's levels: its index, then the level.
constexpr std::uint64_t kIdsPerThreshold = 16;

struct Watched {
  probe::WatchedThreshold level;
  std::int64_t capacity = -1;
  /// Capacity minus available minus the watched value; may be negative.
  std::int64_t shift = 0;
  /// Possible error of the shift.
  std::int64_t slack = 0;
};

Watched node_memory_level(Watched watched, const NodeMemory& memory) {
  watched.level.signal = memory.signal;
  watched.capacity = memory.capacity.value;
  watched.shift = memory.capacity.value - memory.sum.value;
  watched.slack = memory.slack.value;
  return watched;
}

/// What `signal` watches, without a level; nullopt if no kernel counter shows it.
std::optional<Watched> watched_by(eviction::Signal signal, const WatchPointOptions& options) {
  Watched watched;
  watched.level.hysteresis = static_cast<std::uint64_t>(options.hysteresis.memory.value);
  switch (signal) {
    case eviction::Signal::kMemoryAvailable:
      return node_memory_level(watched, options.capacities.node_memory);
    case eviction::Signal::kAllocatableMemoryAvailable:
      watched.level.signal = probe::Signal::kCgroupWorkingSet;
      watched.level.cgroup = options.root.memory;
      watched.level.cgroup_fd = options.root.memory_fd;
      watched.capacity = options.capacities.pod_root_memory.value;
      return watched;
    case eviction::Signal::kPidAvailable:
      watched.level.hysteresis = static_cast<std::uint64_t>(options.hysteresis.tasks);
      if (options.pid_source == config::PidAvailableSource::kNode) {
        watched.level.signal = probe::Signal::kNodeTasks;
        watched.capacity = options.capacities.node_tasks;
      } else {
        watched.level.signal = probe::Signal::kCgroupTasks;
        watched.level.cgroup = options.root.pids;
        watched.level.cgroup_fd = options.root.pids_fd;
        watched.capacity = options.capacities.pod_root_tasks;
      }
      return watched;
    case eviction::Signal::kContainerFsAvailable:
    case eviction::Signal::kContainerFsInodesFree:
    case eviction::Signal::kImageFsAvailable:
    case eviction::Signal::kImageFsInodesFree:
    case eviction::Signal::kNodeFsAvailable:
    case eviction::Signal::kNodeFsInodesFree:
    case eviction::Signal::kUnknown:
      return std::nullopt;
  }
  return std::nullopt;
}

bool is_of_node(probe::Signal signal) {
  return signal == probe::Signal::kNodeWorkingSet || signal == probe::Signal::kNodeTaken ||
         signal == probe::Signal::kNodeTasks;
}

/// Levels of usage for one threshold, without duplicates. A level of 0 tasks or bytes is always
/// met, so watching it is useless.
std::set<std::int64_t> levels_of(const eviction::Threshold& threshold, const Watched& watched,
                                 const eviction::HardFloor& floor) {
  std::set<std::int64_t> levels;
  const std::int64_t capacity = watched.capacity;
  const std::optional<std::int64_t> met = eviction::use_at_crossing(threshold, capacity);
  if (!met) {
    return levels;
  }
  levels.insert({*met - 1 - watched.slack, *met - 1, *met - 1 + watched.slack});
  if (threshold.is_hard()) {
    // Met below `amount`, so its levels are reported once less than that is available.
    const std::int64_t amount = capacity - *met + 1;
    for (std::int64_t step = 1; step < kStepsOfThreshold; ++step) {
      levels.insert(capacity - amount / kStepsOfThreshold * step);
    }
    for (const std::int64_t part : kPartsOfLastStep) {
      levels.insert(capacity - amount / (kStepsOfThreshold * part));
    }
    levels.insert(capacity - floor.amount.value_or(static_cast<std::int64_t>(
                                 static_cast<double>(amount) * floor.percent_of_threshold / 100)));
  }
  levels.erase(levels.begin(), levels.lower_bound(0));
  return levels;
}

}  // namespace

std::size_t threshold_of(std::uint64_t watched_id) {
  return static_cast<std::size_t>(watched_id / kIdsPerThreshold);
}

namespace {

/// One level for all hard thresholds of memory.available, because the guard is the same for all.
std::optional<probe::WatchedThreshold> guard_point(
    const std::vector<eviction::Threshold>& thresholds, const WatchPointOptions& options) {
  for (std::size_t i = 0; options.guard && i < thresholds.size(); ++i) {
    if (thresholds[i].signal == eviction::Signal::kMemoryAvailable && thresholds[i].is_hard()) {
      probe::WatchedThreshold point;
      point.id = (i + 1) * kIdsPerThreshold - 1;
      point.signal = probe::Signal::kNodeReserve;
      point.value = static_cast<std::uint64_t>(probe::kNodeCeiling);
      point.hysteresis = static_cast<std::uint64_t>(options.hysteresis.memory.value);
      return point;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<probe::WatchedThreshold> watch_points(
    const std::vector<eviction::Threshold>& thresholds, const WatchPointOptions& options) {
  std::vector<probe::WatchedThreshold> points;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const std::optional<Watched> watched = watched_by(thresholds[i].signal, options);
    if (!watched || watched->capacity < 0) {
      continue;
    }
    if (!is_of_node(watched->level.signal) && !watched->level.cgroup) {
      continue;
    }
    std::uint64_t id = i * kIdsPerThreshold;
    for (const std::int64_t level : levels_of(thresholds[i], *watched, options.floor)) {
      probe::WatchedThreshold point = watched->level;
      point.id = id++;
      point.value = static_cast<std::uint64_t>(std::max<std::int64_t>(0, level - watched->shift));
      points.push_back(point);
    }
  }
  if (const std::optional<probe::WatchedThreshold> guard = guard_point(thresholds, options)) {
    points.push_back(*guard);
  }
  return points;
}

}  // namespace evictd::daemon
