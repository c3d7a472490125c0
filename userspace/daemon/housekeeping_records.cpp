// SPDX-License-Identifier: Apache-2.0
// What housekeeping tells the journal: decisions, and what happened besides.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/effective.h"
#include "config/eviction_fields.h"
#include "daemon/housekeeping.h"
#include "daemon/records/adopted_record.h"
#include "daemon/records/record_builder.h"
#include "eviction/message.h"
#include "sys/node_name.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// A record is about an evicted pod. Passes that tried to evict and could not are reported by the
/// refusal.
bool evicts(eviction::Outcome outcome) {
  return outcome == eviction::Outcome::kEvicted || outcome == eviction::Outcome::kOomGuard ||
         outcome == eviction::Outcome::kEscalated;
}

Json threshold_json(const eviction::Threshold& threshold, const PassCopy& copy, bool met) {
  Json line = {{"signal", eviction::to_string(threshold.signal)},
               {"threshold", eviction::to_string(threshold.value)},
               {"hardness", threshold.is_hard() ? "hard" : "soft"},
               {"met", met},
               {"available", nullptr},
               {"capacity", nullptr}};
  if (const auto& seen = copy.observations[threshold.signal]) {
    line["available"] = seen->available;
    line["capacity"] = seen->capacity;
  }
  return line;
}

}  // namespace

Result<> Housekeeping::start_journal() {
  if (options_.recording) {
    Result<PassRecorder> recorder =
        PassRecorder::create(*options_.recording, *options_.clock, EVICTD_VERSION);
    if (!recorder) {
      return fail_in("--record", recorder.error());
    }
    recorder_.emplace(std::move(*recorder));
    recorder_->use_config(config_generation_, config::effective_yaml(*config_));
  }
  const std::string& named = config_->settings().node_name;
  Result<Journal> journal = Journal::create({.records = config_->settings().records,
                                             .node = named.empty() ? sys::node_name_here() : named,
                                             .clock = options_.clock,
                                             .publish = [this](std::string_view line) {
                                               server_->publish(line);
                                               if (recorder_) {
                                                 recorder_->add_journal_line(line);
                                               }
                                             }});
  if (!journal) {
    return fail_in("start the journal", journal.error());
  }
  journal_.emplace(std::move(*journal));
  records_.start_after(journal_->last_id(), journal_->node());
  journal_->add("daemon", {{"what", "started"},
                           {"version", EVICTD_VERSION},
                           {"compatibility", config::name_of(config_->settings().compatibility)},
                           {"event_source", options_.probe == nullptr ? "poll" : "bpf"},
                           {"dry_run", config_->settings().dry_run}});
  if (options_.probe == nullptr && config_->settings().event_source != config::EventSource::kPoll) {
    journal_degraded("kernel_events", true, "no kernel side: polling");
  }
  if (options_.registry->misses_pod_root()) {
    journal_degraded("pod_root", true, "the cgroup of all pods is not there");
  }
  for (const probe::PurposeReport& purpose : options_.ladder->purposes) {
    if (options_.probe != nullptr && !purpose.disabled && purpose.chosen().empty()) {
      journal_degraded("hook", true,
                       "no hook serves " + std::string(probe::to_string(purpose.purpose)));
    }
  }
  return {};
}

void Housekeeping::journal_changes(const PassDone& message) {
  const PassCopy& copy = *message.copy;
  const PassRules::Rules& rules = rules_.of(copy.config_generation);
  if (std::exchange(watched_generation_, copy.config_generation) != copy.config_generation) {
    pass_watch_.forget_thresholds();
  }
  const PassWatch::Change change =
      copy.resumed ? pass_watch_.take_resumed(copy.decision) : pass_watch_.take(copy.decision);
  for (const bool met : {true, false}) {
    for (const std::size_t place : met ? change.met : change.no_longer_met) {
      journal_->add("threshold", threshold_json(rules.thresholds[place], copy, met),
                    message.timeline.decide_at);
    }
  }
  for (const bool set : {true, false}) {
    for (const eviction::Condition condition : set ? change.set : change.cleared) {
      journal_->add("condition", {{"type", eviction::to_string(condition)}, {"status", set}},
                    message.timeline.decide_at);
    }
  }
  const bool spared = pass_watch_.take_spared(spared_for_local_storage(
      make_local_candidates(copy, rules.compat, message.timeline.observe_at)));
  if ((change.outcome || spared) && !message.begun && !evicts(copy.decision.outcome)) {
    const exporting::EvictionRecord& kept = records_.add_pass(
        make_record(message, {.thresholds = rules.thresholds,
                              .compat = rules.compat,
                              .victim = nullptr,
                              .collectors = storage_->collectors_as_of(message.timeline.decide_at),
                              .threshold_told = pass_watch_.was_reported(copy.decision),
                              .now = core::read_both(*options_.clock)}));
    journal_->add_whole(exporting::to_json(kept), exporting::Durability::kCached);
    if (copy.decision.outcome == eviction::Outcome::kReclaiming) {
      pass_watch_.mark_reported(copy.decision);
    }
  }
}

void Housekeeping::journal_progress(const exporting::EvictionRecord& record,
                                    const EvictionStep& message) {
  const enforce::EvictionState state = message.progress.state;
  const bool spared = !record.not_killed.empty();
  journal_->add("progress",
                {{"id", record.id},
                 {"pod", record.ns + "/" + record.name},
                 {"uid", record.uid},
                 {"state", enforce::to_string(state)},
                 {"event", state == enforce::EvictionState::kExceededGrace && !spared
                               ? Json(eviction::kExceededGraceReason)
                               : Json(nullptr)},
                 {"not_killed", record.not_killed},
                 {"at_ns", message.progress.at.time_since_epoch().count()},
                 {"dry_run", record.dry_run}},
                message.progress.at);
  if (state == enforce::EvictionState::kReleased ||
      state == enforce::EvictionState::kExceededGrace) {
    // The whole record again, with its end: the last line of an id counts.
    write_cut(record);
    journal_->add_whole(exporting::to_json(record), exporting::Durability::kCached);
  }
}

void Housekeeping::write_cut(const exporting::EvictionRecord& escalation) {
  for (const exporting::EvictionRecord* const cut : records_.cut_by(escalation)) {
    journal_->add_whole(exporting::to_json(*cut), exporting::Durability::kCached);
  }
}

/// The victim's disk space was freed after its end was reported, or its memory was not freed in
/// time (`left`): writes the record again with that.
void Housekeeping::note_released(CgroupId pod, std::optional<Bytes> left) {
  if (!keeper_->mark_disk_released(pod) && !left) {
    return;
  }
  const exporting::EvictionRecord* const record = records_.newest_of(pod);
  if (record == nullptr || is_open(*record)) {
    return;
  }
  if (left) {
    records_.set_still_charged(pod, *left);
    const std::string who = record->ns + "/" + record->name;
    const MonoTime now = options_.clock->now();
    journal_->add("progress",
                  {{"id", record->id},
                   {"pod", who},
                   {"uid", record->uid},
                   {"state", record->state},
                   {"event", nullptr},
                   {"not_killed", ""},
                   {"still_charged_bytes", left->value},
                   {"at_ns", now.time_since_epoch().count()},
                   {"dry_run", false}},
                  now);
    options_.log->warn("pod " + who + " (" + record->uid +
                       "): " + exporting::still_charged_text(left->value) +
                       ", continuing without waiting for them");
  }
  write_cut(*record);
  journal_->add_whole(exporting::to_json(*record), exporting::Durability::kCached);
}

const HotPod* Housekeeping::pod_in(std::uint32_t slot) const {
  for (const PodRegistry::Listed& listed : options_.registry->list()) {
    if (listed.hot != nullptr && listed.hot->slot == slot) {
      return listed.hot;
    }
  }
  return nullptr;
}

void Housekeeping::journal_oom_kill(const OomNotice& message, const HotPod* pod) {
  journal_->add("oom_kill",
                {{"pid", message.event.pid},
                 {"process", std::string(message.comm.data(),
                                         strnlen(message.comm.data(), message.comm.size()))},
                 {"cgroup_id", message.event.memory.id},
                 {"pod", pod == nullptr ? Json(nullptr) : Json(pod->ns + "/" + pod->name)},
                 {"uid", pod == nullptr ? Json(nullptr) : Json(pod->uid)},
                 {"at_ns", message.event.at.time_since_epoch().count()}},
                message.event.at);
}

void Housekeeping::journal_unknown_pods() {
  if (config_->settings().manifest_directories.empty()) {
    return;  // No source can describe a pod.
  }
  std::set<std::string> unknown;
  for (const PodRegistry::Listed& listed : options_.registry->list()) {
    const cluster::PodEntry& entry = *listed.entry;
    if (entry.state != cluster::PodState::kUnknown) {
      continue;
    }
    if (!journaled_unknown_.contains(entry.uid)) {
      journal_->add("unknown_pod", {{"uid", entry.uid}, {"cgroup", entry.cgroup->path}});
    }
    unknown.insert(entry.uid);
  }
  journaled_unknown_ = std::move(unknown);
}

void Housekeeping::journal_stall(const StallNotice& message) {
  const auto us = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  const HotPod* const pod = pod_in(message.event.slot);
  journal_->add("stall",
                {{"pod", pod == nullptr ? Json(nullptr) : Json(pod->ns + "/" + pod->name)},
                 {"uid", pod == nullptr ? Json(nullptr) : Json(pod->uid)},
                 {"stalled_us", us(message.event.stalled)},
                 {"window_us", us(message.event.window)}},
                message.event.at);
}

void Housekeeping::journal_degraded(std::string_view what, bool degraded, const std::string& text) {
  journal_->add("degraded", {{"what", what}, {"degraded", degraded}, {"text", text}});
}

void Housekeeping::check_journal(MonoTime now) {
  if (const std::string end = recorder_ ? recorder_->check() : ""; !end.empty()) {
    journal_degraded("recording", true, end);
    options_.log->warn(end);
  }
  const std::string said = journal_->check(now);
  if (said.empty()) {
    return;
  }
  if (journal_->trouble().empty()) {
    options_.log->info(said);
  } else {
    options_.log->warn(said);
  }
}

nlohmann::ordered_json Housekeeping::all_records() const {
  std::vector<Json> records;
  for (const exporting::EvictionRecord& record : records_.latest()) {
    records.push_back(exporting::to_json(record));
  }
  for (const exporting::EvictionRecord& record : records_.passes()) {
    records.push_back(exporting::to_json(record));
  }
  std::sort(records.begin(), records.end(), [](const Json& a, const Json& b) {
    return a["id"].get<std::uint64_t>() < b["id"].get<std::uint64_t>();
  });
  return {{"schema", exporting::kRecordSchema},
          {"file", journal_->file().empty() ? Json(nullptr) : Json(journal_->file())},
          {"records", std::move(records)}};
}

}  // namespace evictd::daemon
