// SPDX-License-Identifier: Apache-2.0
#include "cli/journal_lines.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::cli {
namespace {

/// Lines that are told apart by a number.
JournalLines numbered(const std::vector<int>& numbers) {
  JournalLines lines;
  for (const int number : numbers) {
    lines.push_back({{"kind", "stall"}, {"stalled_us", number}});
  }
  return lines;
}

TEST(MergeLines, WhatTheFileAloneRemembersComesBeforeWhatTheDaemonDoes) {
  EXPECT_EQ(merge_lines(numbered({1, 2, 3, 4}), numbered({3, 4})), numbered({1, 2, 3, 4}));
  EXPECT_EQ(merge_lines(numbered({1, 2}), {}), numbered({1, 2}));
}

TEST(MergeLines, WhatTheFileLacksStandsWhereItWasTold) {
  EXPECT_EQ(merge_lines(numbered({1, 2, 5}), numbered({2, 3, 4, 5, 6})),
            numbered({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(merge_lines(numbered({1, 2}), numbered({3})), numbered({1, 2, 3}));
  EXPECT_EQ(merge_lines({}, numbered({1, 2})), numbered({1, 2}));
}

TEST(MergeLines, ALineThatWasToldTwiceIsThereTwice) {
  EXPECT_EQ(merge_lines(numbered({1, 1, 2}), numbered({1, 1, 2})), numbered({1, 1, 2}));
}

TEST(LinesSince, GoesByTheTimeOfALine) {
  using Json = nlohmann::ordered_json;
  const Json early = {{"time", "1970-01-01T00:00:05.000000Z"}};
  const Json late = {{"time", "1970-01-01T00:00:06.000000Z"}};
  const JournalLines kept =
      lines_since({{.json = early, .place = "f:1"}, {.json = late, .place = "f:2"}},
                  WallTime(std::chrono::seconds(6)));
  EXPECT_EQ(kept, JournalLines{late});
}

}  // namespace
}  // namespace evictd::cli
