// SPDX-License-Identifier: Apache-2.0
#include "fault/fault_states.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "evictd/try.h"
#include "harness/interrupt.h"

namespace evictd::bench {
namespace {

/// More void blocks in a row are a mistake, not bad luck.
constexpr int kMostVoidInARow = 5;

struct FaultPair {
  double nothing = 0;
  double attached = 0;
};

Result<FaultPair> measure_block(FaultState state, FaultSubject& subject) {
  EVICTD_TRY(subject.prepare(state));
  EVICTD_ASSIGN_OR_RETURN(const double before, subject.measure());
  EVICTD_TRY(subject.attach(state));
  EVICTD_ASSIGN_OR_RETURN(const double first, subject.measure());
  EVICTD_ASSIGN_OR_RETURN(const double second, subject.measure());
  EVICTD_TRY(subject.detach());
  EVICTD_ASSIGN_OR_RETURN(const double after, subject.measure());
  return FaultPair{.nothing = (before + after) / 2, .attached = (first + second) / 2};
}

Result<> add_block(FaultBlocks& blocks, FaultSubject& subject) {
  for (int voids = 0; voids < kMostVoidInARow; ++voids) {
    EVICTD_ASSIGN_OR_RETURN(const FaultPair pair, measure_block(blocks.state, subject));
    EVICTD_TRY(Interrupt::check());
    if (subject.holds()) {
      blocks.nothing.add(pair.nothing);
      blocks.attached.add(pair.attached);
      return {};
    }
  }
  return fail(Errc::kInvalid, "what both sides need is gone at the end of each block");
}

Series overhead_of(const FaultBlocks& blocks) {
  Series percent;
  for (std::size_t i = 0; i < blocks.nothing.size(); ++i) {
    percent.add(100 * (blocks.attached.values()[i] / blocks.nothing.values()[i] - 1));
  }
  return percent;
}

/// "far against nothing: median +0.12 %, +- 0.50 % (95 %)"
std::string overhead_note(FaultState state, const Series& percent) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "%s against nothing: median %+.2f %%, +- %.2f %% (95 %%)",
                name_of(state), percent.percentile(50), median_interval(percent).half());
  return text.data();
}

double rounded_percent(double value) {
  return std::round(value * 1000) / 1000;
}

void report_overhead(Report& report, const FaultBlocks& blocks, const FaultRows& rows,
                     const nlohmann::json& params) {
  const Series percent = overhead_of(blocks);
  const Interval interval = median_interval(percent);
  report.add(
      rows.overhead, params, "percent", percent,
      {{"95 % from", rounded_percent(interval.from)}, {"95 % to", rounded_percent(interval.to)}});
  if (interval.half() > kResolution) {
    report.add_row_note(std::string{name_of(blocks.state)} +
                        ": the interval is wider than +- 0.5 %; more rounds make it narrower");
  }
  report.note(overhead_note(blocks.state, percent));
}

}  // namespace

const char* name_of(FaultState state) {
  switch (state) {
    case FaultState::kNothingAgain:
      return "nothing-again";
    case FaultState::kFar:
      return "far";
    case FaultState::kNear:
      return "near";
    case FaultState::kOscillating:
      return "oscillating";
    case FaultState::kBrakeArmed:
      return "brake-armed";
  }
  return "";
}

Result<std::vector<FaultBlocks>> measure_states(int rounds, const std::vector<FaultState>& states,
                                                FaultSubject& subject) {
  std::vector<FaultBlocks> all;
  std::vector<std::size_t> order;
  for (const FaultState state : states) {
    order.push_back(all.size());
    all.push_back({.state = state, .nothing = {}, .attached = {}});
  }
  std::mt19937 random{std::random_device{}()};
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t index : order) {
      EVICTD_TRY(EVICTD_IN(name_of(all[index].state), add_block(all[index], subject)));
    }
  }
  return all;
}

Interval median_interval(const Series& series) {
  if (series.size() == 0) {
    return {};
  }
  // Percent of the ranks; 0.98 is half of 1.96 standard deviations of a normal distribution.
  const double share = 98 / std::sqrt(static_cast<double>(series.size()));
  return {.from = series.percentile(std::max(50 - share, 0.0)),
          .to = series.percentile(std::min(50 + share, 100.0))};
}

void report_states(Report& report, const std::vector<FaultBlocks>& all, const FaultRows& rows) {
  const auto params = [&](const char* attached) {
    nlohmann::json of_row = rows.params;
    of_row[rows.state] = attached;
    return of_row;
  };
  Series nothing;
  for (const FaultBlocks& blocks : all) {
    for (const double ns : blocks.nothing.values()) {
      nothing.add(ns);
    }
  }
  report.add("fault", params("nothing"), "ns", nothing);
  for (const FaultBlocks& blocks : all) {
    report.add("fault", params(name_of(blocks.state)), "ns", blocks.attached);
  }
  for (const FaultBlocks& blocks : all) {
    report_overhead(report, blocks, rows, params(name_of(blocks.state)));
  }
}

}  // namespace evictd::bench
