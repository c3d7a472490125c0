// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "evictd/bytes.h"
#include "harness/report.h"
#include "harness/trials.h"
#include "oom_race/plan.h"
#include "oom_race/trial.h"

namespace evictd::bench {

/// The counted trials of one run.
class RaceTally {
 public:
  explicit RaceTally(RaceRun run);

  void add(const RaceOutcome& outcome);
  void add(VoidTrials voids) { void_trials_ = std::move(voids); }
  /// Call before every trial and after the last one, with the number of dead pods among those that
  /// must survive. Pods that died in the trial before are not counted again.
  void count_dead_between(int dead_bystanders);
  /// Kills by the OOM killer from before the first trial until after the last.
  void add_oom_kills_of_run(std::int64_t count) { oom_kills_of_run_ = count; }
  void add_death_of_contestant() { ++contestant_died_; }
  /// Adds the rows of the run to the report.
  void report_to(Report& report) const;

 private:
  RaceRun run_;
  VoidTrials void_trials_;
  int trials_ = 0;
  int won_ = 0;
  int hog_evicted_ = 0;
  int hog_oom_killed_ = 0;
  int hog_survived_ = 0;
  int guaranteed_died_ = 0;
  int burstable_died_ = 0;
  std::int64_t oom_kills_ = 0;
  std::int64_t oom_kills_of_run_ = 0;
  int contestant_died_ = 0;
  int died_between_ = 0;
  /// Deaths in the last trial.
  int died_in_trial_ = 0;
  /// One series per row of the run.
  std::vector<Series> from_crossing_;
  Series from_short_;
  Series lowest_available_;
  Series lowest_kubelet_available_;
  Series swap_used_at_start_;
};

}  // namespace evictd::bench
