// SPDX-License-Identifier: Apache-2.0
#include "scenario.h"
#include "evictd/try.h"

namespace evictd::vectors {

eviction::PassSettings Scenario::settings(eviction::Compat compat) const {
  eviction::PassSettings settings;
  settings.thresholds = thresholds;
  settings.compat = compat;
  settings.pressure_transition_period = pressure_transition_period;
  settings.max_pod_grace = max_pod_grace;
  settings.local_storage_isolation = local_storage_isolation;
  return settings;
}

std::optional<std::size_t> Scenario::place_of(const JsonReader& name) const {
  const eviction::Pod* const pod = pods.find(name.text());
  if (pod == nullptr) {
    name.reject("is no pod of the scenario");
    return std::nullopt;
  }
  return static_cast<std::size_t>(pod - pods.pods.data());
}

void Scenario::set_active(const JsonReader& names) {
  active.clear();
  for (const JsonReader& name : names.elements()) {
    if (const std::optional<std::size_t> place = place_of(name)) {
      active.push_back(*place);
    }
  }
}

Result<Scenario> read_scenario(const JsonReader& root, eviction::Compat compat) {
  const JsonReader config = root.at("config");
  Scenario scenario;
  EVICTD_ASSIGN_OR_RETURN(
      scenario.thresholds,
      EVICTD_IN("config", eviction::parse_thresholds(threshold_texts(config), compat)));
  scenario.max_pod_grace = std::chrono::seconds(whole(config.at("maxPodGracePeriodSeconds")));
  scenario.pressure_transition_period =
      std::chrono::seconds(whole(config.at("pressureTransitionPeriodSeconds")));
  scenario.notifies = config.at("kernelMemcgNotification").flag();
  scenario.local_storage_isolation = root.at("localStorageCapacityIsolation").flag();
  scenario.layout = {root.at("dedicatedImageFs").flag(), root.at("splitContainerImageFs").flag()};
  scenario.start = time(root.at("start")).value_or(MonoTime{});
  scenario.pods = pod_set(root.at("pods"), compat);
  return scenario;
}

}  // namespace evictd::vectors
