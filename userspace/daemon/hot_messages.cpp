// SPDX-License-Identifier: Apache-2.0
// What the hot thread hears and says: messages, kernel events, steps of evictions.
#include <algorithm>
#include <span>
#include <string_view>

#include "daemon/hot_loop.h"
#include "daemon/realtime.h"
#include "daemon/watch_points.h"

namespace evictd::daemon {

namespace {

template <typename T>
void copy_text(std::string_view text, T& into) {
  std::copy_n(text.begin(), std::min(text.size(), into.size()), into.begin());
}

bool may_be_evicted_in(cluster::PodState state, const HotPod* pod) {
  return pod != nullptr && pod->state == state &&
         pod->protection_now() == enforce::Protection::kNone && pod->target != nullptr;
}

bool may_be_evicted(const HotPod* pod) {
  return may_be_evicted_in(cluster::PodState::kActive, pod);
}

/// What is over is over until housekeeping has had a new look at the pod, which is now. Not where
/// there still is no target: it would be refused once more at each look.
void note_new_look(const HotPod& known, const HotPod& newer, MonoTime now, InFlightTable& in_flight,
                   RefusedPods& refused) {
  if (known.state == cluster::PodState::kEmpty && newer.state == cluster::PodState::kActive) {
    in_flight.note_populated(known.memory_id, now);
  }
  const bool is_new =
      known.target != nullptr || newer.target != nullptr || known.memory_id != newer.memory_id;
  if (is_new) {
    refused.forget(known);
  }
  const InFlightTable::Entry* entry = in_flight.find(known.memory_id);
  if (entry == nullptr) {
    return;
  }
  const bool owes =
      entry->left != InFlightTable::Left::kNothingSeen && newer.state != cluster::PodState::kActive;
  if ((entry->phase == InFlightTable::Phase::kOver && is_new && !owes) ||
      (entry->observed_only && newer.state == cluster::PodState::kEmpty)) {
    in_flight.remove(known.memory_id);
  }
}

/// Of a victim that is let live at the end of its grace.
bool is_spared(const enforce::Progress& step) {
  return step.state == enforce::EvictionState::kExceededGrace && !step.not_killed.empty();
}

}  // namespace

void HotLoop::take_messages() {
  while (std::optional<ToHot> message = options_.inbox->queue.pop()) {
    if (auto* place = std::get_if<PlacePod>(&*message)) {
      handle(*place);
    } else if (auto* use = std::get_if<UseConfig>(&*message)) {
      handle(*use);
    } else if (auto* roots = std::get_if<UseRoots>(&*message)) {
      options_.actuator->use_roots(roots->ids);
      send(RetireRoots{std::move(roots->ids)});
    } else if (auto* files = std::get_if<UsePodRootFiles>(&*message)) {
      readings_.swap_pod_root_files(*files->files);
      retired_pod_root_files_.push_back(std::move(files->files));
    } else if (std::holds_alternative<RunPass>(*message)) {
      want_pass(PassTrigger::kRequest);
    } else if (std::holds_alternative<Resync>(*message)) {
      if (options_.events != nullptr && options_.events->resync()) {
        count(options_.counters->resyncs);
      }
    } else if (const auto* set = std::get_if<SetPolling>(&*message)) {
      polling_ = set->polling;
      options_.counters->polling.store(polling_, std::memory_order_relaxed);
      next_regular_ = wake_at_;
    } else if (const auto* wishes = std::get_if<SetWishes>(&*message)) {
      handle(*wishes);
    } else if (const auto* adopt = std::get_if<AdoptEviction>(&*message)) {
      handle(*adopt);
    } else if (auto* storage = std::get_if<UseStorage>(&*message)) {
      handle(*storage);
    } else if (const auto* measured = std::get_if<PodsMeasured>(&*message)) {
      handle(*measured);
    } else if (const auto* collected = std::get_if<CollectorsDone>(&*message)) {
      disk_work_.collectors_done(collected->round);
    } else if (const auto* released = std::get_if<VictimReleased>(&*message)) {
      handle(*released);
    } else if (const auto* scanned = std::get_if<PodsScanned>(&*message)) {
      pod_scans_.answered(scanned->round, wake_at_);
    } else if (auto* lend = std::get_if<LendPassCopy>(&*message)) {
      take_back(std::move(lend->copy));
    }
  }
  flush_retired();
}

void HotLoop::handle(const PodsMeasured& message) {
  if (message.under_way) {
    disk_work_.usage_partly_measured(message.round);
  } else {
    disk_work_.usage_measured(message.round, wake_at_);
  }
  newer_readings_.note_cause();
  want_pass(PassTrigger::kDisk);
}

void HotLoop::handle(PlacePod& message) {
  HotPod* newer = message.pod.get();
  if (newer != nullptr && newer->target != nullptr) {
    // Both: an eviction outlives a change of dryRun.
    for (enforce::Actuator* one : {options_.actuator, options_.dry_run_actuator}) {
      one->replace(*newer->target);
    }
  }
  const HotPod* const known = pods_.at(message.slot);
  if (nobody_to_evict_ && may_be_evicted(newer) && !may_be_evicted(known)) {
    want_pass(PassTrigger::kRequest);  // Whoever is found last must not be spared for an interval.
  }
  if (known != nullptr) {
    if (newer == nullptr) {
      if (const auto* gone = in_flight_.find(known->memory_id); gone != nullptr && gone->dry_run) {
        options_.dry_run_actuator->end_pretended(gone->ticket, wake_at_);
      } else if (gone != nullptr && gone->left != InFlightTable::Left::kNothingSeen) {
        want_pass(PassTrigger::kRelease);  // Whatever is left is charged to nobody's pod now.
      }
      in_flight_.note_cgroup_gone(known->memory_id, wake_at_);
      refused_.note_gone(*known);
    } else {
      note_new_look(*known, *newer, wake_at_, in_flight_, refused_);
    }
  }
  if (rehearsed_ != nullptr && rehearsed_->slot == message.slot) {
    end_rehearsal();
  }
  std::unique_ptr<HotPod> old = pods_.place(message.slot, std::move(message.pod));
  if (newer != nullptr && message.adoption) {
    handle(AdoptEviction{.pod = newer->memory_id, .adoption = *message.adoption});
  }
  if (old || newer == nullptr) {
    retired_.push_back({.slot = message.slot, .replaced = newer != nullptr, .pod = std::move(old)});
  }
}

void HotLoop::handle(UseConfig& message) {
  message.config->manager.inherit(config_->manager);
  std::swap(config_, message.config);
  crossings_.clear();
  if (options_.record_every_pass) {
    unrecorded_state_ = config_->manager.state();
    unrecorded_waiting_.reset();
  }
  polled_ = {};
  disk_work_.end_reclaim();
  if (!dry_run()) {
    end_dry_runs(DryRuns::kAll, wake_at_);
    eviction_times_.forget_dry_runs();
  }
  send(RetireConfig{std::move(message.config)});
  next_regular_ = wake_at_;
}

void HotLoop::drain_events() {
  events_ready_ = false;
  const probe::Drained drained = options_.events->drain(*this);
  if (drained.newly_dropped == 0) {
    return;
  }
  count(options_.counters->lost_records, drained.newly_dropped);
  pod_scans_.note_loss();
  if (options_.events->resync()) {
    count(options_.counters->resyncs);
  }
  want_pass(PassTrigger::kRequest);
  send(LossNotice{drained.newly_dropped});
}

void HotLoop::on_threshold(const probe::ThresholdCrossed& event) {
  if (event.direction == probe::Direction::kDown) {
    // What a victim freed may end a hold.
    if (!in_flight_.empty()) {
      want_pass(PassTrigger::kCrossing);
    }
    return;
  }
  crossings_.note(threshold_of(event.threshold_id), event.at);
  want_pass(PassTrigger::kCrossing);
}

void HotLoop::on_stall(const probe::StallRising& event) {
  want_pass(PassTrigger::kStall);
  send(StallNotice{event});
}

void HotLoop::on_cgroup(const probe::CgroupChanged& event) {
  if (event.change == probe::CgroupChange::kEmptied ||
      event.change == probe::CgroupChange::kRemoved) {
    options_.actuator->on_emptied(event.cgroup, wake_at_);
  } else if (event.change == probe::CgroupChange::kPopulated) {
    in_flight_.note_populated(event.cgroup, event.at);
    if (nobody_to_evict_ && may_be_evicted_in(cluster::PodState::kEmpty, find_pod(event.cgroup))) {
      want_pass(PassTrigger::kRequest);  // As for one that is placed; housekeeping may stand still.
    }
  }
  CgroupNotice notice{.event = event};
  copy_text(event.path, notice.path);
  ToHousekeeping message(notice);
  if (!offer(message)) {
    pod_scans_.note_loss();
  }
}

void HotLoop::on_oom_kill(const probe::OomKill& event) {
  count(options_.counters->oom_kills);
  OomNotice notice{.event = event};
  copy_text(event.comm, notice.comm);
  send(notice);
  want_pass(PassTrigger::kRequest);
}

void HotLoop::on_approach(const probe::Approach& event) {
  want_pass(PassTrigger::kApproach);
  approached_ = event.cgroup == CgroupId{} ? eviction::Scope::kNode : eviction::Scope::kPodRoot;
  if (options_.may_stand_by == nullptr || !options_.may_stand_by->load(std::memory_order_relaxed) ||
      realtime_overrun_holds()) {
    return;
  }
  cpu_avoidance_.expect_on(event.cpu);
  const std::uint64_t away_us = event.distance / std::max<std::uint64_t>(event.rate / 1'000'000, 1);
  // Not from the start of the turn: a hint that comes during a stand-by prolongs it.
  stand_by_.begin(options_.clock->now(),
                  std::chrono::microseconds(std::min<std::uint64_t>(away_us, 1'000'000)));
}

/// nullptr once its cgroup is gone.
const HotPod* HotLoop::find_pod(CgroupId memory_id) const {
  const std::span<const std::uint32_t> slots = pods_.ordered();
  const auto slot = std::find_if(slots.begin(), slots.end(), [&](std::uint32_t one) {
    return pods_.at(one)->memory_id == memory_id;
  });
  return slot == slots.end() ? nullptr : pods_.at(*slot);
}

void HotLoop::note_held_at_kill(InFlightTable::Entry& entry, const HotPod* pod) {
  if (pod != nullptr) {
    const CgroupUsage held = readings_.read_one(*pod, wake_at_);
    entry.usage = held.usage;
    entry.tasks = held.tasks;
  }
}

/// What goes on dying goes on being freed, and nobody has to go in its place. Whose SIGKILL came
/// only now has had no time for it yet.
void HotLoop::judge_if_due(InFlightTable::Entry& entry, const HotPod* pod) {
  const std::optional<MonoTime> due = InFlightTable::judgement_due(entry);
  if (!due || *due > wake_at_) {
    return;
  }
  entry.exceeded = false;
  const bool dying =
      pod != nullptr && InFlightTable::is_dying(entry, readings_.read_one(*pod, wake_at_));
  entry.phase = dying ? InFlightTable::Phase::kKilled : InFlightTable::Phase::kOver;
  want_pass(PassTrigger::kRelease);
}

void HotLoop::judge_exceeded() {
  for (InFlightTable::Entry& entry : in_flight_.entries()) {
    // Each turn comes here: pods are looked for only where it matters.
    if (const auto due = InFlightTable::judgement_due(entry); due && *due <= wake_at_) {
      judge_if_due(entry, find_pod(entry.pod));
    }
  }
}

/// `pod` is nullptr once its cgroup is gone.
void HotLoop::go_on(InFlightTable::Entry& entry, const enforce::Progress& step, const HotPod* pod) {
  switch (step.state) {
    case enforce::EvictionState::kTerminating:
      break;
    case enforce::EvictionState::kKilled:
      if (is_in_grace(entry.phase)) {
        note_held_at_kill(entry, pod);  // Else that was noted when it was told to kill.
      }
      entry.phase = InFlightTable::Phase::kKilled;
      entry.killed_at = step.at;
      break;
    case enforce::EvictionState::kExceededGrace:
      if (is_in_grace(entry.phase)) {
        clear_intent(step.pod);  // Refused at its end: not for the next evictd either.
      }
      if (entry.phase == InFlightTable::Phase::kKilled) {
        entry.exceeded = true;
        judge_if_due(entry, pod);
      } else {
        entry.phase = InFlightTable::Phase::kOver;
        want_pass(PassTrigger::kRelease);
      }
      break;
    case enforce::EvictionState::kReleased:
      if (is_in_grace(entry.phase)) {
        entry.killed_at = step.at;
      }
      entry.phase = InFlightTable::Phase::kReleased;
      entry.released_at = step.at;
      entry.leaves_memory = true;
      want_pass(PassTrigger::kRelease);
      break;
  }
}

void HotLoop::take_progress(enforce::Actuator& actuator) {
  const bool dry_run = &actuator == options_.dry_run_actuator;
  while (const std::optional<enforce::Progress> progress = actuator.take_progress()) {
    InFlightTable::Entry* entry = in_flight_.find(progress->pod);
    const HotPod* const pod = find_pod(progress->pod);
    // A dry run ends nobody: neither its own victim is freed, nor is a pod that is being evicted
    // for real since dryRun was switched off.
    if (entry != nullptr && !dry_run && !entry->dry_run) {
      go_on(*entry, *progress, pod);
    } else if (entry != nullptr && dry_run && entry->dry_run && is_spared(*progress)) {
      // Nor is it waited for in a real run. No intent is cleared: a dry run leaves none, and one on
      // this cgroup is for an evictd that ends pods.
      entry->phase = InFlightTable::Phase::kOver;
      want_pass(PassTrigger::kRelease);
    }
    EvictionStep step{
        .progress = *progress, .dry_run = dry_run, .counters = options_.actuator->counters()};
    if (pod != nullptr && pod->target) {
      step.usage = pod->target->usage().value_or(Bytes{-1});
      step.tasks = readings_.read_one(*pod, wake_at_).tasks;
    }
    if (entry != nullptr && !dry_run && progress->state == enforce::EvictionState::kReleased) {
      note_freed(*entry, step.usage, progress->at);
      if (!entry->holds_disk || entry->disk_freed_at) {
        clear_intent(progress->pod);
      }
    }
    send(step);
  }
}

void HotLoop::flush_retired() {
  auto unsent = retired_.begin();
  for (; unsent != retired_.end(); ++unsent) {
    ToHousekeeping message(std::move(*unsent));
    if (!options_.outbox->queue.push(std::move(message))) {
      *unsent = std::move(std::get<RetirePod>(message));
      break;
    }
  }
  if (unsent != retired_.begin()) {
    retired_.erase(retired_.begin(), unsent);
    options_.outbox->wake_up.signal();
  }
  while (!retired_storage_.empty()) {
    ToHousekeeping message(RetireStorage{std::move(retired_storage_.back())});
    if (!options_.outbox->queue.push(std::move(message))) {
      retired_storage_.back() = std::move(std::get<RetireStorage>(message).storage);
      break;
    }
    retired_storage_.pop_back();
  }
  flush_retired_files();
}

void HotLoop::flush_retired_files() {
  while (!retired_pod_root_files_.empty()) {
    ToHousekeeping message(RetirePodRootFiles{std::move(retired_pod_root_files_.back())});
    if (!options_.outbox->queue.push(std::move(message))) {
      retired_pod_root_files_.back() = std::move(std::get<RetirePodRootFiles>(message).files);
      break;
    }
    retired_pod_root_files_.pop_back();
    options_.outbox->wake_up.signal();
  }
}

bool HotLoop::offer(ToHousekeeping& message) {
  if (!options_.outbox->queue.push(std::move(message))) {
    count(options_.counters->lost_messages);
    ++unsent_;
    return false;
  }
  if (unsent_ != 0 && options_.outbox->queue.push(LossNotice{unsent_})) {
    unsent_ = 0;
  }
  options_.outbox->wake_up.signal();
  return true;
}

}  // namespace evictd::daemon
