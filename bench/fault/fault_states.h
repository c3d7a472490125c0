// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "evictd/result.h"
#include "harness/report.h"

namespace evictd::bench {

/// What is attached during the measurement. "Nothing" is measured twice, to show the resolution.
enum class FaultState { kNothing, kNothingAgain, kFar, kNear };

/// "nothing", "nothing-again", "far", "near"
[[nodiscard]] const char* name_of(FaultState state);

/// Nanoseconds per fault, one value a round, by state.
using FaultTimes = std::array<Series, 4>;

/// Measures every state once a round, in a new random order each round.
/// Errors: those of `measure`, with the state's name; kBusy when interrupted.
[[nodiscard]] Result<FaultTimes> measure_states(
    int rounds, const std::function<Result<double>(FaultState)>& measure);

/// How to name the rows of the states.
struct FaultRows {
  /// Name of the parameter with the state: "attached".
  std::string state;
  /// Name of the rows with the cost of a state relative to nothing: "overhead".
  std::string overhead;
  /// Further parameters of all rows.
  nlohmann::json params;
};

/// Adds a row "fault" for each state, and a row in percent for each state but nothing. The latter
/// has a note with the median and its 95 % interval, by ranks.
void report_states(Report& report, const FaultTimes& ns, const FaultRows& rows);

}  // namespace evictd::bench
