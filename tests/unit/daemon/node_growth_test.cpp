// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/node_growth.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "evictd/bytes.h"

namespace evictd::daemon {
namespace {

constexpr MonoTime kStart = MonoTime{} + std::chrono::hours(1);

NodeUsage row(Bytes working_set, std::chrono::milliseconds at) {
  return {.usage = working_set + 10_MiB, .inactive_file = 10_MiB, .read_at = kStart + at};
}

TEST(NodeGrowth, ABurstBetweenReadingsShowsItsMean) {
  NodeGrowth growth;
  growth.see(row(100_MiB, std::chrono::milliseconds(0)));
  growth.see(row(100_MiB, std::chrono::milliseconds(1000)));
  EXPECT_EQ(growth.per_second(row(300_MiB, std::chrono::milliseconds(2000))), (100_MiB).value);
}

TEST(NodeGrowth, AFallIsNoGrowth) {
  NodeGrowth growth;
  growth.see(row(300_MiB, std::chrono::milliseconds(0)));
  growth.see(row(200_MiB, std::chrono::milliseconds(1000)));
  EXPECT_EQ(growth.per_second(row(100_MiB, std::chrono::milliseconds(2000))), 0);
}

TEST(NodeGrowth, WhatEndedTwoReadingsAgoIsForgotten) {
  NodeGrowth growth;
  growth.see(row(100_MiB, std::chrono::milliseconds(0)));
  growth.see(row(300_MiB, std::chrono::milliseconds(1000)));
  growth.see(row(300_MiB, std::chrono::milliseconds(2000)));
  EXPECT_EQ(growth.per_second(row(300_MiB, std::chrono::milliseconds(2500))), 0);
}

TEST(NodeGrowth, IsUnknownBeforeTwoReadingsInARow) {
  NodeGrowth growth;
  const NodeUsage later = row(300_MiB, std::chrono::milliseconds(3000));
  EXPECT_EQ(growth.per_second(later), std::nullopt);
  growth.see(row(100_MiB, std::chrono::milliseconds(0)));
  EXPECT_EQ(growth.per_second(later), std::nullopt);
  growth.see(NodeUsage{});
  growth.see(row(100_MiB, std::chrono::milliseconds(2000)));
  EXPECT_EQ(growth.per_second(later), std::nullopt);
}

}  // namespace
}  // namespace evictd::daemon
