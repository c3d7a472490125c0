// SPDX-License-Identifier: Apache-2.0
#include "replay/what_if.h"

#include <utility>

#include "config/engine_configuration.h"
#include "config/never_evict.h"
#include "config/pass_settings.h"
#include "evictd/try.h"
#include "eviction/manager.h"
#include "replay/left_out.h"
#include "replay/simulation.h"

namespace evictd::replay {

namespace {

/// The same pod where there is one, in order.
void pair_up(Counterfactual& result, const Simulation& simulation,
             const std::vector<Eviction>& recorded, MonoTime end) {
  std::vector<bool> used(simulation.evictions().size(), false);
  for (const Eviction& was : recorded) {
    Comparison line;
    line.recorded = was;
    for (std::size_t i = 0; i < used.size() && !line.instead; ++i) {
      if (!used[i] && simulation.evictions()[i].uid == was.uid) {
        used[i] = true;
        line.instead = simulation.evictions()[i];
        line.later = line.instead->at - was.at;
        if (!was.signal.empty() && was.signal == line.instead->signal) {
          line.more_used = was.available - line.instead->available;
        }
      }
    }
    if (!line.instead && simulation.ends_without_a_pass_since(was.at)) {
      line.cut_off = end - was.at;
    }
    line.oom_first = simulation.oom_of(was.pod);
    result.evictions.push_back(std::move(line));
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) {
      Comparison line;
      line.instead = simulation.evictions()[i];
      result.evictions.push_back(std::move(line));
    }
  }
}

/// By number. With another configuration its neverEvict holds.
std::vector<eviction::PodFacts> facts_of(const Parts& parts, const WhatIf& changes) {
  std::vector<eviction::PodFacts> facts(parts.pods.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (parts.pods[i] == nullptr) {
      continue;
    }
    facts[i] = parts.pods[i]->facts;
    if (changes.config) {
      facts[i].never_evict = config::names_pod((*changes.config)->brakes.never_evict,
                                               parts.pods[i]->ns, parts.pods[i]->labels);
    }
  }
  return facts;
}

/// The state before the first pass, with the layout that it was run with: it decides which
/// thresholds there are.
std::optional<eviction::PassState> first_state(const RecordedPass& first) {
  std::optional<eviction::PassState> state = first.before;
  if (state && !state->layout) {
    state->layout = first.layout;
  }
  return state;
}

}  // namespace

Result<Counterfactual> what_if(const Recording& recording, const WhatIf& changes) {
  EVICTD_ASSIGN_OR_RETURN(const Parts parts, parts_of(recording));
  EVICTD_ASSIGN_OR_RETURN(const config::Config was,
                          config::parse(parts.configs.front()->yaml, "the recorded configuration"));
  const config::Config& config = changes.config ? *changes.config : was;
  eviction::PassSettings settings = config::pass_settings_of(config);
  settings.compat = changes.compat.value_or(settings.compat);
  EVICTD_ASSIGN_OR_RETURN(const std::vector<eviction::EvictionManager> recorded,
                          recorded_managers(parts));
  EVICTD_ASSIGN_OR_RETURN(eviction::EvictionManager manager,
                          eviction::EvictionManager::create(std::move(settings)));
  if (const auto state = first_state(*parts.passes.front())) {
    // As a reload does it.
    eviction::EvictionManager before = recorded.front();
    before.restore(*state);
    manager.inherit(before);
  }
  engine::Configuration configuration(std::move(manager));
  config::configure(configuration, config.settings());
  const std::vector<eviction::PodFacts> facts = facts_of(parts, changes);
  Simulation simulation(
      {.parts = &parts,
       .changes = &changes,
       .facts = &facts,
       .recorded = &recorded,
       .interval = changes.interval.value_or(config->poll_interval),
       .files_go = config->storage.evicted_pod_data == config::EvictedPodData::kRemoveEmptyDirs},
      std::move(configuration));
  simulation.run();
  Counterfactual result;
  pair_up(result, simulation, recorded_evictions(parts, recorded), parts.passes.back()->now);
  result.passes = simulation.passes();
  result.held = simulation.held();
  result.left_out = left_out(parts, changes, was, simulation);
  return result;
}

}  // namespace evictd::replay
