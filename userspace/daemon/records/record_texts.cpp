// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/record_texts.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "eviction/message.h"

namespace evictd::daemon {

namespace {

/// Statistics of the victim's containers: their logs for disks, the last samples for memory. Texts
/// about other resources name none.
eviction::PodStatistics statistics_of_containers(eviction::Signal signal,
                                                 const RecordContext& context) {
  eviction::PodStatistics statistics;
  if (eviction::is_disk(signal) && context.storage != nullptr) {
    return context.storage->statistics;
  }
  if (eviction::is_memory(signal)) {
    for (const ContainerSample& sample : context.containers) {
      statistics.containers.push_back(
          {.name = sample.name,
           .working_set_bytes = static_cast<std::uint64_t>(sample.working_set.value),
           .rootfs = std::nullopt,
           .logs = std::nullopt});
    }
  }
  return statistics;
}

std::vector<exporting::RecordedContainer> make_containers(
    const std::vector<ContainerSample>& samples, MonoTime now) {
  std::vector<exporting::RecordedContainer> recorded;
  for (const ContainerSample& sample : samples) {
    const auto age = std::chrono::duration_cast<std::chrono::microseconds>(now - sample.read_at);
    recorded.push_back({.name = sample.name,
                        .working_set_bytes = sample.working_set.value,
                        .age_us = std::max<std::int64_t>(age.count(), 0)});
  }
  return recorded;
}

/// The victim's statistics for the texts: its own sums, and what is known of its containers.
std::optional<eviction::PodStatistics> statistics_of(const PassCopy& copy, const HotPod& victim,
                                                     eviction::Signal signal,
                                                     const RecordContext& context) {
  for (const PassCopy::PodCopy& pod : copy.pods) {
    if (pod.pod == &victim && pod.usage.has_memory()) {
      eviction::PodStatistics statistics = statistics_of_containers(signal, context);
      statistics.working_set_bytes = static_cast<std::uint64_t>(pod.usage.working_set().value);
      statistics.process_count =
          static_cast<std::uint64_t>(std::max<std::int64_t>(pod.usage.tasks, 0));
      return statistics;
    }
  }
  return std::nullopt;
}

}  // namespace

void add_texts(exporting::EvictionRecord& record, const PassDone& done, std::size_t place,
               const RecordContext& context) {
  const eviction::Signal signal = context.thresholds[place].signal;
  const std::optional<eviction::PodStatistics> statistics =
      statistics_of(*done.copy, *done.begun->victim, signal, context);
  const eviction::EvictionText text =
      eviction::eviction_text({.resource = eviction::resource_of(signal),
                               .pod = context.victim->pod,
                               .statistics = statistics ? &*statistics : nullptr,
                               .thresholds = context.thresholds,
                               .actionable = done.copy->decision.actionable,
                               .observations = done.copy->observations},
                              context.compat);
  record.message = text.message;
  record.annotations = text.annotations;
  if (statistics && eviction::is_memory(signal)) {
    record.containers = make_containers(context.containers, done.timeline.observe_at);
  }
}

std::string_view reason_text(eviction::PassOver rule) {
  switch (rule) {
    case eviction::PassOver::kNone:
      return "chosen: first in the ranking of pods that may be evicted";
    case eviction::PassOver::kStatic:
      return "protected: static pod";
    case eviction::PassOver::kMirror:
      return "protected: mirror pod";
    case eviction::PassOver::kCritical:
      return "protected: critical priority";
    case eviction::PassOver::kNeverEvict:
      return "protected: neverEvict names its namespace or a label";
    case eviction::PassOver::kUnknown:
      return "protected: no source of pods knows this cgroup";
    case eviction::PassOver::kNotReadYet:
      return "waited for: its statistics were not read yet";
    case eviction::PassOver::kKilled:
      return "already evicted";
    case eviction::PassOver::kRefused:
      return "its eviction failed: evictd tries again with the next regular pass";
    case eviction::PassOver::kOutsidePodRoot:
      return "outside the pods' cgroup: its end would free nothing of that cgroup's own limit";
    case eviction::PassOver::kSpared:
      return "spared: a dead pod still holds the missing memory";
    case eviction::PassOver::kRanksLater:
      return "ranks later";
  }
  return "";
}

void add_victim_event(exporting::EvictionRecord& record, bool node_pressure) {
  record.events.push_back(
      {.on = "pod", .reason = std::string(eviction::kEvictedReason), .message = record.message});
  if (node_pressure) {
    record.pod_conditions.push_back({.type = std::string(eviction::kDisruptionTarget),
                                     .reason = std::string(eviction::kDisruptionReason),
                                     .message = record.message});
  }
}

void add_threshold_event(exporting::EvictionRecord& record, const PassDone& done, std::size_t place,
                         const RecordContext& context) {
  const eviction::Decision& decision = done.copy->decision;
  // One pass of a kubelet runs the collectors and then continues. So it has reported before them,
  // in that record if there was one. A kubelet never holds a pass back: the report of a held pass
  // is in the record of the pass that resumes it.
  const bool told = done.copy->resumed && context.threshold_told;
  if (told || decision.outcome == eviction::Outcome::kHeld) {
    return;
  }
  const eviction::Signal signal = context.thresholds[place].signal;
  if (decision.threshold && decision.met.has(*decision.threshold)) {
    record.events.push_back(
        {.on = "node",
         .reason = std::string(eviction::kThresholdMetReason),
         .message = eviction::threshold_met_text(eviction::resource_of(signal))});
  }
}

std::string step_text(const EvictionStep& step) {
  if (step.dry_run) {
    return step.progress.not_killed.empty()
               ? std::string()
               : "the grace of a pod named by a dry run is over and " +
                     exporting::not_killed_in_dry_run_text(step.progress.not_killed) +
                     ", continuing without waiting for it";
  }
  switch (step.progress.state) {
    case enforce::EvictionState::kTerminating:
    case enforce::EvictionState::kKilled:
      return {};
    case enforce::EvictionState::kExceededGrace:
      if (!step.progress.not_killed.empty()) {
        return "the grace of an evicted pod is over and " +
               exporting::not_killed_text(step.progress.not_killed) +
               ", continuing without waiting for it";
      }
      return std::string(eviction::kExceededGraceReason) +
             ": an evicted pod is not gone in time, continuing without waiting for it";
    case enforce::EvictionState::kReleased:
      return "evicted pod is gone";
  }
  return {};
}

}  // namespace evictd::daemon
