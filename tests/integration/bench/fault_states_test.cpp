// SPDX-License-Identifier: Apache-2.0
#include "fault/fault_states.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace evictd::bench {
namespace {

/// A fault takes 100 ns, and 10 % more with a state attached; each measurement finds the machine
/// 5 ns slower.
class SlowingMachine : public FaultSubject {
 public:
  Result<> prepare(FaultState state) override {
    ++blocks[state];
    order += "|";
    return {};
  }
  Result<> attach(FaultState state) override {
    order += "+";
    attached_ = state != FaultState::kNothingAgain;
    return state == failing ? Result<>(fail(Errc::kIo, "no room")) : Result<>{};
  }
  Result<> detach() override {
    order += "-";
    attached_ = false;
    return {};
  }
  Result<double> measure() override {
    order += "m";
    const double ns = attached_ ? 110 : 100;
    return ns + 5 * drift_++;
  }
  [[nodiscard]] bool holds() const override { return voids == 0 || voids-- == 0; }

  std::map<FaultState, int> blocks;
  std::string order;
  std::optional<FaultState> failing;
  /// Blocks that are void from now on.
  mutable int voids = 0;

 private:
  bool attached_ = false;
  int drift_ = 0;
};

TEST(FaultStates, ABlockIsTheSameForBothSidesOfADrift) {
  SlowingMachine machine;
  const auto all = measure_states(2, {FaultState::kNothingAgain}, machine);
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(machine.order, "|m+mm-m|m+mm-m");
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().nothing.values(), all->front().attached.values());
}

TEST(FaultStates, EachRoundHasABlockOfEachState) {
  SlowingMachine machine;
  const auto all = measure_states(3, {FaultState::kFar, FaultState::kOscillating}, machine);
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(machine.blocks,
            (std::map<FaultState, int>{{FaultState::kFar, 3}, {FaultState::kOscillating, 3}}));
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all->front().state, FaultState::kFar);
  EXPECT_EQ(all->front().attached.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all->front().attached.values()[i] - all->front().nothing.values()[i], 10);
  }
}

TEST(FaultStates, AVoidBlockIsMeasuredAgain) {
  SlowingMachine machine;
  machine.voids = 2;
  const auto all = measure_states(1, {FaultState::kNear}, machine);
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(machine.blocks[FaultState::kNear], 3);
  EXPECT_EQ(all->front().nothing.size(), 1U);
}

TEST(FaultStates, BlocksThatAreAllVoidEndTheBench) {
  SlowingMachine machine;
  machine.voids = 1000;
  const auto all = measure_states(1, {FaultState::kNear}, machine);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, Errc::kInvalid);
}

TEST(FaultStates, AFailureNamesTheState) {
  SlowingMachine machine;
  machine.failing = FaultState::kFar;
  const auto all = measure_states(1, {FaultState::kNothingAgain, FaultState::kFar}, machine);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().message().find("far: "), 0U) << all.error().message();
}

TEST(MedianInterval, IsByRanksAndNarrowsWithTheNumberOfValues) {
  Series series;
  for (int value = 1; value <= 100; ++value) {
    series.add(value);
  }
  // 9.8 ranks on each side of the fiftieth.
  EXPECT_EQ(median_interval(series).from, 41);
  EXPECT_EQ(median_interval(series).to, 60);
  EXPECT_EQ(median_interval(series).half(), 9.5);
  Series few;
  few.add(1);
  few.add(3);
  EXPECT_EQ(median_interval(few).half(), 1);
  EXPECT_EQ(median_interval(Series{}).half(), 0);
}

FaultBlocks blocks(FaultState state, const std::vector<double>& percent) {
  FaultBlocks made{.state = state, .nothing = {}, .attached = {}};
  for (const double one : percent) {
    made.nothing.add(200);
    made.attached.add(200 + 2 * one);
  }
  return made;
}

TEST(FaultReport, HasTheCostOfEachStateWithItsInterval) {
  Report report{"fault", Report::Lines::kNone};
  report_states(report,
                {blocks(FaultState::kFar, {0.9, 1, 1.1}), blocks(FaultState::kNear, {5, 6, 9})},
                {.state = "attached", .overhead = "overhead", .params = {{"cgroups", 3}}});
  const nlohmann::json near{{"attached", "near"}, {"cgroups", 3}};
  EXPECT_EQ(report.value("fault", near, "max"), 218);
  EXPECT_NEAR(report.value("overhead", near, "p50"), 6, 0.001);
  const nlohmann::json whole = nlohmann::json::parse(report.text());
  ASSERT_EQ(whole["rows"].size(), 5U) << "nothing is not compared with itself";
  EXPECT_EQ(whole["rows"][0]["params"]["attached"], "nothing");
  EXPECT_EQ(whole["rows"][0]["n"], 6);
  EXPECT_EQ(whole["rows"][4]["counts"],
            nlohmann::json::parse(R"([["95 % from", 5.0], ["95 % to", 9.0]])"));
  EXPECT_EQ(whole["notes"].back(), "near against nothing: median +6.00 %, +- 2.00 % (95 %)");
}

TEST(FaultReport, SaysWhereTheIntervalIsTooWide) {
  Report report{"fault", Report::Lines::kNone};
  report_states(report,
                {blocks(FaultState::kFar, {0.9, 1, 1.1}), blocks(FaultState::kNear, {5, 6, 9})},
                {.state = "attached", .overhead = "overhead", .params = nlohmann::json::object()});
  const nlohmann::json whole = nlohmann::json::parse(report.text());
  EXPECT_FALSE(whole["rows"][3].contains("notes"));
  EXPECT_EQ(whole["rows"][4]["notes"].size(), 1U);
}

}  // namespace
}  // namespace evictd::bench
