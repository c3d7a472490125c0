// SPDX-License-Identifier: Apache-2.0
// The named steps of a pass, each a pure function of what it is given.
#pragma once

#include <cstddef>
#include <optional>

#include "eviction/observation.h"
#include "eviction/pass.h"
#include "eviction/pass_state.h"
#include "eviction/threshold_table.h"

namespace evictd::eviction {

/// Those of `among` whose signal is below its limit; a signal without an observation meets nothing.
[[nodiscard]] ThresholdList thresholds_met(const ThresholdTable& table, const ThresholdList& among,
                                           const Observations& seen, MinReclaim min_reclaim);

/// `a`, then those of `b` that are not the same as one already there.
[[nodiscard]] ThresholdList merge(const ThresholdTable& table, const ThresholdList& a,
                                  const ThresholdList& b);

/// Since when each of `met` has been met: what was known before, or `now`. All others are
/// forgotten.
[[nodiscard]] FirstObserved first_observed(const ThresholdList& met, const FirstObserved& before,
                                           MonoTime now);

/// Those of `met` that have been met for their grace period; equality counts.
[[nodiscard]] ThresholdList past_grace(const ThresholdTable& table, const ThresholdList& met,
                                       const FirstObserved& since, MonoTime now);

/// The conditions that the thresholds stand for.
[[nodiscard]] ConditionSet conditions_of(const ThresholdTable& table, const ThresholdList& met);

/// When each condition was last observed, `observed` being so now.
[[nodiscard]] ConditionTimes last_observed(ConditionSet observed, const ConditionTimes& before,
                                           MonoTime now);

/// Conditions observed less than `period` ago.
[[nodiscard]] ConditionSet observed_since(const ConditionTimes& last, Duration period,
                                          MonoTime now);

/// Those of `list` whose statistics are newer than in the last pass, or of unknown age.
[[nodiscard]] ThresholdList with_fresh_statistics(const ThresholdTable& table,
                                                  const ThresholdList& list,
                                                  const Observations& seen,
                                                  const Observations& last);

/// The same thresholds in the order in which we act.
[[nodiscard]] ThresholdList in_order(const ThresholdTable& table, ThresholdList list);

/// The first one that a resource can be reclaimed for.
[[nodiscard]] std::optional<std::size_t> first_reclaimable(const ThresholdTable& table,
                                                           const ThresholdList& list);

}  // namespace evictd::eviction
