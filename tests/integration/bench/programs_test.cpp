// SPDX-License-Identifier: Apache-2.0
// Whole runs of benches in their shortest form: the rows that they are to have, not their figures.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "stage/child.h"
#include "stage/scratch_directory.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

class BenchProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root for BPF and cgroups";
    }
    ASSERT_TRUE(scratch_) << scratch_.error().message();
  }

  /// Runs the program to its end; its rows are in rows_ then.
  void run(std::vector<std::string> argv) {
    const std::filesystem::path out = scratch_->path() / "out.json";
    const std::filesystem::path output = scratch_->path() / "output";
    argv.insert(argv.end(), {"--out", out.string()});
    Result<stage::Child> child = stage::Child::start({.argv = std::move(argv), .output = output});
    ASSERT_TRUE(child) << child.error().message();
    const Result<stage::ChildExit> end = child->wait(std::chrono::seconds{100});
    printed_ = stage::read_text(output).value_or(std::string{});
    ASSERT_TRUE(end) << end.error().message() << "\n" << printed_;
    ASSERT_EQ(end->status, 0) << printed_;
    rows_ = nlohmann::json::parse(stage::read_text(out).value())["rows"];
  }

  /// The rows of this name.
  [[nodiscard]] std::vector<nlohmann::json> rows(const std::string& name) const {
    std::vector<nlohmann::json> found;
    for (const nlohmann::json& row : rows_) {
      if (row["name"] == name) {
        found.push_back(row);
      }
    }
    return found;
  }

  Result<stage::ScratchDirectory> scratch_ = stage::ScratchDirectory::create("evictd-test-");
  std::string printed_;
  nlohmann::json rows_;
};

TEST_F(BenchProgram, CrossingDividesItsTimeAmongSteps) {
  ASSERT_NO_FATAL_FAILURE(
      run({BENCH_CROSSING, "--trace", "--trials", "5", "--rows", "fifo", "idle", "4k", "cgroup"}));
  const std::vector<nlohmann::json> steps = rows("crossing_step");
  ASSERT_EQ(steps.size(), 9U);
  double share = 0;
  for (const nlohmann::json& step : steps) {
    EXPECT_GE(step["n"], 1) << step.dump();
    share += step["counts"][0][1].get<double>();
  }
  EXPECT_NEAR(share, 200, 1) << "all steps, and the whole";
  EXPECT_GT(steps.back()["p50"], 0);
  EXPECT_NE(printed_.find("\nwhole "), std::string::npos) << printed_;
}

TEST_F(BenchProgram, FaultComparesEachStateWithNothing) {
  ASSERT_NO_FATAL_FAILURE(run({BENCH_FAULT, "--quick"}));
  std::vector<std::string> states;
  for (const nlohmann::json& row : rows("overhead")) {
    states.push_back(row["params"]["attached"]);
    EXPECT_EQ(row["n"], 2) << row.dump();
    EXPECT_LE(row["counts"][0][1], row["counts"][1][1]) << row.dump();
  }
  EXPECT_EQ(states, (std::vector<std::string>{"nothing-again", "far", "near", "oscillating",
                                              "brake-armed"}));
}

TEST_F(BenchProgram, ScaleSeesFirstPassesAndAddedPods) {
  ASSERT_NO_FATAL_FAILURE(run({BENCH_SCALE, "--pods", "20", "--starts", "1", "--seconds", "1",
                               "--passes", "2", "--added", "2"}));
  for (const char* name : {"start_to_ready", "sweep_cpu", "first_pass", "pass", "discovery",
                           "resident", "descriptors"}) {
    const std::vector<nlohmann::json> found = rows(name);
    ASSERT_EQ(found.size(), 1U) << name;
    EXPECT_GE(found.front()["n"], 1) << name;
  }
  EXPECT_EQ(rows("first_pass").front()["n"], 2);
  EXPECT_EQ(rows("discovery").front()["n"], 2);
}

}  // namespace
}  // namespace evictd::bench
