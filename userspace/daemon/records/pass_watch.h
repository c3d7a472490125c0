// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eviction/decision.h"
#include "eviction/observation.h"
#include "eviction/threshold_table.h"

namespace evictd::daemon {

/// Detects changes from one pass to the next, so that evictd reports a state once and not once a
/// pass.
class PassWatch {
 public:
  struct Change {
    /// The pass ended differently from the one before: another outcome, reason or threshold.
    bool outcome = false;
    /// Indices of thresholds that became met, and of those that ceased to be met.
    std::vector<std::size_t> met;
    std::vector<std::size_t> no_longer_met;
    std::vector<eviction::Condition> set;
    std::vector<eviction::Condition> cleared;
  };

  [[nodiscard]] Change take(const eviction::Decision& decision);
  /// For a pass that had waited for collectors. Its met thresholds are older than those of the
  /// passes in between, which were reported.
  [[nodiscard]] Change take_resumed(const eviction::Decision& decision);
  /// Whether the pods that exceed a limit on local storage and are spared, or the reasons, differ
  /// from the pass before; false once there are none.
  [[nodiscard]] bool take_spared(std::vector<std::string> spared);
  /// The record of a pass that runs collectors reported its threshold.
  void mark_reported(const eviction::Decision& reclaiming);
  /// Whether such a record exists for the pass that `resumed` continues; that pass may have left no
  /// copy.
  [[nodiscard]] bool was_reported(const eviction::Decision& resumed) const;
  struct Seen {
    /// Signals of a threshold that are no longer observed, or are not observed the first time.
    std::vector<eviction::Signal> lost;
    /// Signals that are observed again.
    std::vector<eviction::Signal> back;
  };
  /// Compares the observed signals of `thresholds` with the pass before. Disk signals are left out,
  /// because filesystems are reported separately.
  [[nodiscard]] Seen take_signal_changes(const eviction::ThresholdTable& thresholds,
                                         const eviction::Observations& observations);
  /// Indices mean other thresholds from now on: forgets which were met.
  void forget_thresholds();

 private:
  [[nodiscard]] Change take_all_but_thresholds(const eviction::Decision& decision);

  eviction::Outcome outcome_ = eviction::Outcome::kNothingMet;
  eviction::Reason reason_ = eviction::Reason::kNone;
  std::optional<std::size_t> threshold_;
  eviction::ThresholdList met_;
  eviction::ConditionSet conditions_;
  std::vector<std::string> spared_;
  /// The observations of the pass that was last reported.
  std::optional<eviction::Observations> told_;
  std::set<eviction::Signal> unseen_;
};

}  // namespace evictd::daemon
