// SPDX-License-Identifier: Apache-2.0
#include "config/engine_configuration.h"

namespace evictd::config {

void configure(engine::Configuration& engine, const Settings& settings) {
  engine.dry_run = settings.dry_run;
  engine.max_evictions_per_minute = settings.brakes.max_evictions_per_minute;
  engine.bridge_grace = settings.grace_bridge == GraceBridge::kMemoryHigh;
  engine.usage_wait = settings.storage.pods.max_wait;
  const auto time_of = [](const ReclaimCommand& command) {
    return command.argv.empty() ? Duration{0} : command.timeout;
  };
  engine.collector_time = {time_of(settings.storage.reclaim_containers),
                           time_of(settings.storage.reclaim_images)};
}

}  // namespace evictd::config
