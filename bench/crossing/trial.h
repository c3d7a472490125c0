// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <random>
#include <string>

#include "crossing/contender.h"
#include "crossing/ground.h"
#include "evictd/result.h"
#include "observer/observer.h"
#include "tracer/hot_tracer.h"
#include "tracer/steps.h"

namespace evictd::bench {

/// Results of one trial; times start at the observer's crossing.
struct TrialOutcome {
  /// Why the trial is void; empty if it counts.
  std::string void_because;
  /// Until the signal was generated, and until the call that sent it returned. A signal that the
  /// kernel side sent has no call: there both are the same.
  double to_generated_us = 0;
  double to_sigkill_us = 0;
  bool by_kernel = false;
  /// From evictd's own detection; nullopt without one.
  std::optional<double> detection_to_generated_us;
  std::optional<double> detection_to_sigkill_us;
  double to_exit_us = 0;
  double past_at_sigkill_mib = 0;
  double past_at_most_mib = 0;
  double hog_mib_per_second = 0;
  /// From evictd's own detection; nullopt without one, or if its hot thread was not traced.
  std::optional<StepTimes> steps;
};

/// Those who watch a trial from outside.
struct Witnesses {
  Observer observer;
  /// Of evictd's hot thread; nullopt: nobody traces it.
  std::optional<HotTracer> tracer;
};

/// Runs one hog from rest to its death; `contender` kills it.
/// The trial is void and repeated if the hog was not killed, or not by a SIGKILL that the observer
/// saw. It is also void if the node was past the level before the hog started.
/// Errors: those that stop the whole bench: no cgroup, no process, an OOM kill.
Result<TrialOutcome> run_trial(const Row& row, Ground& ground, Contender& contender,
                               Witnesses& witnesses, std::mt19937& random);

}  // namespace evictd::bench
