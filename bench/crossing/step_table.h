// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/report.h"
#include "tracer/steps.h"

namespace evictd::bench {

/// Microseconds of each step from detection to SIGKILL in the trials of one row of the bench.
class StepTable {
 public:
  void add(const StepTimes& times);
  /// Counts a trial whose time could not be divided.
  void add_undivided() { ++undivided_; }
  [[nodiscard]] std::size_t trials() const { return whole_.size(); }

  /// Percent of the time of all trials that a step took.
  [[nodiscard]] double share(Step step) const;
  /// Adds a row "crossing_step" for each step and one for the whole, with `params` and the step,
  /// and a note on undivided trials.
  void report(Report& report, const nlohmann::json& params) const;
  /// The same for people: a line for each step below `title`.
  [[nodiscard]] std::string text(const std::string& title) const;

 private:
  std::array<Series, kSteps> steps_;
  Series whole_;
  Duration spent_{0};
  StepTimes spent_in_{};
  int undivided_ = 0;
};

}  // namespace evictd::bench
