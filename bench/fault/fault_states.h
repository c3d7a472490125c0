// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "harness/report.h"

namespace evictd::bench {

/// What is attached, each compared with nothing. "Nothing again" attaches nothing either and shows
/// the resolution. kOscillating: the faulting load crosses a threshold back and forth. kBrakeArmed:
/// near one, with a plan of the kernel side to kill another pod there.
enum class FaultState { kNothingAgain, kFar, kNear, kOscillating, kBrakeArmed };

/// "nothing-again", "far", "near", "oscillating", "brake-armed"
[[nodiscard]] const char* name_of(FaultState state);

/// A machine on which page faults are measured.
class FaultSubject {
 public:
  FaultSubject() = default;
  FaultSubject(const FaultSubject&) = delete;
  FaultSubject& operator=(const FaultSubject&) = delete;
  virtual ~FaultSubject() = default;

  /// Makes what both sides of a comparison have, such as memory near a threshold, instead of that
  /// of the comparison before.
  virtual Result<> prepare(FaultState state) = 0;
  /// attach() adds what the state has and nothing has not; detach() removes it.
  virtual Result<> attach(FaultState state) = 0;
  virtual Result<> detach() = 0;
  /// Nanoseconds per fault.
  virtual Result<double> measure() = 0;
  /// Whether what prepare() made is still there.
  [[nodiscard]] virtual bool holds() const = 0;
};

/// Nanoseconds per fault of one state, and without it: a pair of values a block.
struct FaultBlocks {
  FaultState state = FaultState::kNothingAgain;
  Series nothing;
  Series attached;
};

/// Measures a block of every state once a round, in a new random order each round. A block measures
/// nothing, the state twice, and nothing: what drifts evenly meanwhile is the same on both sides.
/// A block in which the subject did not hold is void and repeated.
/// Errors: those of the subject, with the state's name; kInvalid after several void blocks in a
/// row; kBusy when interrupted.
[[nodiscard]] Result<std::vector<FaultBlocks>> measure_states(int rounds,
                                                              const std::vector<FaultState>& states,
                                                              FaultSubject& subject);

/// Where the median of all values lies with a probability of 95 %, if the measured ones are a
/// sample.
struct Interval {
  double from = 0;
  double to = 0;
  /// Half of its width.
  [[nodiscard]] double half() const { return (to - from) / 2; }
};

/// By ranks, without an assumption on the distribution.
[[nodiscard]] Interval median_interval(const Series& series);

/// The resolution that a cost of 1 % needs: half of the interval, in percentage points.
inline constexpr double kResolution = 0.5;

/// How to name the rows of the states.
struct FaultRows {
  /// Name of the parameter with the state: "attached".
  std::string state;
  /// Name of the rows with the cost of a state relative to nothing: "overhead".
  std::string overhead;
  /// Further parameters of all rows.
  nlohmann::json params;
};

/// Adds a row "fault" for nothing and for each state, and a row in percent for each state, with the
/// interval of its median. The latter is a note too, and another one if it is too wide.
void report_states(Report& report, const std::vector<FaultBlocks>& all, const FaultRows& rows);

}  // namespace evictd::bench
