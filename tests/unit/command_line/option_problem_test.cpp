// SPDX-License-Identifier: Apache-2.0
#include "command_line/option_problem.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace evictd::command_line {
namespace {

/// A program with the options --help, --check and --config VALUE, and a subcommand "show" with
/// --file,-f VALUE, --json,-j and a word.
class OptionProblem : public testing::Test {
 protected:
  OptionProblem() {
    app_.add_flag("--check", truth_);
    app_.add_option("--config", text_);
    CLI::App* show = app_.add_subcommand("show", "shows");
    show->add_option("--file,-f", text_);
    show->add_flag("--json,-j", truth_);
    show->add_option("WORD", text_);
  }

  [[nodiscard]] std::string problem(const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& others = {}) const {
    return option_problem(app_, arguments, others);
  }

 private:
  CLI::App app_{"tests", "program"};
  bool truth_ = false;
  std::string text_;
};

TEST_F(OptionProblem, OfAnUnknownOneIsNamedWithTheNearestOfItsCommand) {
  EXPECT_EQ(problem({"--chack"}), "--chack: unknown option of program, the nearest is --check");
  EXPECT_EQ(problem({"--check", "show", "--fyle=x"}),
            "--fyle: unknown option of show, the nearest is --file");
  EXPECT_EQ(problem({"show", "--check", "x"}),
            "--check: unknown option of show, the nearest is --help");
}

TEST_F(OptionProblem, UnknownOptionMayBeNearestToOneTakenElsewhere) {
  EXPECT_EQ(problem({"--eviction-hrd=x"}, {"--eviction-soft", "--eviction-hard"}),
            "--eviction-hrd: unknown option of program, the nearest is --eviction-hard");
}

TEST_F(OptionProblem, IsNotAnOptionThatIsKnownNorAValueNorBehindTwoDashes) {
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({"--help"}), "");
  EXPECT_EQ(problem({"--config", "--strange", "show", "--json", "word"}), "");
  EXPECT_EQ(problem({"show", "-f", "--strange", "-5"}), "");
  EXPECT_EQ(problem({"--config=x", "show", "--", "--strange"}), "");
}

TEST_F(OptionProblem, OfAnUnknownOneIsSeenBehindAFlagForWhichItIsNoValue) {
  EXPECT_TRUE(
      problem({"--check", "--strange"}).starts_with("--strange: unknown option of program"));
}

TEST_F(OptionProblem, IsAValueThatAFlagIsGiven) {
  EXPECT_EQ(problem({"--check=3"}),
            "--check: \"3\": not allowed; allowed: --check without a value");
  EXPECT_EQ(problem({"show", "--json=true"}),
            "--json: \"true\": not allowed; allowed: --json without a value");
  EXPECT_EQ(problem({"show", "-j=0"}), "-j: \"0\": not allowed; allowed: -j without a value");
  EXPECT_EQ(problem({"--help="}), "--help: \"\": not allowed; allowed: --help without a value");
  EXPECT_EQ(problem({"show", "--file=--json=3", "--", "--json=3"}), "");
}

}  // namespace
}  // namespace evictd::command_line
