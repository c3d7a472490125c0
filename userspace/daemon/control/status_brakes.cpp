// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_brakes.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "export/json_time.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

Json pause_json(const Json& signal, MonoTime until, const StatusSources& sources, MonoTime now) {
  const Duration left = until - now;
  return {{"signal", signal},
          {"remaining_ms", std::chrono::duration_cast<std::chrono::milliseconds>(left).count()},
          {"until", exporting::rfc3339(sources.wall_now + left)}};
}

Json pauses_json(const StatusSources& sources, MonoTime now) {
  const eviction::Pauses& pauses = sources.wishes.pauses;
  Json list = Json::array();
  if (pauses.all > now) {
    list.push_back(pause_json(nullptr, pauses.all, sources, now));
  }
  for (const eviction::Signal signal : eviction::kSignals) {
    const MonoTime until = pauses.by_signal[static_cast<std::size_t>(signal)];
    if (until > now) {
      list.push_back(pause_json(eviction::to_string(signal), until, sources, now));
    }
  }
  return list;
}

Json held_json(const HotCounters& hot) {
  Json held = Json::object();
  for (std::size_t i = 0; i < eviction::kReasonCount; ++i) {
    const auto reason = static_cast<eviction::Reason>(i);
    if (eviction::is_brake(reason)) {
      held[std::string(eviction::to_string(reason))] = hot.held[i].load();
    }
  }
  return held;
}

}  // namespace

nlohmann::ordered_json state_json(const StatusSources& sources) {
  const StateKeeper& keeper = *sources.state;
  const StateWriter::Counters counters = keeper.counters();
  return {{"file", keeper.path().empty() ? Json(nullptr) : Json(keeper.path())},
          {"restored", keeper.found().found},
          {"problem", keeper.found().problem},
          {"adopted", keeper.adopted()},
          {"writes", counters.writes},
          {"failures", counters.failures},
          {"last_failure", counters.last_failure},
          {"intents_not_written", sources.hot->intents_not_written.load()}};
}

nlohmann::ordered_json brakes_json(const StatusSources& sources, MonoTime now) {
  const config::BrakeSettings& settings = sources.config->settings().brakes;
  const PassCopy* const pass = sources.last_pass;
  Json on = nullptr;
  if (pass != nullptr && eviction::is_brake(pass->decision.reason)) {
    on = eviction::to_string(pass->decision.reason);
  }
  Json labels = Json::array();
  for (const config::LabelRule& rule : settings.never_evict.labels) {
    labels.push_back(rule.any_value ? rule.key : rule.key + "=" + rule.value);
  }
  return {{"on", on},
          {"max_evictions_per_minute", settings.max_evictions_per_minute},
          {"evictions_last_minute",
           pass == nullptr ? 0 : pass->eviction_times.within(eviction::kRateWindow, now)},
          {"pauses", pauses_json(sources, now)},
          {"believed_growth",
           {{"memory_bytes_per_second", sources.growth.memory_per_second.value},
            {"disk_bytes_per_second", sources.growth.disk_per_second.value},
            {"disk_bytes_ahead", sources.growth.disk_ahead.value},
            {"capacity_part", sources.growth.capacity_part}}},
          {"held_passes", held_json(*sources.hot)},
          {"never_evict",
           {{"namespaces", settings.never_evict.namespaces}, {"labels", std::move(labels)}}}};
}

}  // namespace evictd::daemon
