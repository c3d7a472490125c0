// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "daemon/records/records_service.h"
#include "daemon/service_context.h"
#include "daemon/shared/guard_terms.h"
#include "daemon/shared/pass_copy.h"
#include "daemon/shared/watch_points.h"

namespace evictd::daemon {

/// Keeps what the kernel side watches up to date: the levels of all thresholds, and the inputs of
/// the OOM guard. Thread rule: housekeeping only.
class WatchedThresholds {
 public:
  WatchedThresholds(ServiceContext& context, RecordsService& records)
      : context_(context), records_(records) {}

  /// Another configuration is in force.
  void reload(const config::Settings& before);
  /// Moves the levels if a capacity changed.
  void follow_pass(const PassCopy& copy);
  /// Gives all thresholds to the kernel side again. Before the first pass does nothing.
  void watch_again();
  /// Reads the inputs of the OOM guard again. Call it at the polling interval, and once a second if
  /// swap_counts(): about 0.4 ms each time.
  void check_reserve_terms();
  /// Whether free swap is part of the reserve: its worth changes with what is stored there.
  [[nodiscard]] bool swap_counts() const;
  void log_memory_rules() const;

 private:
  /// What the kernel side measures memory.available against; empty if it cannot watch it.
  [[nodiscard]] NodeMemory watched_node_memory(const PassCopy& copy) const;
  void watch(const Capacities& capacities);
  void report_problem(const std::string& problem);
  /// Reports whether the kernel side watches for the guard.
  void report_guard_watcher();

  struct GuardState {
    std::optional<sys::ReserveTerms> terms;
    std::string problem;
    bool unwatched = false;  ///< The kernel side does not watch for it.
  };

  ServiceContext& context_;
  RecordsService& records_;
  Capacities capacities_;
  std::string problem_;  ///< Why some thresholds are not watched, as logged.
  GuardState guard_;     ///< Inputs as last read, and what was reported about them.
};

}  // namespace evictd::daemon
