// SPDX-License-Identifier: Apache-2.0
// What the hot thread has others do about disks: it never asks a filesystem itself.
#include <algorithm>
#include <utility>

#include "daemon/hot_loop.h"

namespace evictd::daemon {

namespace {

bool meets_disk(const eviction::Decision& decision, const eviction::ThresholdTable& thresholds) {
  return std::any_of(decision.met.begin(), decision.met.end(), [&](std::size_t place) {
    return eviction::is_disk(thresholds[place].signal);
  });
}

/// When the first of the filesystems that a pod has to go for is full at the rate last seen.
std::optional<MonoTime> first_full_at(const eviction::Decision& decision,
                                      const eviction::ThresholdTable& thresholds,
                                      const disk::NewestReadings& filesystems) {
  std::optional<MonoTime> first;
  for (const std::size_t place : decision.met) {
    const eviction::Signal signal = thresholds[place].signal;
    const std::optional<disk::Role> role = disk::role_of(signal);
    const std::optional<MonoTime> full =
        role ? filesystems.full_at(*role, disk::counts_inodes(signal)) : std::nullopt;
    if (full && (!first || *full < *first)) {
      first = full;
    }
  }
  return first;
}

/// Whether no process of the victim is left for us to wait for.
bool is_dead(InFlightTable::Phase phase) {
  return phase == InFlightTable::Phase::kReleased || phase == InFlightTable::Phase::kInUseAgain ||
         phase == InFlightTable::Phase::kOver;
}

}  // namespace

void HotLoop::ask_for_fresh_disks(const eviction::Decision& decision) {
  if (options_.filesystems == nullptr) {
    return;
  }
  const NewerReadings::Roles to_ask =
      newer_readings_.to_ask(decision, config_->manager.thresholds());
  for (const disk::Role role : disk::kAllRoles) {
    if (to_ask.at(static_cast<std::size_t>(role))) {
      options_.filesystems->request_newer(role);
    }
  }
}

void HotLoop::prepare_disk_eviction(const eviction::Decision& decision, MonoTime now) {
  if (options_.filesystems == nullptr) {
    return;
  }
  if (decision.outcome == eviction::Outcome::kReclaimed ||
      !meets_disk(decision, config_->manager.thresholds())) {
    disk_work_.pressure_over();
  }
  if (decision.usage_awaited) {
    need_usage(now);
  }
  if (decision.outcome == eviction::Outcome::kReclaiming) {
    begin_reclaim(decision, now);
  }
  disk_work_.note_full_at(
      now, first_full_at(decision, config_->manager.thresholds(), *options_.filesystems));
  if (begun_ && decision.threshold &&
      eviction::is_disk(config_->manager.thresholds()[*decision.threshold].signal)) {
    disk_work_.victim_chosen();
  }
}

void HotLoop::need_usage(MonoTime now) {
  if (const auto round = disk_work_.need_usage(now, config_->usage_wait)) {
    send(MeasurePods{*round});
  }
}

void HotLoop::begin_reclaim(const eviction::Decision& decision, MonoTime now) {
  Duration commands{0};
  for (const eviction::Collector collector : decision.collectors) {
    commands += config_->collector_time[static_cast<std::size_t>(collector)];
  }
  // The bounds are those of the others; what is added is for a housekeeping that is behind.
  const Duration budget = commands + config_->usage_wait + std::chrono::seconds(2);
  if (const auto round = disk_work_.begin_reclaim(now, commands > Duration::zero(), budget)) {
    send(RunCollectors{.round = *round, .collectors = decision.collectors});
  }
  need_usage(now);
}

/// Goes on with the pass that waits for collectors once they, a measurement of the pods and a
/// reading of the filesystems are there, or their time is over.
void HotLoop::resume_if_due(MonoTime now) {
  if (!config_->manager.waits_for_collectors() || options_.filesystems == nullptr) {
    return;
  }
  switch (disk_work_.next_step(now, options_.filesystems->all_asked_at())) {
    case DiskWork::Step::kWait:
      return;
    case DiskWork::Step::kReadDisks:
      options_.filesystems->request();
      return;
    case DiskWork::Step::kResume:
      break;
  }
  // A pass that waits for a look at the pods goes first: what it is wanted for is not to be lost,
  // and its turn, which the answer or its deadline brings, is this one's too.
  if (wanted_ || !knows_pods(now)) {
    return;
  }
  disk_work_.end_reclaim();
  wanted_ = PassTrigger::kDisk;
  pass_at_ = now;
  resumed_ = true;
  count(options_.counters->passes[static_cast<std::size_t>(PassTrigger::kDisk)]);
  timeline_ = {};
  timeline_.wake_at = wake_at_;
  read(PassTrigger::kDisk, now);
  const eviction::Brakes in_force = brakes();
  if (options_.record_every_pass) {
    times_before_ = eviction_times_;
  }
  const eviction::Decision& decision =
      config_->manager.resume(now, input(eviction::Cadence::kEventOnly, in_force, now));
  timeline_.decide_at = options_.clock->now();
  begun_.reset();
  pass_again_ = false;
  note_held(decision);
  act(decision, now);
  // The pass that waited knows nothing of what passes in between have waited for since.
  if (!decision_deadline_ || *decision_deadline_ <= now ||
      (decision.next_deadline && *decision.next_deadline < *decision_deadline_)) {
    decision_deadline_ = decision.next_deadline;
  }
  prepare_disk_eviction(decision, now);
  report(decision);
  wanted_.reset();
  timeline_ = {};
  // A victim that was not there: a whole pass finds who goes instead. Enough reclaimed: the
  // thresholds still stand as they did before, and what is read from now on may wake nobody.
  if (std::exchange(pass_again_, false) || decision.outcome == eviction::Outcome::kReclaimed) {
    want_pass(PassTrigger::kRequest);
    run_wanted_pass();
  }
}

void HotLoop::evict_for_local_storage(const eviction::LocalStorageVictim& local,
                                      const eviction::Decision& decision, MonoTime now) {
  HotPod& victim = *pods_.at(readings_.slots()[local.pod]);
  const std::optional<enforce::SignalReport> begun =
      begin(victim,
            {.grace = decision.grace,
             .in_grace = InFlightTable::Phase::kHardGrace,
             .holds_disk = true,
             .for_own_limit = true,
             .usage = readings_.usages()[local.pod]},
            now);
  if (begun) {
    local_signalled_.push_back(local.pod);
    local_begun_.push_back(
        {.victim = &victim,
         .storage = storage_[victim.slot].get(),
         .signals = *begun,
         .breach = local.breach,
         .grace = decision.grace,
         .kill_due_at = kill_due_at_,
         .dry_run = dry_run(),
         .trigger = *wanted_,
         .timeline = timeline_,
         .config_generation = config_->generation,
         .pass_at = pass_at_,
         .evictions_last_minute = eviction_times_.within(eviction::kRateWindow, now)});
  }
}

/// After the pass itself, whose copy tells what else was seen then.
void HotLoop::tell_of_local_evictions() {
  for (LocalEvictionBegun& begun : local_begun_) {
    send(std::move(begun));
  }
  local_begun_.clear();
}

void HotLoop::handle(UseStorage& message) {
  if (message.slot >= storage_.size()) {
    return;
  }
  if (message.storage && message.storage->breaches) {
    want_pass(PassTrigger::kDisk);
  }
  std::swap(storage_[message.slot], message.storage);
  if (message.storage) {
    retired_storage_.push_back(std::move(message.storage));
  }
}

void HotLoop::handle(const VictimReleased& message) {
  // Of one that is still in its grace or dying, these are the files of an earlier victim.
  if (InFlightTable::Entry* entry = in_flight_.find(message.pod);
      entry != nullptr && is_dead(entry->phase)) {
    entry->disk_freed_at = options_.clock->now();
    clear_intent(message.pod);
  }
  if (options_.filesystems != nullptr) {
    options_.filesystems->request();
  }
  want_pass(PassTrigger::kRelease);
}

}  // namespace evictd::daemon
