// SPDX-License-Identifier: Apache-2.0
#include "cli/status_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

namespace evictd::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string printed(const Json& status) {
  std::ostringstream out;
  print_status(status, out);
  return out.str();
}

/// The first line of `text` that begins with `start`; empty if there is none.
std::string line_of(const std::string& text, std::string_view start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::string_view(line).starts_with(start)) {
      return line;
    }
  }
  return {};
}

TEST(StatusText, AnEmptyAnswerIsShownAsDashes) {
  const std::string text = printed(Json::object());
  EXPECT_EQ(line_of(text, "evictd"), "evictd - (pid -), kubelet - rules, events from -");
  EXPECT_EQ(line_of(text, "conditions"), "conditions: none");
  EXPECT_EQ(line_of(text, "no evictions"), "no evictions yet");
}

TEST(StatusText, FieldsOfAnotherKindDoNotEndTheProgram) {
  const std::string text = printed({{"version", 3},
                                    {"pods", "none"},
                                    {"signals", nullptr},
                                    {"conditions", 1},
                                    {"last_pass", Json::array()},
                                    {"hooks", Json::array({1})},
                                    {"counters", "x"},
                                    {"evictions", Json::object()}});
  EXPECT_EQ(line_of(text, "evictd"), "evictd 3 (pid -), kubelet - rules, events from -");
}

TEST(StatusText, DryRunIsSaidInTheFirstLine) {
  const std::string text = printed({{"dry_run", true}, {"event_source", "bpf"}});
  EXPECT_NE(line_of(text, "evictd").find("DRY RUN: nothing is killed"), std::string::npos);
}

TEST(StatusText, HowMemoryAvailableIsWorkedOutIsShown) {
  const std::string text = printed({{"memory_available",
                                     {{"source", "memAvailable"},
                                      {"swap_aware", true},
                                      {"hugepage_aware", false},
                                      {"watched_by_kernel", false}}}});
  EXPECT_EQ(line_of(text, "memoryAvailableSource"),
            "memoryAvailableSource memAvailable, swapAware yes, hugepageAware no, watched by the "
            "kernel side no");
  EXPECT_EQ(line_of(printed({{"memory_available", 1}}), "memoryAvailableSource"), "");
}

TEST(StatusText, MemoryIsShownInBinaryUnitsAndTasksAsTheyAre) {
  const std::string text = printed({{"signals",
                                     {{{"signal", "memory.available"},
                                       {"kind", "hard"},
                                       {"threshold", "100Mi"},
                                       {"grace_period_seconds", 0},
                                       {"available", 1610612736},
                                       {"capacity", 4294967296},
                                       {"met", false}},
                                      {{"signal", "pid.available"},
                                       {"kind", "soft"},
                                       {"threshold", "10%"},
                                       {"grace_period_seconds", 30},
                                       {"available", 2048},
                                       {"capacity", 32768},
                                       {"met", true}}}}});
  EXPECT_EQ(line_of(text, "memory.available"),
            "memory.available             hard       100Mi     0s        1.5Gi        4.0Gi   no");
  EXPECT_EQ(line_of(text, "pid.available"),
            "pid.available                soft         10%    30s         2048        32768  yes");
}

TEST(StatusText, OnlyConditionsThatAreSetAreNamed) {
  const std::string text = printed({{"conditions",
                                     {{{"type", "MemoryPressure"}, {"status", true}},
                                      {{"type", "PIDPressure"}, {"status", false}}}}});
  EXPECT_EQ(line_of(text, "conditions"), "conditions: MemoryPressure");
}

TEST(StatusText, APodWithoutANameIsShownByItsUid) {
  const std::string text =
      printed({{"pods",
                {{{"uid", "0001"}, {"name", ""}, {"namespace", ""}, {"state", "unknown"}},
                 {{"uid", "0002"}, {"name", "a"}, {"namespace", "b"}, {"state", "active"}}}}});
  EXPECT_NE(line_of(text, "0001").find("unknown"), std::string::npos);
  EXPECT_FALSE(line_of(text, "b/a").empty());
}

TEST(StatusText, NoTextOfAnAnswerForgesALine) {
  const std::string text = printed({{"problems", {"a\nforged"}},
                                    {"hooks", {{"x\nforged", "y\nforged"}}},
                                    {"pods", {{{"uid", "1"}, {"name", "a\nforged"}}}}});
  EXPECT_EQ(line_of(text, "forged"), "");
  EXPECT_EQ(line_of(text, "problem"), "problem: a\\x0aforged");
  EXPECT_EQ(line_of(text, "hooks"), "hooks: x\\x0aforged=y\\x0aforged");
}

TEST(StatusText, ProblemsAndEvictionsAreListed) {
  const std::string text = printed({{"problems", {"a.yaml:3: no pod"}},
                                    {"evictions",
                                     {{{"id", 1},
                                       {"time", "2026-01-31T12:00:00.000000Z"},
                                       {"pod", "batch/hog"},
                                       {"signal", "memory.available"},
                                       {"grace_seconds", 1},
                                       {"state", "released"}}}}});
  EXPECT_EQ(line_of(text, "problem"), "problem: a.yaml:3: no pod");
  EXPECT_NE(line_of(text, "   1 2026").find("batch/hog"), std::string::npos);
}

TEST(StatusText, AnEvictionSaysThatItWasADryRunAndThatAPodIsNotGoneInTime) {
  const std::string text =
      printed({{"evictions",
                {{{"id", 1}, {"state", "killed"}, {"dry_run", true}},
                 {{"id", 2}, {"state", "exceeded_grace"}, {"dry_run", false}}}}});
  EXPECT_NE(line_of(text, "   1 ").find("killed (dry run)"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "   2 ").find("ExceededGracePeriod"), std::string::npos) << text;
  EXPECT_EQ(line_of(text, "   2 ").find("dry run"), std::string::npos) << text;
}

TEST(StatusText, WithoutAPodRootSaysNone) {
  EXPECT_NE(line_of(printed({{"pod_root", ""}}), "pod root").find("pod root none ("),
            std::string::npos);
}

}  // namespace
}  // namespace evictd::cli
