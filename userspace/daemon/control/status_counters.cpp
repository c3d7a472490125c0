// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_counters.h"

#include <array>
#include <nlohmann/json.hpp>

#include "daemon/control/status_disk.h"
#include "daemon/shared/realtime.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

Json by_kind(const std::array<std::uint64_t, probe::kEventKinds>& counters) {
  constexpr std::array<const char*, probe::kEventKinds> kNames{"threshold", "stall", "cgroup",
                                                               "oom_kill", "approach"};
  Json kinds = Json::object();
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    kinds[kNames[i]] = counters[i];
  }
  return kinds;
}

Json kernel_json(const StatusSources& sources) {
  if (sources.probe == nullptr) {
    return nullptr;
  }
  const probe::Counters counters = sources.probe->counters();
  std::uint64_t misses = 0;
  for (const probe::ProgramCounters& program : sources.probe->program_counters()) {
    misses += program.recursion_misses;
  }
  return {{"emitted", by_kind(counters.emitted)},
          {"delivered", by_kind(counters.delivered)},
          {"dropped", by_kind(counters.dropped)},
          {"malformed", counters.malformed},
          {"ticks", counters.ticks},
          {"fast_ticks", counters.fast_ticks},
          {"kicks", counters.kicks},
          {"throttled", counters.throttled},
          {"charges", counters.charges},
          {"forks", counters.forks},
          {"stale_rows", counters.stale_rows},
          {"dying_rows", counters.dying_rows},
          {"recursion_misses", misses},
          {"timer_stalled", sources.timer_stalled}};
}

Json backstop_json(const StatusSources& sources) {
  if (sources.probe == nullptr || sources.probe->backstop() == nullptr) {
    return nullptr;
  }
  const probe::BackstopCounters counters = sources.probe->backstop()->counters();
  Json spared = Json::object();
  for (std::size_t i = 1; i < counters.spared.size(); ++i) {
    spared[std::string(probe::to_string(static_cast<probe::BackstopSpared>(i)))] =
        counters.spared[i];
  }
  Json no_plan = Json::object();
  for (std::size_t i = 0; i < engine::kNoBackstops; ++i) {
    no_plan[std::string(engine::to_string(static_cast<engine::NoBackstop>(i)))] =
        sources.hot->backstops_refused[i].load();
  }
  return {{"way", sources.probe->ladder().chosen(probe::Purpose::kBackstop)},
          {"armed", counters.armed},
          {"fired", counters.fired},
          {"taken", counters.taken},
          {"expired", counters.expired},
          {"spared", std::move(spared)},
          {"no_plan", std::move(no_plan)},
          {"signals", counters.signals},
          {"refused_signals", counters.refused_signals}};
}

Json passes_json(const HotCounters& hot) {
  Json passes = Json::object();
  for (std::size_t i = 0; i < kPassTriggers; ++i) {
    passes[std::string(to_string(static_cast<PassTrigger>(i)))] = hot.passes[i].load();
  }
  return passes;
}

Json control_socket_json(const base::LineServer::Counters& counters) {
  return {{"served", counters.served},
          {"refused", counters.refused},
          {"refused_listeners", counters.refused_listeners},
          {"oversized", counters.oversized},
          {"timed_out", counters.timed_out},
          {"aborted", counters.aborted},
          {"lagging", counters.lagging}};
}

Json left_behind_json(const enforce::ReclaimerCounters& reclaimed, std::uint64_t still_charged) {
  return {{"reclaims", reclaimed.reclaims},
          {"incomplete", reclaimed.incomplete},
          {"failed", reclaimed.failed},
          {"still_charged", still_charged}};
}

Json actuator_json(const StatusSources& sources) {
  const enforce::ActuatorCounters& counters = sources.actuator;
  Json refused = Json::object();
  for (std::size_t i = 1; i < enforce::kProtectionCount; ++i) {
    refused[std::string(enforce::to_string(static_cast<enforce::Protection>(i)))] =
        counters.refused[i];
  }
  Json not_bridged = Json::object();
  for (std::size_t i = 0; i < enforce::kBridgeStateCount; ++i) {
    const std::string_view why = enforce::to_string(static_cast<enforce::BridgeState>(i));
    if (!why.empty()) {
      not_bridged[std::string(why)] = counters.bridges_not_set[i];
    }
  }
  return {{"evictions", counters.evictions},
          {"sigterms", counters.sigterms},
          {"sigkills", counters.sigkills},
          {"escalations", counters.escalations},
          {"released", counters.released},
          {"exceeded_grace_period", counters.exceeded_grace},
          {"vanished", counters.vanished},
          {"refused", refused},
          {"walks", counters.walks},
          {"reopened_procs", counters.reopened_procs},
          {"opened_before_signal", counters.opened_before_signal},
          {"late_preparations", counters.late_preparations},
          {"tasks_held", counters.tasks_held},
          {"tasks_not_held", counters.tasks_not_held},
          {"bridges_set", counters.bridges_set},
          {"bridges_put_back", counters.bridges_put_back},
          {"bridges_not_set", not_bridged},
          {"failed_calls", counters.failed_calls},
          {"processes_released_by_us", sources.released_by_us},
          {"processes_not_released_by_us", sources.not_released_by_us}};
}

}  // namespace

nlohmann::ordered_json counters_json(const StatusSources& sources) {
  const HotCounters& hot = *sources.hot;
  const PodRegistry::Counters& registry = sources.registry->counters();
  Json counters = {{"passes", passes_json(hot)},
                   {"evictions", hot.evictions.load()},
                   {"not_begun", hot.not_begun.load()},
                   {"too_many_under_way", hot.too_many_under_way.load()},
                   {"waiting_for_room", hot.waiting_for_room.load()},
                   {"unreaped_tasks", hot.unreaped_tasks.load()},
                   {"kernel_oom_kills", hot.oom_kills.load()},
                   {"lost_records", hot.lost_records.load()},
                   {"resyncs", hot.resyncs.load()},
                   {"stand_bys", hot.stand_bys.load()},
                   {"lost_messages", hot.lost_messages.load()},
                   {"uncopied_passes", hot.uncopied_passes.load()},
                   {"unscanned_passes", hot.unscanned_passes.load()},
                   {"pods_without_slot", registry.without_slot},
                   {"open_failures", registry.open_failures},
                   {"pods_short_of_descriptors", sources.registry->incomplete()},
                   {"rescans", registry.rescans},
                   {"watched_anew", registry.watched_anew},
                   {"realtime_losses", sources.realtime_losses},
                   {"realtime_overruns", realtime_overruns()}};
  if (sources.cross_checker != nullptr) {
    counters["cross_checks"] = sources.cross_checker->counters().checks;
    counters["cross_check_disagreements"] = sources.cross_checker->counters().disagreements;
  }
  counters["storage"] = storage_counters_json(*sources.storage);
  counters["left_behind"] =
      left_behind_json(sources.reclaimed, sources.storage->counters().still_charged);
  counters["control_socket"] = control_socket_json(*sources.control_socket);
  counters["actuator"] = actuator_json(sources);
  counters["kernel"] = kernel_json(sources);
  counters["backstop"] = backstop_json(sources);
  return counters;
}

}  // namespace evictd::daemon
