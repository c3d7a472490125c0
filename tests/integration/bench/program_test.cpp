// SPDX-License-Identifier: Apache-2.0
#include "harness/program.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evictd::bench {
namespace {

/// A bench with an option --rounds.
class BenchProgram : public testing::Test {
 protected:
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench-tried");
    std::vector<char*> argv;
    argv.reserve(arguments.size());
    for (std::string& argument : arguments) {
      argv.push_back(argument.data());
    }
    testing::internal::CaptureStderr();
    const int status = run_program(
        {.name = "tried",
         .purpose = "tries the command line",
         .add_options =
             [this](CLI::App& app) { add_count(app, "--rounds", rounds_, 9, "so many"); },
         .quick_means = "1 round",
         .be_quick = [this] { rounds_ = 1; },
         .run =
             [this](const std::filesystem::path& out) {
               out_ = out;
               return Result<>();
             }},
        static_cast<int>(argv.size()), argv.data());
    said_ = testing::internal::GetCapturedStderr();
    return status;
  }

  int rounds_ = 5;
  std::filesystem::path out_;
  std::string said_;
};

TEST_F(BenchProgram, AnOptionTakesItsValueBehindABlankOrAnEqualsSign) {
  EXPECT_EQ(run({"--rounds=7", "--out=/nowhere/a"}), 0) << said_;
  EXPECT_EQ(rounds_, 7);
  EXPECT_EQ(out_, "/nowhere/a");
  EXPECT_EQ(run({"--rounds", "8", "--out", "/nowhere/b"}), 0) << said_;
  EXPECT_EQ(rounds_, 8);
  EXPECT_EQ(out_, "/nowhere/b");
}

TEST_F(BenchProgram, WrongUsageYieldsOneErrorAndNoMeasurement) {
  EXPECT_EQ(run({"--round=7"}), 2);
  EXPECT_EQ(said_,
            "bench-tried: --round: unknown option of bench-tried, the nearest is --rounds\n");
  EXPECT_EQ(run({"--quick=true"}), 2);
  EXPECT_EQ(said_,
            "bench-tried: --quick: \"true\": not allowed; allowed: --quick without a value\n");
  EXPECT_EQ(run({"--rounds=10"}), 2);
  EXPECT_EQ(out_, "");
}

}  // namespace
}  // namespace evictd::bench
