// SPDX-License-Identifier: Apache-2.0
// The named steps of a pass, each a pure function of what it is given.
#pragma once

#include "eviction/observation.h"
#include "eviction/pass.h"
#include "eviction/pass_state.h"
#include "eviction/threshold_table.h"

namespace evictd::eviction {

/// The thresholds in `among` whose signal is below its limit. A signal without an observation meets
/// no threshold.
[[nodiscard]] ThresholdList thresholds_met(const ThresholdTable& table, const ThresholdList& among,
                                           const Observations& seen, MinReclaim min_reclaim);

/// `a`, then the thresholds of `b` that equal none before them.
[[nodiscard]] ThresholdList merge(const ThresholdTable& table, const ThresholdList& a,
                                  const ThresholdList& b);

/// When each of `met` was first observed: the time in `before`, or `now`. All others are dropped.
[[nodiscard]] FirstObserved first_observed(const ThresholdList& met, const FirstObserved& before,
                                           MonoTime now);

/// The thresholds in `met` that have been met for at least their grace period.
[[nodiscard]] ThresholdList past_grace(const ThresholdTable& table, const ThresholdList& met,
                                       const FirstObserved& since, MonoTime now);

/// The conditions of the thresholds.
[[nodiscard]] ConditionSet conditions_of(const ThresholdTable& table, const ThresholdList& met);

/// When each condition was last observed; `now` for those in `observed`.
[[nodiscard]] ConditionTimes last_observed(ConditionSet observed, const ConditionTimes& before,
                                           MonoTime now);

/// Conditions observed less than `period` ago.
[[nodiscard]] ConditionSet observed_since(const ConditionTimes& last, Duration period,
                                          MonoTime now);

/// The thresholds in `list` whose statistics are newer than in the last pass, or of unknown age.
[[nodiscard]] ThresholdList with_fresh_statistics(const ThresholdTable& table,
                                                  const ThresholdList& list,
                                                  const Observations& seen,
                                                  const Observations& last);

/// The same thresholds in the order of action.
[[nodiscard]] ThresholdList in_order(const ThresholdTable& table, ThresholdList list);

}  // namespace evictd::eviction
