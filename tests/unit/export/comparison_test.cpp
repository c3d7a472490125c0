// SPDX-License-Identifier: Apache-2.0
#include "export/comparison.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace evictd::exporting {
namespace {

using std::chrono::milliseconds;

WallTime at_ms(std::int64_t ms) {
  return WallTime(std::chrono::seconds(1'700'000'000) + milliseconds(ms));
}

/// evictd decided at `ms`, and a kubelet in the second that begins at 10 s.
Comparison pair(std::int64_t ms) {
  return {.evictd = ComparedEviction{.ns = "n",
                                     .name = "a",
                                     .uid = "u",
                                     .time = at_ms(ms),
                                     .time_source = "record",
                                     .resource = "memory",
                                     .available = 300,
                                     .usage = 70,
                                     .id = 7},
          .kubelet = ComparedEviction{.ns = "n",
                                      .name = "a",
                                      .uid = "u",
                                      .time = at_ms(10'000),
                                      .precision = milliseconds(1000),
                                      .time_source = "condition",
                                      .resource = "memory",
                                      .available = 100}};
}

TEST(Comparison, WhoWasFirstIsUnclearWithinTheSecondThatAKubeletTells) {
  EXPECT_EQ(earlier_of(pair(9'999)), Earlier::kEvictd);
  EXPECT_EQ(earlier_of(pair(10'000)), Earlier::kUnclear);
  EXPECT_EQ(earlier_of(pair(11'000)), Earlier::kUnclear);
  EXPECT_EQ(earlier_of(pair(11'001)), Earlier::kKubelet);
  EXPECT_EQ(lead_of(pair(9'250)), milliseconds(750));
  EXPECT_EQ(lead_of(pair(12'000)), milliseconds(-2000));
}

TEST(Comparison, AmountsOfTwoResourcesAreNotCompared) {
  Comparison both = pair(0);
  EXPECT_EQ(more_available(both), 200);
  both.kubelet->resource = "pids";
  EXPECT_EQ(more_available(both), std::nullopt);
  both = pair(0);
  both.kubelet->available.reset();
  EXPECT_EQ(more_available(both), std::nullopt);
}

TEST(Comparison, IsReadAsItWasWritten) {
  for (Comparison written : {pair(9'000), pair(12'000)}) {
    const Result<Comparison> read = comparison_from_json(to_json(written));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(to_json(*read), to_json(written));
    written.kubelet.reset();
    written.is_waiting = true;
    const Result<Comparison> half = comparison_from_json(to_json(written));
    ASSERT_TRUE(half) << half.error().message();
    EXPECT_EQ(to_json(*half), to_json(written));
  }
}

TEST(Comparison, WhatIsNoneIsRefusedWithTheMember) {
  auto json = to_json(pair(0));
  json["evictd"]["time"] = "2200-01-01T00:00:00Z";
  EXPECT_EQ(comparison_from_json(json).error().context, "evictd.time: no time from 1970 to 2043");
  json = to_json(pair(0));
  json["kubelet"]["available"] = "much";
  EXPECT_NE(comparison_from_json(json).error().context.find("kubelet.available"),
            std::string::npos);
  json = to_json(pair(0));
  json["evictd"] = nullptr;
  json["kubelet"] = nullptr;
  EXPECT_FALSE(comparison_from_json(json));
  json["schema"] = 2;
  EXPECT_EQ(comparison_from_json(json).error().code, Errc::kUnsupported);
  EXPECT_FALSE(comparison_from_json(nlohmann::ordered_json::array()));
}

TEST(ComparisonSummary, CountsPairsAndThoseThatAreAlone) {
  Comparison other_pod = pair(7'000);
  other_pod.kubelet->uid = "v";
  Comparison alone = pair(0);
  alone.kubelet.reset();
  Comparison unmatched = pair(0);
  unmatched.evictd.reset();
  Comparison waiting = alone;
  waiting.is_waiting = true;
  const ComparisonSummary summary = summary_of(
      {pair(9'000), pair(10'500), pair(14'000), other_pod, alone, unmatched, unmatched, waiting});
  EXPECT_EQ(summary.same_pod, 3U);
  EXPECT_EQ(summary.other_pod, 1U);
  EXPECT_EQ(summary.evictd_only, 1U);
  EXPECT_EQ(summary.kubelet_only, 2U);
  EXPECT_EQ(summary.waiting, 1U);
  EXPECT_EQ(summary.evictd_earlier, 2U);
  EXPECT_EQ(summary.unclear, 1U);
  EXPECT_EQ(summary.kubelet_earlier, 1U);
  EXPECT_EQ(summary.median_lead, milliseconds(-500));
  EXPECT_EQ(summary.median_more_available, 200);
}

TEST(ComparisonSummary, HasTheMedianOfBytesAlone) {
  Comparison tasks = pair(9'000);
  tasks.evictd->resource = "pids";
  tasks.kubelet->resource = "pids";
  EXPECT_EQ(more_available(tasks), 200);
  EXPECT_EQ(summary_of({tasks}).median_more_available, std::nullopt);
}

TEST(ComparisonSummary, OfNothingHasNoMedian) {
  EXPECT_EQ(summary_of({}).median_lead, std::nullopt);
}

}  // namespace
}  // namespace evictd::exporting
