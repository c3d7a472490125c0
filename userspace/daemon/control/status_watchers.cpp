// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_watchers.h"

#include <nlohmann/json.hpp>

#include "daemon/shared/node_memory.h"
#include "daemon/shared/watcher.h"

namespace evictd::daemon {

namespace {

bool is_watched(Watcher watcher) {
  return watcher != Watcher::kPolling;
}

bool is_polled_too(const WatchingSide& side, Watcher watcher) {
  return side.polling || watcher != Watcher::kKernel;
}

}  // namespace

nlohmann::ordered_json memory_available_json(const WatchingSide& side,
                                             const eviction::MemoryRules& rules) {
  const Watcher watcher = side.ladder == nullptr || !side.reads_node
                              ? Watcher::kPolling
                              : memory_watcher(*side.ladder, rules);
  return {{"source", eviction::to_string(rules.source)},
          {"swap_aware", rules.swap_aware},
          {"hugepage_aware", rules.hugepage_aware},
          {"watched_by_kernel", is_watched(watcher)},
          {"polled", is_polled_too(side, watcher)}};
}

nlohmann::ordered_json pid_available_json(const WatchingSide& side,
                                          config::PidAvailableSource source) {
  const Watcher watcher =
      side.ladder == nullptr ? Watcher::kPolling : task_watcher(*side.ladder, source);
  return {{"watched_by_kernel", is_watched(watcher)}, {"polled", is_polled_too(side, watcher)}};
}

}  // namespace evictd::daemon
