// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/settings.h"
#include "eviction/observation.h"
#include "probe/ladder.h"

namespace evictd::daemon {

/// The kernel side's ability to notice crossings.
struct WatchingSide {
  /// Its hooks in use; nullptr without a kernel side.
  const probe::Ladder* ladder = nullptr;
  /// Its timer stalls: everything is polled too.
  bool polling = false;
  /// It reads every NUMA node that has memory.
  bool reads_node = true;
};

/// The field "memory_available" of the status.
[[nodiscard]] nlohmann::ordered_json memory_available_json(const WatchingSide& side,
                                                           const eviction::MemoryRules& rules);
/// The field "pid_available" of the status.
[[nodiscard]] nlohmann::ordered_json pid_available_json(const WatchingSide& side,
                                                        config::PidAvailableSource source);

}  // namespace evictd::daemon
