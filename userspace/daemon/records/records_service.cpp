// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/records_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/effective.h"
#include "config/eviction_fields.h"
#include "daemon/records/adopted_record.h"
#include "daemon/records/record_texts.h"
#include "enforce/bridge.h"
#include "evictd/try.h"
#include "eviction/message.h"
#include "export/json_time.h"
#include "sys/node_name.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

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

void log_eviction(base::Log& log, const exporting::EvictionRecord& record) {
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
  log.info(record.dry_run ? "would evict pod" : "evicted pod",
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

Json name_of(const HotPod* pod) {
  return pod == nullptr ? Json(nullptr) : Json(pod->ns + "/" + pod->name);
}

Json uid_of(const HotPod* pod) {
  return pod == nullptr ? Json(nullptr) : Json(pod->uid);
}

}  // namespace

Result<std::unique_ptr<RecordsService>> RecordsService::create(
    const ServiceContext& context, eviction::ThresholdTable thresholds,
    std::function<void(std::string_view)> publish) {
  std::unique_ptr<RecordsService> service(new RecordsService(context, std::move(publish)));
  service->rules_.use(service->generation_, {.thresholds = std::move(thresholds),
                                             .compat = context.settings().compatibility});
  EVICTD_TRY(service->start());
  return service;
}

Result<> RecordsService::start() {
  if (context_.recording) {
    EVICTD_ASSIGN_OR_RETURN(
        recorder_, EVICTD_IN("--record", PassRecorder::create(*context_.recording, *context_.clock,
                                                              EVICTD_VERSION)));
    recorder_->use_config(generation_, config::effective_yaml(*context_.config));
  }
  const config::Settings& settings = context_.settings();
  const std::string& named = settings.node_name;
  EVICTD_ASSIGN_OR_RETURN(
      journal_, EVICTD_IN("start the journal",
                          Journal::create({.records = settings.records,
                                           .node = named.empty() ? sys::node_name_here() : named,
                                           .clock = context_.clock,
                                           .publish = [this](std::string_view line) {
                                             publish_(line);
                                             if (recorder_) {
                                               recorder_->add_journal_line(line);
                                             }
                                           }})));
  store_.start_after(journal_->last_id(), journal_->node());
  return {};
}

std::uint64_t RecordsService::use(eviction::ThresholdTable thresholds) {
  rules_.use(++generation_,
             {.thresholds = std::move(thresholds), .compat = context_.settings().compatibility});
  if (recorder_) {
    recorder_->use_config(generation_, config::effective_yaml(*context_.config));
  }
  return generation_;
}

const PassRules::Rules& RecordsService::take_rules(std::uint64_t generation) {
  rules_.forget_before(generation);
  return rules_.of(generation);
}

const exporting::EvictionRecord& RecordsService::record_eviction(const PassDone& message,
                                                                 VictimFacts facts) {
  const PassRules::Rules& rules = rules_.of(message.config_generation);
  const exporting::EvictionRecord& record =
      add(make_record(message, {.thresholds = rules.thresholds,
                                .compat = rules.compat,
                                .victim = facts.entry,
                                .storage = facts.storage,
                                .containers = std::move(facts.containers),
                                .collectors = std::move(facts.collectors),
                                .threshold_told = message.copy != nullptr &&
                                                  pass_watch_.was_reported(message.copy->decision),
                                .now = core::read_both(*context_.clock)}),
          message.begun->victim->memory_id);
  report_missing_bridge(record);
  return record;
}

void RecordsService::report_missing_bridge(const exporting::EvictionRecord& record) {
  // A pod that its own memory.high holds back already lacks nothing.
  if (!record.bridge || record.bridge->set ||
      record.bridge->not_set == enforce::to_string(enforce::BridgeState::kLowAlready) ||
      std::exchange(reported_missing_bridge_, true)) {
    return;
  }
  context_.log->warn("graceBridge: pod " + record.ns + "/" + record.name + " (" + record.uid +
                     "): " + exporting::bridge_text(*record.bridge) +
                     ", continuing without it; further ones are only counted");
}

const exporting::EvictionRecord& RecordsService::record_eviction(
    const LocalEvictionBegun& message) {
  const PassRules::Rules& rules = rules_.of(message.config_generation);
  const bool told = last_pass_.copy && last_pass_.copy->now == message.pass_at;
  return add(make_record(message, {.thresholds = rules.thresholds,
                                   .compat = rules.compat,
                                   .pass = told ? last_pass_.copy.get() : nullptr,
                                   .now = core::read_both(*context_.clock)}),
             message.victim->memory_id);
}

const exporting::EvictionRecord& RecordsService::add(exporting::EvictionRecord record,
                                                     CgroupId pod) {
  for (const probe::PurposeReport& purpose : context_.ladder->purposes) {
    if (!purpose.chosen().empty()) {
      record.hooks.emplace(probe::to_string(purpose.purpose), purpose.chosen());
    }
  }
  const exporting::EvictionRecord& kept = store_.add(std::move(record), pod);
  log_eviction(*context_.log, kept);
  // Before its own line, which is the one that is synced and that a restart resumes from.
  write_cut(kept);
  write(kept, exporting::Durability::kSynced);
  return kept;
}

void RecordsService::write(const exporting::EvictionRecord& record,
                           exporting::Durability durability) {
  journal_->add_whole(exporting::to_json(record), durability);
}

/// Of the evictions whose grace period it cut.
void RecordsService::write_cut(const exporting::EvictionRecord& escalation) {
  for (const exporting::EvictionRecord* const cut : store_.cut_by(escalation)) {
    write(*cut, exporting::Durability::kCached);
  }
}

void RecordsService::record_adopted(const SavedEviction& known, const Adoption& adoption,
                                    MonoTime now) {
  const auto told = journal_->last_evictions().find(known.uid);
  if (told != journal_->last_evictions().end() &&
      is_record_of(told->second.back(), known.uid, adoption, now)) {
    for (exporting::EvictionRecord record : told->second) {
      const bool over = is_open(record) && has_ended(adoption.kind);
      record.state = over ? "released" : record.state;
      const exporting::EvictionRecord& kept = store_.add_adopted(std::move(record), known.pod);
      if (over) {
        write(kept, exporting::Durability::kCached);
      }
    }
    return;
  }
  const exporting::EvictionRecord& kept = store_.add(
      make_adopted_record(known, adoption,
                          core::wall_time_of(adoption.began_at, core::read_both(*context_.clock))),
      known.pod);
  log_eviction(*context_.log, kept);
  write(kept, exporting::Durability::kSynced);
}

const exporting::EvictionRecord* RecordsService::record_step(const EvictionStep& message) {
  actuator_ = message.counters;
  const exporting::EvictionRecord* const record = store_.apply_step(message);
  if (record != nullptr) {
    write_progress(*record, message);
    log_step(*context_.log, *record, message);
  }
  return record;
}

void RecordsService::write_progress(const exporting::EvictionRecord& record,
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
    write(record, exporting::Durability::kCached);
  }
}

void RecordsService::record_release(CgroupId pod, std::optional<Bytes> left) {
  const exporting::EvictionRecord* const record = store_.newest_of(pod);
  if (record == nullptr || is_open(*record)) {
    return;
  }
  if (left) {
    store_.set_still_charged(pod, *left);
    const std::string who = record->ns + "/" + record->name;
    const MonoTime now = context_.clock->now();
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
    context_.log->warn("pod " + who + " (" + record->uid +
                       "): " + exporting::still_charged_text(left->value) +
                       ", continuing without waiting for them");
  }
  write_cut(*record);
  write(*record, exporting::Durability::kCached);
}

void RecordsService::report(const probe::OomKill& kill, std::string_view process,
                            const HotPod* pod) {
  journal_->add("oom_kill",
                {{"pid", kill.pid},
                 {"process", process},
                 {"cgroup_id", kill.memory.id},
                 {"pod", name_of(pod)},
                 {"uid", uid_of(pod)},
                 {"at_ns", kill.at.time_since_epoch().count()}},
                kill.at);
  const std::string who = pod == nullptr
                              ? fmt::format("memory cgroup {}, not a known pod", kill.memory.id)
                              : fmt::format("pod {}/{}", pod->ns, pod->name);
  context_.log->warn(
      fmt::format("the kernel's OOM killer was first: process {} ({}) of {}, continuing without "
                  "that choice",
                  kill.pid, process, who),
      {{"pod", pod == nullptr ? std::string() : pod->ns + "/" + pod->name},
       {"uid", pod == nullptr ? std::string() : pod->uid},
       {"cgroup_id", static_cast<std::int64_t>(kill.memory.id)}});
}

void RecordsService::report(const probe::StallRising& stall, const HotPod* pod) {
  const auto us = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  journal_->add("stall",
                {{"pod", name_of(pod)},
                 {"uid", uid_of(pod)},
                 {"stalled_us", us(stall.stalled)},
                 {"window_us", us(stall.window)}},
                stall.at);
  context_.log->debug("a pod stalls on memory", {{"slot", static_cast<std::int64_t>(stall.slot)}});
}

void RecordsService::report_degraded(std::string_view what, bool degraded,
                                     const std::string& text) {
  journal_->add("degraded", {{"what", what}, {"degraded", degraded}, {"text", text}});
}

void RecordsService::forget(const HotPod& pod) {
  if (recorder_) {
    recorder_->forget(&pod);
  }
  if (last_pass_.copy) {
    std::erase_if(last_pass_.copy->pods,
                  [&](const PassCopy::PodCopy& one) { return one.pod == &pod; });
  }
}

/// The newest pass must not point to it.
void RecordsService::forget(const HotStorage& storage) {
  if (!last_pass_.copy) {
    return;
  }
  for (PassCopy::PodCopy& pod : last_pass_.copy->pods) {
    if (pod.pass.statistics == &storage.statistics) {
      pod.pass.pod = nullptr;
      pod.pass.statistics = nullptr;
    }
  }
}

void RecordsService::check(MonoTime now) {
  if (const std::string end = recorder_ ? recorder_->check() : ""; !end.empty()) {
    report_degraded("recording", true, end);
    context_.log->warn(end);
  }
  const std::string said = journal_->check(now);
  if (said.empty()) {
    return;
  }
  if (journal_->trouble().empty()) {
    context_.log->info(said);
  } else {
    context_.log->warn(said);
  }
}

void RecordsService::stop() {
  if (const std::string lost = recorder_ ? recorder_->stop() : ""; !lost.empty()) {
    context_.log->warn(lost);
  }
}

}  // namespace evictd::daemon
