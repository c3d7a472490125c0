// SPDX-License-Identifier: Apache-2.0
#include "crossing/step_table.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace evictd::bench {
namespace {

constexpr const char* kWhole = "whole";

double in_microseconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1000;
}

/// "rank          12.30      40.10   21.5 %\n"
std::string line_of(const char* name, const Series& series, double share) {
  std::array<char, 100> line{};
  static_cast<void>(std::snprintf(line.data(), line.size(), "%-10s %10.2f %10.2f %6.1f %%\n", name,
                                  series.percentile(50), series.percentile(99), share));
  return line.data();
}

void report_step(Report& report, const nlohmann::json& params, const char* name,
                 const Series& series, double share) {
  nlohmann::json of_step = params;
  of_step["step"] = name;
  report.add("crossing_step", of_step, "us", series, {{"share in %", std::round(share * 10) / 10}});
}

}  // namespace

void StepTable::add(const StepTimes& times) {
  Duration whole{0};
  for (std::size_t i = 0; i < kSteps; ++i) {
    steps_[i].add(in_microseconds(times[i]));
    spent_in_[i] += times[i];
    whole += times[i];
  }
  whole_.add(in_microseconds(whole));
  spent_ += whole;
}

double StepTable::share(Step step) const {
  const Duration in_step = spent_in_[static_cast<std::size_t>(step)];
  return spent_ > Duration{0} ? 100 * in_microseconds(in_step) / in_microseconds(spent_) : 0;
}

void StepTable::report(Report& report, const nlohmann::json& params) const {
  for (std::size_t i = 0; i < kSteps; ++i) {
    const auto step = static_cast<Step>(i);
    report_step(report, params, name_of(step), steps_[i], share(step));
  }
  report_step(report, params, kWhole, whole_, 100);
  if (undivided_ > 0) {
    report.add_row_note(params.dump() + ": of " + std::to_string(undivided_) +
                        " more trials the time could not be divided: no detection was stamped, or "
                        "no refresh was seen");
  }
}

std::string StepTable::text(const std::string& title) const {
  std::array<char, 100> head{};
  static_cast<void>(std::snprintf(head.data(), head.size(), "%-10s %10s %10s %8s\n", "step", "p50",
                                  "p99", "share"));
  std::string text = title + ", us, " + std::to_string(whole_.size()) + " trials\n" + head.data();
  for (std::size_t i = 0; i < kSteps; ++i) {
    const auto step = static_cast<Step>(i);
    text += line_of(name_of(step), steps_[i], share(step));
  }
  return text + line_of(kWhole, whole_, 100);
}

}  // namespace evictd::bench
