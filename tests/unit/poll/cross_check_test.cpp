// SPDX-License-Identifier: Apache-2.0
#include "poll/cross_check.h"

#include <gtest/gtest.h>

#include <string>

namespace evictd::poll {
namespace {

CgroupUsage reading(Bytes usage, Bytes inactive_file, std::int64_t tasks) {
  CgroupUsage usage_row;
  usage_row.usage = usage;
  usage_row.inactive_file = inactive_file;
  usage_row.tasks = tasks;
  return usage_row;
}

constexpr ErrorBounds kTwoCpus{2, Bytes{4096}};
constexpr Bytes kStock{2 * 64 * 4096};

TEST(CrossCheck, AgreesOnEqualReadings) {
  const CgroupUsage same = reading(10_MiB, 1_MiB, 7);
  const CrossCheck check = cross_check({same, same, same}, kTwoCpus);
  EXPECT_TRUE(check.agrees());
  EXPECT_TRUE(check.usage.compared);
  EXPECT_EQ(check.usage.by, 0);
}

TEST(CrossCheck, AgreesWithAnythingThatThePodMovedThroughMeanwhile) {
  const CrossCheck check = cross_check(
      {reading(10_MiB, 1_MiB, 7), reading(300_MiB, 1_MiB, 40), reading(1_GiB, 1_MiB, 90)},
      kTwoCpus);
  EXPECT_TRUE(check.agrees());
}

TEST(CrossCheck, AllowsTheStockOfEachCpuAndNoByteMore) {
  const CgroupUsage kernel = reading(10_MiB, 1_MiB, 7);
  const auto check_at = [&](Bytes files) {
    return cross_check({kernel, reading(files, 1_MiB, 7), kernel}, kTwoCpus).usage;
  };
  EXPECT_TRUE(check_at(10_MiB + kStock).agrees());
  EXPECT_TRUE(check_at(10_MiB - kStock).agrees());
  const Comparison beyond = check_at(10_MiB + kStock + Bytes{1});
  EXPECT_FALSE(beyond.agrees());
  EXPECT_EQ(beyond.by, kStock.value + 1);
  EXPECT_EQ(beyond.bound, kStock.value);
}

TEST(CrossCheck, AllowsSevenTimesTheStockForAnAncestor) {
  ErrorBounds bounds = kTwoCpus;
  bounds.stock_pages = kAncestorStockPages;
  const CgroupUsage kernel = reading(10_MiB, 1_MiB, 7);
  const CgroupUsage files = reading(10_MiB + Bytes{7 * kStock.value}, 1_MiB, 7);
  EXPECT_TRUE(cross_check({kernel, files, kernel}, bounds).agrees());
  EXPECT_FALSE(cross_check({kernel, files, kernel}, kTwoCpus).agrees());
}

TEST(CrossCheck, AllowsStatisticsToBeAsOldAsTheirBound) {
  CgroupUsage kernel = reading(100_MiB, 1_MiB, 7);
  kernel.rate_bytes_per_second = (10_MiB).value;
  const CgroupUsage files = reading(100_MiB, 21_MiB, 7);
  EXPECT_TRUE(cross_check({kernel, files, kernel}, kTwoCpus).agrees()) << "2 s at 10 MiB/s";
  kernel.rate_bytes_per_second = 0;
  EXPECT_FALSE(cross_check({kernel, files, kernel}, kTwoCpus).inactive_file.agrees());
}

TEST(CrossCheck, HasNoToleranceForTasks) {
  const CrossCheck check = cross_check(
      {reading(1_MiB, Bytes{0}, 7), reading(1_MiB, Bytes{0}, 9), reading(1_MiB, Bytes{0}, 8)},
      kTwoCpus);
  EXPECT_FALSE(check.agrees());
  EXPECT_EQ(check.tasks.by, 1);
}

TEST(CrossCheck, ComparesNothingThatOneSideDoesNotHave) {
  const CrossCheck check =
      cross_check({CgroupUsage{}, reading(10_MiB, 1_MiB, 7), CgroupUsage{}}, kTwoCpus);
  EXPECT_TRUE(check.agrees());
  EXPECT_FALSE(check.usage.compared);
}

TEST(CrossCheck, SurvivesRatesThatOverflowABound) {
  CgroupUsage kernel = reading(1_GiB, 1_MiB, 1);
  kernel.rate_bytes_per_second = INT64_MAX;
  EXPECT_TRUE(cross_check({kernel, reading(1_GiB, 1_GiB, 1), kernel}, kTwoCpus).agrees());
}

NodeUsage node(Bytes usage, Bytes inactive_file) {
  NodeUsage one;
  one.usage = usage;
  one.inactive_file = inactive_file;
  return one;
}

std::string apart(const NodeReadings& readings) {
  std::string names;
  for (const NodeComparison& one : cross_check(readings, kTwoCpus)) {
    names += one.comparison.agrees() ? "" : std::string(one.name) + ";";
  }
  return names;
}

TEST(CrossCheckOfNode, AllowsWhatCpusHoldBackAndNoByteMore) {
  constexpr std::int64_t kHeld = std::int64_t{2} * 125 * 4096;
  constexpr std::int64_t kUnflushed = kHeld + std::int64_t{2} * 2 * 64 * 4096;
  const NodeUsage ours = node(1_GiB, 100_MiB);
  const NodeUsage meminfo = node(1_GiB + Bytes{2 * kHeld}, 100_MiB - Bytes{kHeld});
  const NodeUsage root = node(1_GiB - Bytes{2 * kUnflushed}, 100_MiB + Bytes{kUnflushed});
  EXPECT_EQ(apart({ours, meminfo, root, ours}), "");
  const NodeUsage beyond = node(meminfo.usage + Bytes{1}, meminfo.inactive_file - Bytes{1});
  EXPECT_EQ(apart({ours, beyond, root, ours}), "usage in meminfo;inactive_file in meminfo;");
  const NodeUsage beneath = node(root.usage - Bytes{1}, root.inactive_file + Bytes{1});
  EXPECT_EQ(apart({ours, meminfo, beneath, ours}), "usage of the root;inactive_file of the root;");
}

TEST(CrossCheckOfNode, AgreesWithAnythingThatTheNodeMovedThroughMeanwhile) {
  const NodeUsage between = node(3_GiB, 1_GiB);
  EXPECT_EQ(apart({node(1_GiB, 2_GiB), between, between, node(4_GiB, 0_GiB)}), "");
}

TEST(CrossCheckOfNode, ComparesNothingThatOneSideDoesNotHave) {
  const NodeUsage files = node(1_GiB, 1_GiB);
  EXPECT_EQ(apart({NodeUsage{}, files, files, NodeUsage{}}), "");
  EXPECT_EQ(apart({files, files, NodeUsage{}, files}), "");
}

}  // namespace
}  // namespace evictd::poll
