// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <random>
#include <string>

#include "crossing/contender.h"
#include "crossing/ground.h"
#include "evictd/result.h"
#include "observer/observer.h"

namespace evictd::bench {

/// What one trial showed; times run from the observer's crossing.
struct TrialOutcome {
  /// Empty if the trial counts; else why it does not.
  std::string void_because;
  double to_sigkill_us = 0;
  /// From evictd's own detection; nothing where there is none.
  std::optional<double> detection_to_sigkill_us;
  double to_exit_us = 0;
  double past_at_sigkill_mib = 0;
  double past_at_most_mib = 0;
  double hog_mib_per_second = 0;
};

/// One hog from rest to its death, killed by `contender`.
/// A trial is void, and run again, when the hog was not killed, or not by a SIGKILL that the
/// observer saw, or when the node was past the level before the hog was let go.
/// Errors: what stops the whole bench: no cgroup, no process, an OOM kill.
Result<TrialOutcome> run_trial(const Row& row, Ground& ground, Contender& contender,
                               Observer& observer, std::mt19937& random);

}  // namespace evictd::bench
