// SPDX-License-Identifier: Apache-2.0
// What housekeeping does about each message of the hot thread.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "daemon/housekeeping.h"
#include "daemon/records/record_builder.h"
#include "daemon/records/record_texts.h"
#include "disk/places.h"
#include "export/json_time.h"
#include "sys/kernel_text.h"

namespace evictd::daemon {

namespace {

std::string_view text_of(const std::array<char, 384>& path) {
  return {path.data(), std::find(path.begin(), path.end(), '\0')};
}

/// The resources that a victim's eviction is for.
struct Wanted {
  bool disk = false;
  bool layers = false;
};

Wanted wanted_for(eviction::Signal signal, const eviction::DiskLayout& layout) {
  const std::optional<disk::Role> role = disk::role_of(signal);
  return {.disk = role.has_value(),
          .layers = role && *role != disk::Role::kNodeFs && layout.dedicated_image_fs};
}

StorageKeeping::EvictedPod evicted_pod(const HotPod& victim, const Wanted& wanted,
                                       MonoTime kill_due_at) {
  return {.pod = victim.memory_id,
          .uid = victim.uid,
          .below_pod_root = victim.below_pod_root,
          .for_disk = wanted.disk,
          .for_layers = wanted.layers,
          .killed_at = kill_due_at};
}

void log_step(base::Log& log, const exporting::EvictionRecord& record,
              const EvictionStep& message) {
  const std::string text = step_text(message);
  if (text.empty()) {
    return;
  }
  const std::string pod = record.ns + "/" + record.name;
  const auto id = static_cast<std::int64_t>(record.id);
  if (message.dry_run) {
    log.info(text, {{"pod", pod}, {"uid", record.uid}, {"id", id}});
  } else if (message.progress.state == enforce::EvictionState::kExceededGrace) {
    log.warn(text, {{"pod", pod}, {"uid", record.uid}, {"id", id}});
  } else {
    log.info(text, {{"pod", pod}, {"uid", record.uid}});
  }
}

/// The protection for which the pod was refused; empty if it was refused for another reason.
std::string_view protection_of(const EvictionRefused& refused) {
  const enforce::Protection protection = refused.victim->protection_now();
  return refused.code == Errc::kInvalid && protection != enforce::Protection::kNone
             ? enforce::to_string(protection)
             : std::string_view();
}

std::string_view reason_of(const EvictionRefused& refused) {
  const std::string_view protection = protection_of(refused);
  return protection.empty() ? to_string(refused.code) : protection;
}

/// The pod of an earlier evictd's eviction may have lost its manifest: its record has a name.
std::string name_of(const EvictionRefused& refused, const RecordStore& records) {
  const exporting::EvictionRecord* const told =
      refused.adopted ? records.newest_of(refused.victim->memory_id) : nullptr;
  return told == nullptr ? refused.victim->ns + "/" + refused.victim->name
                         : told->ns + "/" + told->name;
}

}  // namespace

void Housekeeping::handle(RetirePod& message) {
  if (!message.replaced) {
    options_.registry->retired(message.slot);
  }
  if (!message.pod) {
    return;
  }
  if (recorder_) {
    recorder_->forget(message.pod.get());
  }
  if (last_pass_) {
    std::erase_if(last_pass_->pods,
                  [&](const PassCopy::PodCopy& pod) { return pod.pod == message.pod.get(); });
  }
  released_pods_.push_back(std::move(message.pod));
}

void Housekeeping::handle(PassDone& message) {
  rules_.forget_before(message.config_generation);
  const PassRules::Rules& rules = rules_.of(message.config_generation);
  if (message.begun) {
    const eviction::Threshold& threshold = rules.thresholds[message.begun->threshold];
    keeper_->add_begun(*message.begun, threshold, message.timeline.decide_at);
    const cluster::PodEntry* entry = options_.registry->table().find(message.begun->victim->uid);
    exporting::EvictionRecord record =
        make_record(message, {.thresholds = rules.thresholds,
                              .compat = rules.compat,
                              .victim = entry,
                              .storage = storage_->storage_of(message.begun->victim->uid),
                              .containers = container_memory_.as_of(message.begun->victim->uid,
                                                                    message.timeline.observe_at),
                              .collectors = storage_->collectors_as_of(message.timeline.decide_at),
                              .threshold_told = message.copy != nullptr &&
                                                pass_watch_.was_reported(message.copy->decision),
                              .now = core::read_both(*options_.clock)});
    const Wanted wanted = wanted_for(threshold.signal, options_.filesystems->layout());
    const HotPod& victim = *message.begun->victim;
    record_eviction(std::move(record), victim);
    if (!message.begun->dry_run) {
      storage_->await_victim(evicted_pod(victim, wanted, message.begun->kill_due_at));
    }
  }
  if (!message.copy) {
    return;
  }
  if (recorder_) {
    recorder_->record(message);
  }
  follow_pass(*message.copy);
  journal_changes(message);
  if (!ready_) {
    // The first pass has set the capacities of the thresholds: they are watched from now on.
    ready_ = service_.ready();
    if (ready_ && watchdog_) {
      watchdog_->start(options_.clock->now());
    }
  }
  last_trigger_ = message.trigger;
  last_pass_at_ = message.timeline.observe_at;
  std::swap(last_pass_, message.copy);
  if (message.copy) {
    send(LendPassCopy{std::move(message.copy)});
  }
}

NodeMemory Housekeeping::watched_node_memory(const PassCopy& copy) const {
  const auto& seen = copy.observations[eviction::Signal::kMemoryAvailable];
  // A pass may have begun before a reload changed its rules.
  if (!seen || copy.memory != config_->settings().memory ||
      memory_watcher(*options_.ladder, copy.memory) == Watcher::kPolling) {
    return {};
  }
  return steadied(capacities_.node_memory, node_memory(copy.node, *seen, copy.memory));
}

void Housekeeping::record_eviction(exporting::EvictionRecord record, const HotPod& victim) {
  for (const probe::PurposeReport& purpose : options_.ladder->purposes) {
    if (!purpose.chosen().empty()) {
      record.hooks.emplace(probe::to_string(purpose.purpose), purpose.chosen());
    }
  }
  const bool killed = record.state == "killed";
  const bool dry_run = record.dry_run;
  if (!killed && !dry_run) {
    // Its descriptors were read for SIGTERM: SIGKILL gets new ones.
    options_.registry->queue_reopening(victim.uid);
  }
  const exporting::EvictionRecord& kept = records_.add(std::move(record), victim.memory_id);
  log_eviction(kept);
  // Before its own line, which is the one that is synced and that a restart resumes from.
  write_cut(kept);
  journal_->add_whole(exporting::to_json(kept), exporting::Durability::kSynced);
  if (killed && !dry_run && victim.target) {
    releaser_->release(*victim.target);
  }
}

void Housekeeping::handle(const LocalEvictionBegun& message) {
  const HotPod& victim = *message.victim;
  keeper_->add_begun(message, message.timeline.decide_at);
  const PassRules::Rules& rules = rules_.of(message.config_generation);
  const bool told = last_pass_ && last_pass_->now == message.pass_at;
  record_eviction(make_record(message, {.thresholds = rules.thresholds,
                                        .compat = rules.compat,
                                        .pass = told ? last_pass_.get() : nullptr,
                                        .now = core::read_both(*options_.clock)}),
                  victim);
  if (!message.dry_run) {
    storage_->await_victim(
        evicted_pod(victim, {.disk = true, .layers = false}, message.kill_due_at));
  }
}

/// The newest pass must not point to a measurement that the hot thread has returned.
void Housekeeping::forget_storage(const HotStorage& storage) {
  if (!last_pass_) {
    return;
  }
  for (PassCopy::PodCopy& pod : last_pass_->pods) {
    if (pod.pass.statistics == &storage.statistics) {
      pod.pass.pod = nullptr;
      pod.pass.statistics = nullptr;
    }
  }
}

void Housekeeping::follow_pass(const PassCopy& copy) {
  actuator_counters_ = copy.actuator;
  report_brake(copy);
  report_signals(copy);
  keeper_->set_pass(copy, rules_.of(copy.config_generation).thresholds, options_.clock->now());
  if (conditions_ != copy.decision.conditions) {
    for (const eviction::Condition condition : eviction::kConditions) {
      const bool now_set = copy.decision.conditions.has(condition);
      if (now_set != conditions_.has(condition)) {
        options_.log->info(now_set ? "node condition set" : "node condition cleared",
                           {{"condition", std::string(eviction::to_string(condition))}});
      }
    }
    conditions_ = copy.decision.conditions;
  }
  const Capacities capacities{
      .node_memory = watched_node_memory(copy),
      .pod_root_memory =
          copy.pod_root.limit.value == sys::kNoLimit ? Bytes{-1} : copy.pod_root.limit,
      .node_tasks = copy.node.max_pid,
      .pod_root_tasks = copy.pod_root_max_tasks == sys::kNoLimit ? -1 : copy.pod_root_max_tasks};
  if (capacities != capacities_) {
    set_watch_points(capacities);
  }
}

void Housekeeping::handle(const EvictionStep& message) {
  actuator_counters_ = message.counters;
  if (!message.dry_run) {
    keeper_->apply_step(message.progress, message.tasks, message.usage);
  }
  storage_->apply_step(message);
  const exporting::EvictionRecord* record = records_.apply_step(message);
  if (record == nullptr) {
    return;
  }
  if (message.progress.not_killed == enforce::to_string(enforce::Protection::kOwnProcess)) {
    options_.registry->mark_own_process(record->uid);
  }
  journal_progress(*record, message);
  if (message.progress.state == enforce::EvictionState::kKilled && !message.dry_run) {
    release_memory_of(message.progress.pod);
  }
  log_step(*options_.log, *record, message);
}

void Housekeeping::release_memory_of(CgroupId pod) {
  for (const PodRegistry::Listed& listed : options_.registry->list()) {
    if (listed.hot != nullptr && listed.hot->memory_id == pod && listed.hot->target) {
      releaser_->release(*listed.hot->target);
    }
  }
}

void Housekeeping::handle(const EvictionRefused& message) {
  const std::string who = name_of(message, records_);
  if (message.tried_again) {
    options_.log->warn("no process of pod " + who + " (" + message.victim->uid +
                       ") can be signalled, trying again every 10 ms for 2 s, continuing without "
                       "its eviction meanwhile");
    return;
  }
  if (message.victim->protection_now() == enforce::Protection::kOwnProcess) {
    options_.registry->mark_own_process(message.victim->uid);
  }
  journal_->add("refused",
                {{"pod", who}, {"uid", message.victim->uid}, {"reason", reason_of(message)}},
                message.at);
  if (keeper_->apply_refusal(message)) {
    withdraw_intent(*message.victim);
    handle(EvictionStep{.progress = {.ticket = {},
                                     .pod = message.victim->memory_id,
                                     .state = enforce::EvictionState::kExceededGrace,
                                     .at = options_.clock->now(),
                                     .signals = {},
                                     .not_killed = protection_of(message)},
                        .counters = actuator_counters_});
  }
  const HotPod& victim = *message.victim;
  const cluster::PodCgroup* cgroup = options_.registry->tree().find(victim.uid);
  // A pod that ended meanwhile is no error; a pod whose cgroup was never opened is.
  const bool unopened =
      !victim.target && cgroup != nullptr && cgroup->memory_id == victim.memory_id;
  const bool goes_on_anyway = message.adopted && message.code == Errc::kBusy;
  if ((message.code == Errc::kNotFound && !unopened) || goes_on_anyway) {
    return;
  }
  if (message.code == Errc::kExhausted && !message.adopted) {
    options_.log->warn("pod " + who + " (" + victim.uid +
                       ") waits because the maximum number of evictions is in progress, continuing "
                       "with it and other waiting pods as those evictions end");
    return;
  }
  const std::string why = unopened                           ? "its cgroup was not opened"
                          : message.code == Errc::kExhausted ? "too_many_under_way"
                                                             : std::string(reason_of(message));
  options_.log->warn("pod " + who + " (" + victim.uid + ") cannot be evicted (" + why +
                     "), continuing without it");
}

void Housekeeping::handle(const ScanPods& message) {
  rescan();
  send(PodsScanned{.round = message.round});
}

void Housekeeping::handle(const TargetUsed& message) {
  options_.registry->queue_reopening(message.pod->uid);
}

void Housekeeping::handle(const CgroupNotice& message) {
  probe::CgroupChanged event = message.event;
  event.path = text_of(message.path);
  options_.registry->queue(event);
}

void Housekeeping::handle(const OomNotice& message) {
  const HotPod* const pod = pod_in(message.event.slot);
  journal_oom_kill(message, pod);
  const std::string who =
      pod == nullptr ? fmt::format("memory cgroup {}, not a known pod", message.event.memory.id)
                     : fmt::format("pod {}/{}", pod->ns, pod->name);
  options_.log->warn(
      fmt::format(
          "the kernel's OOM killer was first: process {} ({}) of {}, continuing without that "
          "choice",
          message.event.pid,
          std::string_view(message.comm.data(), strnlen(message.comm.data(), message.comm.size())),
          who),
      {{"pod", pod == nullptr ? std::string() : pod->ns + "/" + pod->name},
       {"uid", pod == nullptr ? std::string() : pod->uid},
       {"cgroup_id", static_cast<std::int64_t>(message.event.memory.id)}});
}

void Housekeeping::handle(const StallNotice& message) {
  journal_stall(message);
  options_.log->debug("a pod stalls on memory",
                      {{"slot", static_cast<std::int64_t>(message.event.slot)}});
}

void Housekeeping::handle(const LossNotice& message) {
  journal_degraded("lost_notices", true, fmt::format("{} kernel events lost", message.lost));
  options_.log->warn(
      fmt::format("{} kernel events lost, continuing without them after a rescan", message.lost));
  rescan();
  // The pass of the resync came before the rescan and did not know its results.
  send(RunPass{});
}

void Housekeeping::log_eviction(const exporting::EvictionRecord& record) {
  using Value = decltype(base::LogField::value);
  const auto us_between = [](const std::optional<MonoTime>& from,
                             const std::optional<MonoTime>& to) {
    return from && to
               ? Value(std::int64_t{
                     std::chrono::duration_cast<std::chrono::microseconds>(*to - *from).count()})
               : Value();
  };
  // A dry run has the time at which the signal would have been sent, but sent none.
  const std::optional<MonoTime> sent = record.dry_run ? std::nullopt : record.timeline.signal;
  options_.log->info(record.dry_run ? "would evict pod" : "evicted pod",
                     {{"id", static_cast<std::int64_t>(record.id)},
                      {"decided_at", exporting::rfc3339(record.at)},
                      {"pod", record.ns + "/" + record.name},
                      {"uid", record.uid},
                      {"outcome", record.outcome},
                      {"signal", record.signal},
                      {"threshold", record.threshold},
                      {"available", record.available ? Value(*record.available) : Value()},
                      {"grace_seconds", record.grace_seconds},
                      {"trigger", record.trigger},
                      {"detection_to_signal_us", us_between(record.timeline.hook, sent)},
                      {"message", record.message}});
}

}  // namespace evictd::daemon
