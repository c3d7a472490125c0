// SPDX-License-Identifier: Apache-2.0
#include "fault/fault_states.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "evictd/try.h"
#include "harness/interrupt.h"

namespace evictd::bench {
namespace {

constexpr std::array kStates{FaultState::kNothing, FaultState::kNothingAgain, FaultState::kFar,
                             FaultState::kNear};

/// Half of the 95 % interval of the median, by ranks.
double median_uncertainty(const Series& series) {
  const double share = 98 / std::sqrt(static_cast<double>(series.size()));
  return (series.percentile(std::min(50 + share, 100.0)) -
          series.percentile(std::max(50 - share, 0.0))) /
         2;
}

/// "far against nothing: median +0.12 %, +- 0.50 % (95 %)"
std::string overhead_note(FaultState state, const Series& percent) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "%s against nothing: median %+.2f %%, +- %.2f %% (95 %%)",
                name_of(state), percent.percentile(50), median_uncertainty(percent));
  return text.data();
}

}  // namespace

const char* name_of(FaultState state) {
  switch (state) {
    case FaultState::kNothing:
      return "nothing";
    case FaultState::kNothingAgain:
      return "nothing-again";
    case FaultState::kFar:
      return "far";
    case FaultState::kNear:
      return "near";
  }
  return "";
}

Result<FaultTimes> measure_states(int rounds,
                                  const std::function<Result<double>(FaultState)>& measure) {
  FaultTimes ns;
  std::mt19937 random{std::random_device{}()};
  for (int round = 0; round < rounds; ++round) {
    std::array order{0U, 1U, 2U, 3U};
    std::shuffle(order.begin(), order.end(), random);
    for (const unsigned state : order) {
      const Result<double> measured = measure(kStates[state]);
      if (!measured) {
        return fail_in(name_of(kStates[state]), measured.error());
      }
      EVICTD_TRY(Interrupt::check());
      ns[state].add(*measured);
    }
  }
  return ns;
}

void report_states(Report& report, const FaultTimes& ns, const FaultRows& rows) {
  const auto params = [&](FaultState state) {
    nlohmann::json of_row = rows.params;
    of_row[rows.state] = name_of(state);
    return of_row;
  };
  for (std::size_t state = 0; state < kStates.size(); ++state) {
    report.add("fault", params(kStates[state]), "ns", ns[state]);
  }
  for (std::size_t state = 1; state < kStates.size(); ++state) {
    Series overhead;
    for (std::size_t round = 0; round < ns[state].size(); ++round) {
      overhead.add(100 * (ns[state].values()[round] / ns[0].values()[round] - 1));
    }
    report.add(rows.overhead, params(kStates[state]), "percent", overhead);
    report.note(overhead_note(kStates[state], overhead));
  }
}

}  // namespace evictd::bench
