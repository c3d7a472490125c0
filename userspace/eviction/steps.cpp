// SPDX-License-Identifier: Apache-2.0
#include "eviction/steps.h"

#include <algorithm>

namespace evictd::eviction {

ThresholdList thresholds_met(const ThresholdTable& table, const ThresholdList& among,
                             const Observations& seen, MinReclaim min_reclaim) {
  ThresholdList met;
  for (const std::size_t place : among) {
    const std::optional<Observation>& observation = seen[table[place].signal];
    if (observation && table.met(place, *observation, min_reclaim)) {
      met.add(place);
    }
  }
  return met;
}

ThresholdList merge(const ThresholdTable& table, const ThresholdList& a, const ThresholdList& b) {
  ThresholdList merged = a;
  for (const std::size_t place : b) {
    const bool known = std::any_of(merged.begin(), merged.end(),
                                   [&](std::size_t other) { return table.same(place, other); });
    if (!known) {
      merged.add(place);
    }
  }
  return merged;
}

FirstObserved first_observed(const ThresholdList& met, const FirstObserved& before, MonoTime now) {
  FirstObserved since;
  for (const std::size_t place : met) {
    since[place] = before[place].value_or(now);
  }
  return since;
}

ThresholdList past_grace(const ThresholdTable& table, const ThresholdList& met,
                         const FirstObserved& since, MonoTime now) {
  ThresholdList past;
  for (const std::size_t place : met) {
    if (since[place] && now - *since[place] >= table[place].grace_period) {
      past.add(place);
    }
  }
  return past;
}

ConditionSet conditions_of(const ThresholdTable& table, const ThresholdList& met) {
  ConditionSet conditions;
  for (const std::size_t place : met) {
    if (table[place].signal != Signal::kUnknown) {
      conditions.add(condition_of(table[place].signal));
    }
  }
  return conditions;
}

ConditionTimes last_observed(ConditionSet observed, const ConditionTimes& before, MonoTime now) {
  ConditionTimes last = before;
  for (const Condition condition : kConditions) {
    if (observed.has(condition)) {
      last[static_cast<std::size_t>(condition)] = now;
    }
  }
  return last;
}

ConditionSet observed_since(const ConditionTimes& last, Duration period, MonoTime now) {
  ConditionSet reported;
  for (const Condition condition : kConditions) {
    const std::optional<MonoTime>& at = last[static_cast<std::size_t>(condition)];
    if (at && now - *at < period) {
      reported.add(condition);
    }
  }
  return reported;
}

ThresholdList with_fresh_statistics(const ThresholdTable& table, const ThresholdList& list,
                                    const Observations& seen, const Observations& last) {
  ThresholdList fresh;
  for (const std::size_t place : list) {
    const Signal signal = table[place].signal;
    const std::optional<Observation>& now = seen[signal];
    if (!now) {
      continue;
    }
    const std::optional<Observation>& before = last[signal];
    if (!before || !now->time || !before->time || *now->time > *before->time) {
      fresh.add(place);
    }
  }
  return fresh;
}

ThresholdList in_order(const ThresholdTable& table, ThresholdList list) {
  std::sort(list.begin(), list.end(),
            [&](std::size_t a, std::size_t b) { return table.order(a) < table.order(b); });
  return list;
}

}  // namespace evictd::eviction
