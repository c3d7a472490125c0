// SPDX-License-Identifier: Apache-2.0
#include "config/pass_settings.h"

#include <algorithm>
#include <chrono>

namespace evictd::config {

eviction::PassSettings pass_settings_of(const Config& config) {
  const Settings& settings = config.settings();
  eviction::PassSettings pass;
  pass.thresholds = config.thresholds();
  pass.compat = settings.compatibility;
  pass.pressure_transition_period = settings.eviction.pressure_transition_period;
  // Negative times count as zero, so that the recorded value is the one applied.
  pass.max_pod_grace =
      std::max(settings.eviction.max_pod_grace_period, std::chrono::seconds::zero());
  pass.hard_grace = settings.hard_eviction.grace_period;
  pass.hard_grace_policy = settings.hard_eviction.grace_policy;
  pass.oom_guard = settings.hard_eviction.oom_guard;
  pass.hard_floor = {.amount = settings.hard_eviction.floor.amount,
                     .percent_of_threshold = settings.hard_eviction.floor.percent};
  pass.local_storage_isolation = settings.storage.local_storage_capacity_isolation;
  pass.pid_scope = settings.pid_available_source == PidAvailableSource::kNode
                       ? eviction::Scope::kNode
                       : eviction::Scope::kPodRoot;
  return pass;
}

}  // namespace evictd::config
