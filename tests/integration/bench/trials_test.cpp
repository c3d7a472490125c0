// SPDX-License-Identifier: Apache-2.0
#include "harness/trials.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "harness/interrupt.h"

namespace evictd::bench {
namespace {

/// What a bench is told by these arguments; nothing if it is not run.
std::optional<TrialOptions> told_by(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench-some");
  std::vector<char*> argv;
  argv.reserve(arguments.size());
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  std::optional<TrialOptions> told;
  run_trial_program({.name = "some",
                     .purpose = "Something",
                     .trials = 20,
                     .quick_trials = 3,
                     .rows_are = "words",
                     .without_are = "words",
                     .run =
                         [&](const TrialOptions& options) {
                           told = options;
                           return Result<>{};
                         }},
                    static_cast<int>(argv.size()), argv.data());
  return told;
}

TEST(TrialProgram, HasItsOwnNumberOfTrialsAndAFileNamedLikeIt) {
  const std::optional<TrialOptions> told = told_by({});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->trials, 20);
  EXPECT_TRUE(told->rows.wants("any row"));
  EXPECT_EQ(told->out.filename(), "some.json");
}

TEST(TrialProgram, TakesTrialsRowsAndAFile) {
  const std::optional<TrialOptions> told =
      told_by({"--trials", "7", "--rows", "one", "--without", "two", "--out", "/some/where"});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->trials, 7);
  EXPECT_TRUE(told->rows.wants("one three"));
  EXPECT_FALSE(told->rows.wants("three"));
  EXPECT_FALSE(told->rows.wants("one two"));
  EXPECT_EQ(told->out, "/some/where");
}

TEST(TrialProgram, MakesFewTrialsWhenItIsToBeQuick) {
  const std::optional<TrialOptions> told = told_by({"--quick"});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->trials, 3);
}

TEST(TrialProgram, RefusesANumberOfTrialsThatIsNoneOrOctalToSome) {
  EXPECT_FALSE(told_by({"--trials", "0"}));
  EXPECT_FALSE(told_by({"--trials", "010"}));
  EXPECT_FALSE(told_by({"--trials", "100001"}));
}

TEST(Trials, EndWithTheOneThatSaysSo) {
  int made = 0;
  EXPECT_TRUE(run_trials(5, [&]() -> Result<bool> { return ++made < 3; }));
  EXPECT_EQ(made, 3);
  EXPECT_TRUE(run_trials(5, [&]() -> Result<bool> { return ++made > 0; }));
  EXPECT_EQ(made, 8);
}

TEST(Trials, EndWithTheFirstThatFails) {
  int made = 0;
  const Result<> ran = run_trials(5, [&]() -> Result<bool> {
    ++made;
    return fail(Errc::kIo, "no room");
  });
  EXPECT_EQ(made, 1);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, Errc::kIo);
}

TEST(Trials, ThatAreVoidAreMadeAgainAndCounted) {
  int made = 0;
  int counted = 0;
  const Result<VoidTrials> ran = run_trials_again(3, 2, [&]() -> Result<bool> {
    if (++made % 2 == 1 && made < 4) {
      return fail(Errc::kIo, "no room");
    }
    ++counted;
    return true;
  });
  ASSERT_TRUE(ran);
  EXPECT_EQ(counted, 3);
  EXPECT_EQ(ran->count, 2);
  EXPECT_NE(ran->reason.find("no room"), std::string::npos);
}

TEST(Trials, EndWithTheFirstThatIsVoidBeyondThoseThatMayBe) {
  int made = 0;
  const Result<VoidTrials> ran = run_trials_again(3, 2, [&]() -> Result<bool> {
    ++made;
    return fail(Errc::kIo, "no room");
  });
  EXPECT_FALSE(ran);
  EXPECT_EQ(made, 3);
}

// In a process of its own, because it stays interrupted.
TEST(TrialsDeathTest, OfAnInterruptedBenchAreNoRow) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto interrupted_in_the_last = [] {
    const Interrupt interrupt;
    const Result<> ran = run_trials(1, []() -> Result<bool> { return std::raise(SIGINT) == 0; });
    std::_Exit(!ran && ran.error().code == Errc::kBusy ? 7 : 0);
  };
  EXPECT_EXIT(interrupted_in_the_last(), testing::ExitedWithCode(7), "");
}

TEST(TrialRows, AreThoseThatAreSelectedInTheirOrder) {
  const std::array<std::string, 3> rows{"a x", "b y", "c x"};
  const auto title = [](const std::string& row) { return row; };
  std::string ran;
  EXPECT_TRUE(run_rows(Selection{{"x"}, {}}, rows, title, [&](const std::string& row) {
    ran += row + ";";
    return Result<>{};
  }));
  EXPECT_EQ(ran, "a x;c x;");
}

TEST(TrialRows, EndWithTheFirstThatFailsAndNameIt) {
  const std::array<std::string, 2> rows{"a", "b"};
  const auto title = [](const std::string& row) { return row; };
  const Result<> ran = run_rows(Selection{}, rows, title, [](const std::string&) -> Result<> {
    return fail(Errc::kIo, "no room");
  });
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message().find("a: "), 0U) << ran.error().message();
}

}  // namespace
}  // namespace evictd::bench
