// SPDX-License-Identifier: Apache-2.0
// What a record tells of signals and thresholds.
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "daemon/records/record_builder.h"

namespace evictd::daemon {

namespace {

/// Pages per CPU by which the kernel's counters may be off. It charges memory in advance in stocks
/// of 64 pages, up to seven of them for an ancestor (6.18). It leaves up to 64 pages of statistics
/// unflushed when memory.stat is read.
constexpr std::int64_t kPagesPerCpu = 7 * 64 + 64;

std::int64_t memory_error_bound() {
  static const std::int64_t kBound =
      kPagesPerCpu * std::max(1L, sysconf(_SC_NPROCESSORS_CONF)) * sysconf(_SC_PAGESIZE);
  return kBound;
}

/// Counts of tasks, and statfs values, are exact when they are read.
std::int64_t error_bound_of(eviction::Signal signal, const PassCopy& copy) {
  const bool lazy = signal == eviction::Signal::kAllocatableMemoryAvailable;
  return eviction::is_memory(signal) ? memory_error_bound() + (lazy ? copy.lazy_error.value : 0)
                                     : 0;
}

UsageSource source_of(eviction::Signal signal, const PassCopy& copy) {
  switch (signal) {
    case eviction::Signal::kAllocatableMemoryAvailable:
      return copy.pod_root.source;
    case eviction::Signal::kMemoryAvailable:
      return copy.node.source;
    case eviction::Signal::kPidAvailable:
    case eviction::Signal::kContainerFsAvailable:
    case eviction::Signal::kContainerFsInodesFree:
    case eviction::Signal::kImageFsAvailable:
    case eviction::Signal::kImageFsInodesFree:
    case eviction::Signal::kNodeFsAvailable:
    case eviction::Signal::kNodeFsInodesFree:
    case eviction::Signal::kUnknown:
      break;
  }
  return UsageSource::kCgroupFiles;
}

std::int64_t narrow(eviction::Wide wide) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return wide > kMost ? kMost : wide < kLeast ? kLeast : static_cast<std::int64_t>(wide);
}

std::string_view how_it_stood(const eviction::Decision& decision, std::size_t place,
                              bool observed) {
  if (decision.threshold == place && decision.victim) {
    return "acted_on";
  }
  if (!decision.met.has(place)) {
    return observed ? "not_met" : "not_observed";
  }
  if (!decision.past_grace.has(place)) {
    return "in_grace";
  }
  return decision.actionable.has(place) ? "past_grace" : "stale";
}

}  // namespace

std::string_view name_of(UsageSource source) {
  return source == UsageSource::kBpfTable ? "bpf" : "files";
}

std::vector<exporting::RecordedThreshold> make_thresholds(
    const PassCopy& copy, const eviction::ThresholdTable& thresholds, MonoTime now) {
  std::vector<exporting::RecordedThreshold> recorded;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const eviction::Threshold& threshold = thresholds[i];
    if (threshold.op == eviction::ThresholdOperator::kNone) {
      continue;  // containerfs without a threshold to take over: never met
    }
    exporting::RecordedThreshold one;
    one.signal = eviction::to_string(threshold.signal);
    one.threshold = eviction::to_string(threshold.value);
    one.min_reclaim = threshold.min_reclaim ? eviction::to_string(*threshold.min_reclaim) : "";
    one.hardness = threshold.is_hard() ? "hard" : "soft";
    one.grace_period_ms =
        std::chrono::ceil<std::chrono::milliseconds>(threshold.grace_period).count();
    one.met = copy.decision.met.has(i);
    const auto& seen = copy.observations[threshold.signal];
    if (seen) {
      one.available = seen->available;
      one.capacity = seen->capacity;
      one.met_below = narrow(thresholds.limit(i, seen->capacity, eviction::MinReclaim::kIgnored));
    }
    one.stood = how_it_stood(copy.decision, i, seen.has_value());
    if (copy.state.first_observed[i] && one.met) {
      one.met_for_ms =
          std::chrono::duration_cast<std::chrono::milliseconds>(now - *copy.state.first_observed[i])
              .count();
    }
    recorded.push_back(std::move(one));
  }
  return recorded;
}

std::vector<exporting::RecordedObservation> make_observations(const PassCopy& copy, MonoTime now) {
  std::vector<exporting::RecordedObservation> recorded;
  for (const eviction::Signal signal : eviction::kSignals) {
    const std::optional<eviction::Observation>& seen = copy.observations[signal];
    if (!seen) {
      continue;
    }
    exporting::RecordedObservation one;
    one.signal = eviction::to_string(signal);
    one.available = seen->available;
    one.capacity = seen->capacity;
    if (seen->time) {
      const auto age = std::chrono::duration_cast<std::chrono::microseconds>(now - *seen->time);
      one.age_us = std::max<std::int64_t>(age.count(), 0);
    }
    one.source = name_of(source_of(signal, copy));
    one.error_bound = error_bound_of(signal, copy);
    one.kernel_available = seen->kernel_available;
    recorded.push_back(std::move(one));
  }
  return recorded;
}

}  // namespace evictd::daemon
