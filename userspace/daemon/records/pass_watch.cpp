// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/pass_watch.h"

#include <algorithm>
#include <utility>

namespace evictd::daemon {

PassWatch::Change PassWatch::take(const eviction::Decision& decision) {
  Change change = take_all_but_thresholds(decision);
  for (const std::size_t place : decision.met) {
    if (!met_.has(place)) {
      change.met.push_back(place);
    }
  }
  for (const std::size_t place : met_) {
    if (!decision.met.has(place)) {
      change.no_longer_met.push_back(place);
    }
  }
  met_ = decision.met;
  return change;
}

PassWatch::Change PassWatch::take_resumed(const eviction::Decision& decision) {
  return take_all_but_thresholds(decision);
}

PassWatch::Change PassWatch::take_all_but_thresholds(const eviction::Decision& decision) {
  Change change;
  change.outcome = decision.outcome != outcome_ || decision.reason != reason_ ||
                   decision.threshold != threshold_;
  for (const eviction::Condition condition : eviction::kConditions) {
    if (decision.conditions.has(condition) != conditions_.has(condition)) {
      (conditions_.has(condition) ? change.cleared : change.set).push_back(condition);
    }
  }
  outcome_ = decision.outcome;
  reason_ = decision.reason;
  threshold_ = decision.threshold;
  conditions_ = decision.conditions;
  return change;
}

bool PassWatch::take_spared(std::vector<std::string> spared) {
  std::sort(spared.begin(), spared.end());
  const bool other = !spared.empty() && spared != spared_;
  spared_ = std::move(spared);
  return other;
}

void PassWatch::mark_reported(const eviction::Decision& reclaiming) {
  told_ = reclaiming.observations;
}

bool PassWatch::was_reported(const eviction::Decision& resumed) const {
  return told_ == resumed.observations;
}

PassWatch::Seen PassWatch::take_signal_changes(const eviction::ThresholdTable& thresholds,
                                               const eviction::Observations& observations) {
  Seen change;
  std::set<eviction::Signal> unseen;
  for (const eviction::Threshold& threshold : thresholds.all()) {
    const eviction::Signal signal = threshold.signal;
    if (eviction::is_disk(signal)) {
      continue;
    }
    if (!observations[signal]) {
      if (unseen.insert(signal).second && !unseen_.contains(signal)) {
        change.lost.push_back(signal);
      }
    } else if (unseen_.erase(signal) != 0) {
      change.back.push_back(signal);
    }
  }
  unseen_ = std::move(unseen);
  return change;
}

void PassWatch::forget_thresholds() {
  met_ = {};
  threshold_.reset();
}

}  // namespace evictd::daemon
