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

/// What changed from one pass to the next, so that what stays as it is is told once and not once a
/// pass.
class PassWatch {
 public:
  struct Change {
    /// The pass ended otherwise than the one before: another outcome, reason or threshold.
    bool outcome = false;
    /// Places of thresholds that are met now and were not, and the other way round.
    std::vector<std::size_t> met;
    std::vector<std::size_t> no_longer_met;
    std::vector<eviction::Condition> set;
    std::vector<eviction::Condition> cleared;
  };

  [[nodiscard]] Change take(const eviction::Decision& decision);
  /// Of a pass that had waited for collectors. Which thresholds it has as met is of before that:
  /// passes in between have told of them since.
  [[nodiscard]] Change take_resumed(const eviction::Decision& decision);
  /// Whether other pods than in the pass before exceed a limit on local storage and are spared, or
  /// for another reason; false once there are none.
  [[nodiscard]] bool take_spared(std::vector<std::string> spared);
  /// A record of a pass that has collectors run told of its threshold.
  void note_told(const eviction::Decision& reclaiming);
  /// Whether one did of the pass that `resumed` goes on with: that may have left no copy.
  [[nodiscard]] bool has_told(const eviction::Decision& resumed) const;
  struct Seen {
    /// Signals of a threshold that are not observed now and were, or were not asked for.
    std::vector<eviction::Signal> lost;
    /// Those that are observed again.
    std::vector<eviction::Signal> back;
  };
  /// What a pass saw of the signals that `thresholds` are for; those of disks are left out, whose
  /// filesystems are told of by themselves.
  [[nodiscard]] Seen take_seen(const eviction::ThresholdTable& thresholds,
                               const eviction::Observations& observations);
  /// Places mean other thresholds from now on: forgets which were met.
  void forget_thresholds();

 private:
  [[nodiscard]] Change take_all_but_thresholds(const eviction::Decision& decision);

  eviction::Outcome outcome_ = eviction::Outcome::kNothingMet;
  eviction::Reason reason_ = eviction::Reason::kNone;
  std::optional<std::size_t> threshold_;
  eviction::ThresholdList met_;
  eviction::ConditionSet conditions_;
  std::vector<std::string> spared_;
  /// What the pass was decided from that was told of last.
  std::optional<eviction::Observations> told_;
  std::set<eviction::Signal> unseen_;
};

}  // namespace evictd::daemon
