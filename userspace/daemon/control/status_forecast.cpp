// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_forecast.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "daemon/records/duration_numbers.h"
#include "eviction/forecast.h"
#include "eviction/observation.h"
#include "export/eviction_record.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// The node's memory. The rows lack what only files have, which rarely changes, so that is the last
/// pass's.
std::optional<eviction::Observation> newest_memory(const ForecastSources& sources) {
  const PassCopy& pass = *sources.last_pass;
  const std::optional<eviction::Observation>& seen =
      pass.observations[eviction::Signal::kMemoryAvailable];
  const NodeUsage row = sources.table->node();
  if (!seen || !pass.memory.follow_working_set() || row.usage.value < 0) {
    return seen;
  }
  NodeUsage node = pass.node;
  node.usage = row.usage;
  node.inactive_file = row.inactive_file;
  node.read_at = row.read_at;
  std::optional<eviction::Observation> newest = eviction::observe_memory(node, pass.memory);
  if (newest) {
    // The pass's rate is that of moments, for the grace: it misses a leak in bursts.
    newest->rate = sources.growth == nullptr ? std::nullopt : sources.growth->per_second(row);
  }
  return newest;
}

std::optional<eviction::Observation> newest_allocatable(const PassCopy& pass,
                                                        const probe::UsageTable& table) {
  const CgroupUsage row = table.row(kPodRootSlot);
  if (!row.has_memory()) {
    return pass.observations[eviction::Signal::kAllocatableMemoryAvailable];
  }
  std::optional<eviction::Observation> newest = eviction::observe_allocatable_memory(row);
  if (newest) {
    newest->rate = std::max<std::int64_t>(0, row.growth_per_second());
  }
  return newest;
}

std::optional<eviction::Observation> newest_disk(
    const std::vector<disk::FilesystemReport>& filesystems, eviction::Signal signal) {
  const std::optional<disk::Role> role = disk::role_of(signal);
  for (const disk::FilesystemReport& one : filesystems) {
    const std::optional<disk::FilesystemReading>& reading = one.sampler.reading;
    if (!role || one.stale || !reading ||
        std::find(one.roles.begin(), one.roles.end(), *role) == one.roles.end()) {
      continue;
    }
    const bool inodes = disk::counts_inodes(signal);
    if (inodes && reading->inodes == 0) {
      return std::nullopt;  // Made on demand; the pass does not observe them either.
    }
    eviction::Observation seen{
        .available = inodes ? reading->inodes_free : reading->available_bytes,
        .capacity = inodes ? reading->inodes : reading->capacity_bytes,
        .time = reading->read_at};
    seen.rate =
        std::max<std::int64_t>(0, inodes ? reading->inodes_per_second : reading->bytes_per_second);
    return seen;
  }
  return std::nullopt;
}

std::optional<eviction::Observation> newest_of(const ForecastSources& sources,
                                               eviction::Signal signal) {
  if (sources.last_pass == nullptr) {
    return std::nullopt;
  }
  if (eviction::is_disk(signal)) {
    return newest_disk(sources.filesystems, signal);
  }
  if (sources.table != nullptr && signal == eviction::Signal::kMemoryAvailable) {
    return newest_memory(sources);
  }
  if (sources.table != nullptr && signal == eviction::Signal::kAllocatableMemoryAvailable) {
    return newest_allocatable(*sources.last_pass, *sources.table);
  }
  return sources.last_pass->observations[signal];
}

/// 0 only for a threshold that the reading itself meets, however old it is.
std::int64_t left_of(Duration time, Duration age) {
  return time == Duration{0} ? 0
                             : to_ms(std::max<Duration>(time - age, std::chrono::milliseconds(1)));
}

}  // namespace

nlohmann::ordered_json forecast_json(const ForecastSources& sources,
                                     const eviction::ThresholdTable& thresholds, std::size_t place,
                                     MonoTime now) {
  const eviction::Signal signal = thresholds[place].signal;
  const std::optional<eviction::Observation> seen = newest_of(sources, signal);
  if (!seen || !seen->rate || !seen->time) {
    return nullptr;
  }
  const Duration age = std::max(now - *seen->time, Duration{0});
  const std::optional<Duration> time = eviction::time_to_threshold(
      *seen, thresholds.limit(place, seen->capacity, eviction::MinReclaim::kIgnored));
  return {{"available", seen->available},
          {"age_ms", to_ms(age)},
          {"rate", *seen->rate},
          {"time_to_threshold_ms", time ? Json(left_of(*time, age)) : Json(nullptr)},
          {"because_of", exporting::to_json(because_of(sources.pods, signal, *seen->rate))}};
}

}  // namespace evictd::daemon
