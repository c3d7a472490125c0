// SPDX-License-Identifier: Apache-2.0
// Disk work of other threads: they read filesystems, measure pods and run collectors.
#include <algorithm>

#include "engine/engine.h"

namespace evictd::engine {

namespace {

bool meets_disk(const eviction::Decision& decision, const eviction::ThresholdTable& thresholds) {
  return std::any_of(decision.met.begin(), decision.met.end(), [&](std::size_t place) {
    return eviction::is_disk(thresholds[place].signal);
  });
}

/// When the first filesystem that needs an eviction is full at its last rate.
std::optional<MonoTime> first_full_at(const eviction::Decision& decision,
                                      const eviction::ThresholdTable& thresholds,
                                      const ReadingsTaken& readings) {
  std::optional<MonoTime> first;
  for (const std::size_t place : decision.met) {
    const std::optional<MonoTime>& full =
        readings.full_at.at(static_cast<std::size_t>(thresholds[place].signal));
    if (full && (!first || *full < *first)) {
      first = full;
    }
  }
  return first;
}

}  // namespace

void Engine::take(const PodsMeasured& measured) {
  if (measured.under_way) {
    disk_work_.usage_partly_measured(measured.round);
  } else {
    disk_work_.usage_measured(measured.round, agenda_.turn_at());
  }
  newer_readings_.require_newer();
  want(PassTrigger::kDisk);
}

void Engine::take(const FilesReleased& released) {
  // If the pod is still in its grace period or dying, these are the files of an earlier victim.
  if (Victim* victim = victims_.find(released.pod); victim != nullptr && is_dead(victim->phase)) {
    victim->disk_freed_at = now_;
    order(ClearIntent{.pod = released.pod});
  }
  if (options_.has_filesystems) {
    order(AskFilesystem{});
  }
  want(PassTrigger::kRelease);
}

void Engine::ask_for_fresh_disks() {
  if (!options_.has_filesystems) {
    return;
  }
  const NewerReadings::Roles to_ask = newer_readings_.to_ask(decision(), thresholds());
  for (const eviction::FilesystemRole role : eviction::kAllFilesystemRoles) {
    if (to_ask.at(static_cast<std::size_t>(role))) {
      order(AskFilesystem{.role = role});
    }
  }
}

void Engine::prepare_disk_eviction() {
  if (!options_.has_filesystems) {
    return;
  }
  const eviction::Decision& decision = this->decision();
  if (decision.outcome == eviction::Outcome::kReclaimed || !meets_disk(decision, thresholds())) {
    disk_work_.pressure_over();
  }
  if (decision.usage_awaited) {
    need_usage();
  }
  if (decision.outcome == eviction::Outcome::kReclaiming) {
    begin_reclaim();
  }
  disk_work_.bound_by_full_at(pass_.at, first_full_at(decision, thresholds(), readings_));
  if (pass_.acted && decision.threshold &&
      eviction::is_disk(thresholds()[*decision.threshold].signal)) {
    disk_work_.victim_chosen();
  }
}

void Engine::need_usage() {
  if (const auto round = disk_work_.need_usage(pass_.at, configuration_->usage_wait)) {
    order(MeasurePods{.round = *round});
  }
}

void Engine::begin_reclaim() {
  Duration commands{0};
  for (const eviction::Collector collector : decision().collectors) {
    commands += configuration_->collector_time.at(static_cast<std::size_t>(collector));
  }
  // The bounds are those of the other threads, plus a margin for a main thread that is behind.
  const Duration budget = commands + configuration_->usage_wait + std::chrono::seconds(2);
  if (const auto round = disk_work_.begin_reclaim(pass_.at, commands > Duration::zero(), budget)) {
    order(RunCollectors{.round = *round, .collectors = decision().collectors});
  }
  need_usage();
}

}  // namespace evictd::engine
