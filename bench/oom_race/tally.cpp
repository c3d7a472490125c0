// SPDX-License-Identifier: Apache-2.0
#include "oom_race/tally.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace evictd::bench {
namespace {

double mebibytes(Bytes bytes) {
  return static_cast<double>(bytes.value) / (1 << 20);
}

void add_if_known(Series& series, const std::optional<double>& value) {
  if (value) {
    series.add(*value);
  }
}

}  // namespace

RaceTally::RaceTally(RaceRun run) : run_(std::move(run)), from_crossing_(run_.rows.size()) {}

void RaceTally::add(const RaceOutcome& outcome) {
  ++trials_;
  won_ += outcome.won() ? 1 : 0;
  hog_evicted_ += outcome.end == HogEnd::kEvicted ? 1 : 0;
  hog_oom_killed_ += outcome.end == HogEnd::kOomKilled ? 1 : 0;
  hog_survived_ += outcome.end == HogEnd::kSurvived ? 1 : 0;
  guaranteed_died_ += outcome.guaranteed_died ? 1 : 0;
  burstable_died_ += outcome.burstable_died ? 1 : 0;
  died_in_trial_ = (outcome.guaranteed_died ? 1 : 0) + (outcome.burstable_died ? 1 : 0);
  oom_kills_ += outcome.oom_kills;
  lowest_available_.add(mebibytes(outcome.lowest_available));
  lowest_kubelet_available_.add(mebibytes(outcome.lowest_kubelet_available));
  swap_used_at_start_.add(mebibytes(outcome.swap_used_at_start));
  add_if_known(from_short_, outcome.from_short_ms);
  for (std::size_t i = 0; i < from_crossing_.size(); ++i) {
    add_if_known(from_crossing_[i], outcome.from_crossing_ms.at(i));
  }
}

void RaceTally::count_dead_between(int dead_bystanders) {
  died_between_ += std::max(dead_bystanders - died_in_trial_, 0);
  died_in_trial_ = 0;
}

void RaceTally::report_to(Report& report) const {
  for (std::size_t i = 0; i < run_.rows.size(); ++i) {
    const nlohmann::json params = params_of(run_.rows[i]);
    report.add(
        "race", params, "ms", from_crossing_[i],
        {{"trials", trials_},
         {"void", void_trials_.count},
         {"won", won_},
         {"hog evicted", hog_evicted_},
         {"hog OOM-killed", hog_oom_killed_},
         {"hog survived", hog_survived_},
         {"guaranteed died", guaranteed_died_},
         {"burstable died", burstable_died_},
         {"OOM kills", oom_kills_},
         {"died between trials", died_between_},
         {"OOM kills between trials", std::max<std::int64_t>(oom_kills_of_run_ - oom_kills_, 0)},
         {"racer died", contestant_died_},
         {"most swap used at the start (MiB)", std::round(swap_used_at_start_.max())},
         {"lowest MemAvailable (MiB)", std::round(lowest_available_.percentile(0))},
         {"lowest memory.available (MiB)", std::round(lowest_kubelet_available_.percentile(0))}});
    if (void_trials_.count > 0) {
      report.add_row_note(title_of(run_.rows[i]) + ": " + std::to_string(void_trials_.count) +
                          " void trials made again, the last because: " + void_trials_.reason);
    }
    report.add("short_to_death", params, "ms", from_short_);
    report.add("lowest_available", params, "MiB", lowest_available_);
    report.add("lowest_kubelet_available", params, "MiB", lowest_kubelet_available_);
  }
}

}  // namespace evictd::bench
