// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "evictd/result.h"
#include "harness/report.h"

namespace evictd::bench {

/// What is there while faults are measured. Nothing is measured twice, to see what can be resolved.
enum class FaultState { kNothing, kNothingAgain, kFar, kNear };

/// "nothing", "nothing-again", "far", "near"
[[nodiscard]] const char* name_of(FaultState state);

/// Nanoseconds a fault, a value a round, by state.
using FaultTimes = std::array<Series, 4>;

/// Measures every state once a round, in an order drawn anew for each.
/// Errors: those of `measure`, with the state's name; kBusy when interrupted.
[[nodiscard]] Result<FaultTimes> measure_states(
    int rounds, const std::function<Result<double>(FaultState)>& measure);

/// How rows about states are told apart.
struct FaultRows {
  /// The parameter that names the state: "attached".
  std::string state;
  /// The rows of what each state costs beyond nothing: "overhead".
  std::string overhead;
  /// Parameters that all rows have beside.
  nlohmann::json params;
};

/// Adds a row "fault" for each state and one of percent for each but nothing, with a note of the
/// median and of its 95 % interval, by ranks.
void report_states(Report& report, const FaultTimes& ns, const FaultRows& rows);

}  // namespace evictd::bench
