// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "config/config.h"
#include "daemon/pods/pod_registry.h"
#include "daemon/records/records_service.h"
#include "daemon/shared/guard_terms.h"
#include "daemon/shared/pass_copy.h"
#include "daemon/shared/watch_points.h"
#include "probe/probe.h"
#include "sys/root.h"

namespace evictd::daemon {

/// Keeps what the kernel side watches up to date: the levels of all thresholds, and the inputs of
/// the OOM guard. Thread rule: housekeeping only.
class WatchedThresholds {
 public:
  struct Options {
    // Borrowed; probe is nullptr without BPF.
    const sys::Root* root = nullptr;
    base::Log* log = nullptr;
    probe::Probe* probe = nullptr;
    const probe::Ladder* ladder = nullptr;
    const PodRegistry* registry = nullptr;
    /// Where the hot thread finds the inputs of the OOM guard.
    GuardTermsBoard* guard_terms = nullptr;
    RecordsService* records = nullptr;
    /// Follows reloads.
    const std::shared_ptr<const config::Config>* config = nullptr;
  };

  explicit WatchedThresholds(const Options& options) : options_(options) {}

  /// Another configuration is in force.
  void reload(const config::Settings& before);
  /// Moves the levels if a capacity changed.
  void follow_pass(const PassCopy& copy);
  /// Gives all thresholds to the kernel side again. Before the first pass does nothing.
  void watch_again();
  /// Reads the inputs of the OOM guard again; call it once a second.
  void check_reserve_terms();
  void log_memory_rules() const;

 private:
  [[nodiscard]] const config::Settings& settings() const { return (*options_.config)->settings(); }
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

  Options options_;
  Capacities capacities_;
  std::string problem_;  ///< Why some thresholds are not watched, as logged.
  GuardState guard_;     ///< Inputs as last read, and what was reported about them.
};

}  // namespace evictd::daemon
