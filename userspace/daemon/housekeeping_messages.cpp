// SPDX-License-Identifier: Apache-2.0
// What housekeeping does about each message of the hot thread.
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "daemon/housekeeping.h"
#include "disk/places.h"

namespace evictd::daemon {

namespace {

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

void Housekeeping::handle(PassDone& message) {
  const PassRules::Rules& rules = records_->take_rules(message.config_generation);
  if (message.begun) {
    begin_eviction(message, rules.thresholds[message.begun->threshold]);
  }
  if (!message.copy) {
    return;
  }
  const PassCopy& copy = *message.copy;
  state_->keeper().set_pass(copy, records_->rules_of(copy.config_generation).thresholds,
                            context_.clock->now());
  thresholds_->follow_pass(copy);
  records_->report_pass(message, storage_->collectors_as_of(message.timeline.decide_at));
  health_->report_ready(context_.clock->now());
  records_->keep_pass(message);
  if (message.copy) {
    context_.backlog.send(LendPassCopy{std::move(message.copy)});
  }
}

void Housekeeping::begin_eviction(const PassDone& message, const eviction::Threshold& threshold) {
  const EvictionBegun& begun = *message.begun;
  const HotPod& victim = *begun.victim;
  state_->keeper().add_begun(begun, threshold, message.timeline.decide_at);
  follow_up(records_->record_eviction(
                message, {.entry = context_.registry->table().find(victim.uid),
                          .storage = storage_->storage_of(victim.uid),
                          .containers = pods_->container_memory().as_of(
                              victim.uid, message.timeline.observe_at),
                          .collectors = storage_->collectors_as_of(message.timeline.decide_at)}),
            victim);
  if (!begun.dry_run) {
    storage_->await_victim(evicted_pod(
        victim, wanted_for(threshold.signal, context_.filesystems->layout()), begun.kill_due_at));
  }
}

void Housekeeping::handle(const LocalEvictionBegun& message) {
  state_->keeper().add_begun(message, message.timeline.decide_at);
  follow_up(records_->record_eviction(message), *message.victim);
  if (!message.dry_run) {
    storage_->await_victim(
        evicted_pod(*message.victim, {.disk = true, .layers = false}, message.kill_due_at));
  }
}

/// Does what follows the beginning of an eviction, whatever its reason.
void Housekeeping::follow_up(const exporting::EvictionRecord& record, const HotPod& victim) {
  if (record.dry_run) {
    return;
  }
  const bool killed = record.state == "killed";
  if (!killed || record.method == enforce::to_string(enforce::SignalMethod::kKernel)) {
    // Its descriptors were read for SIGTERM, or in vain: the next signal gets new ones.
    context_.registry->queue_reopening(victim.uid);
  }
  if (killed && victim.target) {
    releaser_->release(*victim.target);
  }
}

void Housekeeping::handle(const EvictionStep& message) {
  if (!message.dry_run) {
    state_->keeper().apply_step(message.progress, message.tasks, message.usage);
  }
  storage_->apply_step(message);
  const exporting::EvictionRecord* const record = records_->record_step(message);
  if (record == nullptr) {
    return;
  }
  if (message.progress.not_killed == enforce::to_string(enforce::Protection::kOwnProcess)) {
    context_.registry->mark_own_process(record->uid);
  }
  if (message.progress.state == enforce::EvictionState::kKilled && !message.dry_run) {
    release_memory_of(message.progress.pod);
  }
}

void Housekeeping::release_memory_of(CgroupId pod) {
  for (const PodRegistry::Listed& listed : context_.registry->list()) {
    if (listed.hot != nullptr && listed.hot->memory_id == pod && listed.hot->target) {
      releaser_->release(*listed.hot->target);
    }
  }
}

void Housekeeping::handle(const EvictionRefused& message) {
  const std::string who = name_of(message, records_->store());
  if (message.tried_again) {
    context_.log->warn("no process of pod " + who + " (" + message.victim->uid +
                       ") can be signalled, trying again every 10 ms for 2 s, continuing without "
                       "its eviction meanwhile");
    return;
  }
  if (message.victim->protection_now() == enforce::Protection::kOwnProcess) {
    context_.registry->mark_own_process(message.victim->uid);
  }
  records_->journal().add(
      "refused", {{"pod", who}, {"uid", message.victim->uid}, {"reason", reason_of(message)}},
      message.at);
  if (state_->keeper().apply_refusal(message)) {
    state_->withdraw_intent(*message.victim);
    handle(EvictionStep{.progress = {.ticket = {},
                                     .pod = message.victim->memory_id,
                                     .state = enforce::EvictionState::kExceededGrace,
                                     .at = context_.clock->now(),
                                     .signals = {},
                                     .not_killed = protection_of(message)},
                        .counters = records_->actuator()});
  }
  log_refusal(message, who);
}

void Housekeeping::log_refusal(const EvictionRefused& message, const std::string& who) {
  const HotPod& victim = *message.victim;
  const cluster::PodCgroup* cgroup = context_.registry->tree().find(victim.uid);
  // A pod that ended meanwhile is no error; a pod whose cgroup was never opened is.
  const bool unopened =
      !victim.target && cgroup != nullptr && cgroup->memory_id == victim.memory_id;
  const bool goes_on_anyway = message.adopted && message.code == Errc::kBusy;
  if ((message.code == Errc::kNotFound && !unopened) || goes_on_anyway) {
    return;
  }
  if (message.code == Errc::kExhausted && !message.adopted) {
    context_.log->warn("pod " + who + " (" + victim.uid +
                       ") waits because the maximum number of evictions is in progress, continuing "
                       "with it and other waiting pods as those evictions end");
    return;
  }
  const std::string why = unopened                           ? "its cgroup was not opened"
                          : message.code == Errc::kExhausted ? "too_many_under_way"
                                                             : std::string(reason_of(message));
  context_.log->warn("pod " + who + " (" + victim.uid + ") cannot be evicted (" + why +
                     "), continuing without it");
}

void Housekeeping::handle(const PassNeed& need) {
  std::visit([this](const auto& one) { begin(one); }, need);
}

void Housekeeping::handle(const KernelNotice& message) {
  const std::string_view text(message.text.data(),
                              strnlen(message.text.data(), message.text.size()));
  std::visit([&](const auto& event) { take(event, text); }, message.event);
}

void Housekeeping::take(const probe::StallRising& stall, std::string_view /*text*/) {
  records_->report(stall, pods_->pod_in(stall.slot));
}

void Housekeeping::take(probe::CgroupChanged change, std::string_view path) {
  change.path = path;
  context_.registry->queue(change);
}

void Housekeeping::take(const probe::OomKill& kill, std::string_view process) {
  records_->report(kill, process, pods_->pod_in(kill.slot));
}

}  // namespace evictd::daemon
