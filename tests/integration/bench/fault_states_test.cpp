// SPDX-License-Identifier: Apache-2.0
#include "fault/fault_states.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

namespace evictd::bench {
namespace {

TEST(FaultStates, EachRoundMeasuresEachStateOnceAgainstItsBaseline) {
  std::map<FaultState, int> calls;
  const Result<FaultTimes> ns = measure_states(2, [&](FaultState state) -> Result<double> {
    // The second round finds the machine twice as slow.
    const double slow = ++calls[state];
    return slow * (state == FaultState::kNear ? 110 : 100);
  });
  ASSERT_TRUE(ns) << ns.error().message();
  ASSERT_EQ(calls.size(), 4U);
  for (const auto& [state, count] : calls) {
    EXPECT_EQ(count, 2) << name_of(state);
  }
  Report report{"fault", Report::Lines::kNone};
  report_states(report, *ns,
                {.state = "attached", .overhead = "overhead", .params = {{"cgroups", 3}}});
  const nlohmann::json near{{"attached", "near"}, {"cgroups", 3}};
  EXPECT_EQ(report.value("fault", near, "max"), 220);
  EXPECT_NEAR(report.value("overhead", near, "p50"), 10, 0.001);
  EXPECT_NEAR(report.value("overhead", near, "max"), 10, 0.001);
  const nlohmann::json whole = nlohmann::json::parse(report.text());
  EXPECT_EQ(whole["rows"].size(), 7U) << "nothing is not compared with itself";
  EXPECT_EQ(whole["notes"].back(), "near against nothing: median +10.00 %, +- 0.00 % (95 %)");
}

TEST(FaultStates, AFailureNamesTheState) {
  const Result<FaultTimes> ns = measure_states(1, [](FaultState state) -> Result<double> {
    if (state == FaultState::kFar) {
      return fail(Errc::kIo, "the fault meter is gone");
    }
    return 1.0;
  });
  ASSERT_FALSE(ns);
  EXPECT_NE(ns.error().message().find("far"), std::string::npos) << ns.error().message();
}

}  // namespace
}  // namespace evictd::bench
