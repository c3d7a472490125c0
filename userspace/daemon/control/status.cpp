// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "daemon/control/process_usage.h"
#include "daemon/control/status_brakes.h"
#include "daemon/control/status_counters.h"
#include "daemon/control/status_disk.h"
#include "daemon/control/status_forecast.h"
#include "daemon/control/status_manifests.h"
#include "daemon/control/status_notify.h"
#include "daemon/control/status_watchers.h"
#include "daemon/records/duration_numbers.h"
#include "daemon/records/record_builder.h"
#include "eviction/forecast.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownEvictions = 10;

std::int64_t to_us(Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

Json number_or_null(std::int64_t number) {
  return number < 0 ? Json(nullptr) : Json(number);
}

ForecastSources forecast_sources(const StatusSources& sources, MonoTime now) {
  ForecastSources of{.last_pass = sources.last_pass,
                     .table = sources.hot->polling.load() ? nullptr : sources.probe,
                     .growth = sources.node_growth,
                     .filesystems = sources.filesystems->report(now)};
  if (of.table == nullptr && of.last_pass != nullptr) {
    of.pods = pods_of(*of.last_pass);
  } else if (of.table != nullptr) {
    for (const PodRegistry::Listed& listed : sources.registry->list()) {
      if (listed.hot != nullptr) {
        of.pods.push_back(
            {.pod = listed.hot,
             .bytes_per_second = of.table->row(listed.hot->slot).growth_per_second()});
      }
    }
  }
  return of;
}

Json signals_json(const StatusSources& sources, MonoTime now) {
  const PassCopy* pass = sources.last_pass;
  const ForecastSources forecasts = forecast_sources(sources, now);
  // Threshold indices are valid only in the table of the pass. After a reload, until the first pass
  // of the new configuration, its observations are used and its judgements are not.
  const bool judged = pass != nullptr && pass->config_generation == sources.config_generation;
  Json signals = Json::array();
  for (std::size_t i = 0; i < sources.thresholds->size(); ++i) {
    const eviction::Threshold& threshold = (*sources.thresholds)[i];
    if (threshold.op == eviction::ThresholdOperator::kNone) {
      continue;  // containerfs without a threshold to take over: never met
    }
    Json line = {{"signal", eviction::to_string(threshold.signal)},
                 {"kind", threshold.is_hard() ? "hard" : "soft"},
                 {"threshold", eviction::to_string(threshold.value)},
                 {"grace_period_seconds", to_ms(threshold.grace_period) / 1000},
                 {"grace_period_ms",
                  std::chrono::ceil<std::chrono::milliseconds>(threshold.grace_period).count()}};
    if (pass != nullptr && pass->observations[threshold.signal]) {
      const eviction::Observation& seen = *pass->observations[threshold.signal];
      line["available"] = seen.available;
      line["capacity"] = seen.capacity;
      line["met_below"] = static_cast<std::int64_t>(
          sources.thresholds->limit(i, seen.capacity, eviction::MinReclaim::kIgnored));
      line["observed"] = true;
    } else {
      line["available"] = nullptr;
      line["capacity"] = nullptr;
      line["met_below"] = nullptr;
      line["observed"] = false;
    }
    line["met"] = judged && pass->decision.met.has(i);
    if (judged && pass->state.first_observed[i]) {
      line["met_since_ms"] = to_ms(now - *pass->state.first_observed[i]);
    }
    line["forecast"] = forecast_json(forecasts, *sources.thresholds, i, now);
    signals.push_back(std::move(line));
  }
  return signals;
}

Json conditions_json(const StatusSources& sources, MonoTime now) {
  Json conditions = Json::array();
  for (std::size_t i = 0; i < eviction::kConditions.size(); ++i) {
    const eviction::Condition condition = eviction::kConditions[i];
    const PassCopy* pass = sources.last_pass;
    Json line = {{"type", eviction::to_string(condition)},
                 {"status", pass != nullptr && pass->decision.conditions.has(condition)}};
    if (pass != nullptr && pass->state.conditions_last_observed[i]) {
      line["last_observed_ms_ago"] = to_ms(now - *pass->state.conditions_last_observed[i]);
    }
    conditions.push_back(std::move(line));
  }
  return conditions;
}

std::size_t place_of(const std::vector<exporting::RecordedCandidate>& ranking,
                     std::string_view uid) {
  const auto found = std::find_if(ranking.begin(), ranking.end(),
                                  [&](const auto& candidate) { return candidate.uid == uid; });
  return found == ranking.end() ? 0 : found->place;
}

struct Rankings {
  std::vector<exporting::RecordedCandidate> memory;
  std::vector<exporting::RecordedCandidate> pids;
};

Json pod_json(const StatusSources& sources, const PodRegistry::Listed& listed,
              const Rankings& rankings, MonoTime now) {
  const cluster::PodEntry& entry = *listed.entry;
  Json line = {{"namespace", entry.pod.ns},
               {"name", entry.pod.name},
               {"uid", entry.uid},
               {"state", cluster::to_string(entry.state)},
               {"origin", cluster::to_string(entry.origin)},
               {"cgroup", entry.cgroup ? Json(entry.cgroup->path) : Json(nullptr)}};
  if (listed.hot == nullptr) {
    return line;
  }
  sys::ReadBuffer buffer;
  CgroupUsage usage;
  // The kept files belong to the hot thread alone.
  static_cast<void>(sources.registry->open_files_of(entry.uid)
                        .value_or(sys::CgroupFiles())
                        .read(now, buffer, usage));
  line["protection"] = enforce::to_string(listed.hot->protection_now());
  line["qos"] = eviction::to_string(listed.hot->facts.qos);
  line["priority"] = listed.hot->facts.priority;
  line["memory_request_bytes"] =
      static_cast<std::int64_t>(listed.hot->facts.memory_request_nanos / 1'000'000'000);
  line["usage_bytes"] = number_or_null(usage.usage.value);
  line["inactive_file_bytes"] = number_or_null(usage.inactive_file.value);
  line["working_set_bytes"] = usage.has_memory() ? Json(usage.working_set().value) : Json(nullptr);
  line["tasks"] = number_or_null(usage.tasks);
  if (sources.probe != nullptr) {
    const CgroupUsage row = sources.probe->row(listed.hot->slot);
    line["stall_us"] = to_us(row.stall);
    line["rate_bytes_per_second"] = row.rate_bytes_per_second;
  }
  line["storage"] = storage_json(sources.storage->storage_of(entry.uid), now);
  line["memory_rank"] = place_of(rankings.memory, entry.uid);
  line["pid_rank"] = place_of(rankings.pids, entry.uid);
  return line;
}

Json pods_json(const StatusSources& sources, MonoTime now) {
  Rankings rankings;
  if (sources.last_pass != nullptr) {
    rankings.memory = make_ranking(*sources.last_pass, eviction::Signal::kMemoryAvailable, now);
    rankings.pids = make_ranking(*sources.last_pass, eviction::Signal::kPidAvailable, now);
  }
  Json pods = Json::array();
  for (const PodRegistry::Listed& listed : sources.registry->list()) {
    pods.push_back(pod_json(sources, listed, rankings, now));
  }
  return pods;
}

/// What the OOM guard watches, and its state as of the last pass.
Json guard_json(const StatusSources& sources) {
  const config::Settings& settings = sources.config->settings();
  bool armed = false;
  for (const eviction::Threshold& threshold : sources.thresholds->all()) {
    armed = armed || (threshold.signal == eviction::Signal::kMemoryAvailable &&
                      threshold.is_hard() && settings.hard_eviction.oom_guard);
  }
  Json guard = {{"on", settings.hard_eviction.oom_guard},
                {"armed", armed},
                {"watched_by_kernel", sources.probe != nullptr && sources.probe->knows_reserve()},
                {"left", nullptr},
                {"rate", nullptr},
                {"due_below", nullptr},
                {"time_left_ms", nullptr},
                {"due", false}};
  const PassCopy* pass = sources.last_pass;
  const auto seen =
      pass == nullptr ? std::nullopt : pass->observations[eviction::Signal::kMemoryAvailable];
  if (seen && seen->reserve) {
    guard["left"] = seen->reserve->left;
    guard["rate"] = seen->reserve->rate;
    guard["due_below"] = static_cast<std::int64_t>(eviction::guard_distance(*seen->reserve));
    if (const auto left = eviction::time_left(*seen->reserve)) {
      guard["time_left_ms"] = to_ms(*left);
    }
    guard["due"] = armed && eviction::guard_is_due(*seen->reserve);
  }
  return guard;
}

Json hooks_json(const probe::Ladder& ladder) {
  Json hooks = Json::object();
  for (const probe::PurposeReport& purpose : ladder.purposes) {
    hooks[std::string(probe::to_string(purpose.purpose))] =
        purpose.disabled ? "off" : (purpose.chosen().empty() ? "none" : purpose.chosen());
  }
  return hooks;
}

Json records_json(const Journal& journal, MonoTime now) {
  if (journal.worker() == nullptr) {
    return {{"file", nullptr}};
  }
  const RecordWorker::Counters counters = journal.worker()->counters();
  const std::string trouble = journal.worker()->trouble(now);
  return {{"file", journal.file()}, {"in_memory_only", !trouble.empty()},
          {"problem", trouble},     {"written", counters.written},
          {"lost", counters.lost},  {"waiting", counters.waiting}};
}

Json recording_json(const PassRecorder* recorder) {
  if (recorder == nullptr) {
    return nullptr;
  }
  return {{"file", recorder->file()},
          {"ended", recorder->worker().ended()},
          {"bytes", recorder->worker().bytes()},
          {"passes", recorder->counters().passes},
          {"missed", recorder->counters().missed}};
}

Json evictions_json(const RecordStore& records) {
  Json evictions = Json::array();
  const auto latest = records.latest();
  const std::size_t first = latest.size() > kShownEvictions ? latest.size() - kShownEvictions : 0;
  for (std::size_t i = first; i < latest.size(); ++i) {
    Json one = exporting::to_json(latest[i]);
    one.erase("ranking");
    evictions.push_back(std::move(one));
  }
  return evictions;
}

}  // namespace

nlohmann::ordered_json make_status(const StatusSources& sources, MonoTime now) {
  const config::Settings& settings = sources.config->settings();
  const WatchingSide watching{
      .ladder = sources.probe == nullptr ? nullptr : sources.ladder,
      .polling = sources.hot->polling.load(),
      .reads_node = sources.probe == nullptr || sources.probe->node().usage.value >= 0};
  Json last_pass = nullptr;
  if (sources.last_pass != nullptr) {
    last_pass = {{"trigger", to_string(sources.last_trigger)},
                 {"ms_ago", to_ms(now - sources.last_pass_at)},
                 {"outcome", eviction::to_string(sources.last_pass->decision.outcome)},
                 {"reason", eviction::to_string(sources.last_pass->decision.reason)},
                 {"reason_text", eviction::describe(sources.last_pass->decision.reason)}};
  }
  Json problems = Json::array();
  for (const Error& problem : sources.registry->problems()) {
    problems.push_back(problem.message());
  }
  return {
      {"version", EVICTD_VERSION},
      {"pid", getpid()},
      {"node", sources.journal->node()},
      {"uptime_ms", to_ms(now - sources.started_at)},
      {"process", process_usage_json()},
      {"compatibility", settings.compatibility == eviction::Compat::k1_26 ? "1.26" : "1.32"},
      {"dry_run", sources.wishes.dry_run.value_or(settings.dry_run)},
      {"dry_run_source", sources.wishes.dry_run ? "evictctl" : "config"},
      {"event_source", sources.probe == nullptr ? "poll" : "bpf"},
      {"reading_files", watching.ladder == nullptr || watching.polling},
      {"pid_available_source",
       settings.pid_available_source == config::PidAvailableSource::kNode ? "node" : "podRoot"},
      {"pid_available", pid_available_json(watching, settings.pid_available_source)},
      {"memory_available", memory_available_json(watching, settings.memory)},
      {"oom_guard", guard_json(sources)},
      {"realtime", sources.realtime},
      {"memory_locked", sources.memory_locked},
      {"descriptor_limit", sources.descriptor_limit},
      {"pod_root", sources.registry->tree().pod_root()},
      {"cgroup_mode", sys::to_string(sources.registry->tree().layout().mode())},
      {"last_pass", last_pass},
      {"brakes", brakes_json(sources, now)},
      {"state", state_json(sources)},
      {"signals", signals_json(sources, now)},
      {"disk_layout", layout_json(sources.filesystems->layout())},
      {"filesystems", filesystems_json(*sources.filesystems, settings.compatibility, now)},
      {"conditions", conditions_json(sources, now)},
      {"pods", pods_json(sources, now)},
      {"manifests", manifests_json(settings.manifest_directories, sources.wall_now)},
      {"problems", problems},
      {"hooks", hooks_json(*sources.ladder)},
      {"notify", sources.notify == nullptr ? Json(nullptr) : notify_json(sources.notify->report())},
      {"records", records_json(*sources.journal, now)},
      {"recording", recording_json(sources.recorder)},
      {"counters", counters_json(sources)},
      {"evictions", evictions_json(*sources.records)}};
}

}  // namespace evictd::daemon
