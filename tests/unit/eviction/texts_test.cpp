// SPDX-License-Identifier: Apache-2.0
// Configuration texts in, thresholds out.
#include <gtest/gtest.h>

#include <cmath>

#include "builders.h"
#include "eviction/go_float.h"
#include "eviction/threshold_table.h"

namespace evictd::eviction {
namespace {

TEST(ParseThresholds, MakesHardSoftAndAllocatableOnes) {
  const std::vector<Threshold> list =
      thresholds({.hard = {{"memory.available", "100Mi"}},
                  .soft = {{"nodefs.available", "15%"}},
                  .soft_grace_period = {{"nodefs.available", "90s"}},
                  .minimum_reclaim = {{"memory.available", "1Gi"}},
                  .enforce_node_allocatable = {"pods"}});

  ASSERT_EQ(list.size(), 3U);
  EXPECT_TRUE(list[0].is_hard());
  EXPECT_EQ(list[1].grace_period, 90s);
  EXPECT_EQ(list[2].signal, Signal::kAllocatableMemoryAvailable);
  EXPECT_EQ(list[2].min_reclaim->quantity, amount("1Gi"));
}

TEST(ParseThresholds, DropsWhatSaysNoneAsATextOnly) {
  ThresholdTexts texts;
  texts.hard = {{"memory.available", "0%"}, {"nodefs.available", "100%"}};
  EXPECT_TRUE(thresholds(texts).empty());
  texts.hard = {{"memory.available", "00%"}, {"nodefs.available", "100.0%"}};
  EXPECT_EQ(thresholds(texts).size(), 2U);
}

std::string error_of(const ThresholdTexts& texts, Compat compat = Compat::k1_32) {
  const auto result = parse_thresholds(texts, compat);
  return result ? "none" : result.error().context;
}

TEST(ParseThresholds, ReportsErrorsInTheKubeletsWords) {
  ThresholdTexts texts;
  texts.hard = {{"memory.free", "1Gi"}};
  EXPECT_EQ(error_of(texts), "unsupported eviction signal memory.free");
  texts.hard = {{"containerfs.available", "1Gi"}};
  EXPECT_EQ(error_of(texts), "none");
  EXPECT_EQ(error_of(texts, Compat::k1_26), "unsupported eviction signal containerfs.available");
  texts.hard = {{"memory.available", "101%"}};
  EXPECT_EQ(error_of(texts),
            "eviction percentage threshold memory.available must be <= 100%: 101%");
  texts.hard = {};
  texts.soft = {{"memory.available", "1Gi"}};
  EXPECT_EQ(error_of(texts),
            "grace period must be specified for the soft eviction threshold memory.available");
}

TEST(ParseFloat, ReadsWhatGoReads) {
  EXPECT_FLOAT_EQ(parse_float("7.5").value(), 7.5F);
  EXPECT_FLOAT_EQ(parse_float("0x1p3").value(), 8);
  EXPECT_FLOAT_EQ(parse_float("1_000.5").value(), 1000.5F);
  EXPECT_EQ(parse_float("1e-400").value(), 0);
  EXPECT_TRUE(std::isnan(parse_float("NaN").value()));
  EXPECT_TRUE(std::isinf(parse_float("-Infinity").value()));
  for (const std::string_view text : {"", ".", "1e", "0x10", "_1", "1__0", "+nan", "1 ", "--1"}) {
    EXPECT_FALSE(parse_float(text)) << text;
  }
  EXPECT_EQ(parse_float("1e39").error().context,
            "strconv.ParseFloat: parsing \"1e39\": value out of range");
  EXPECT_EQ(parse_float("1\n\x1b\xc2\x9b\xc3\xa9").error().context,
            "strconv.ParseFloat: parsing \"1\\n\\x1b\\u009b\xc3\xa9\": invalid syntax");
}

TEST(Share, Is32BitsWideAsTheKubelets) {
  // 10 % as a float is a little more than a tenth.
  EXPECT_EQ(share_of(1'000'000'000'000, 0.1F), 100'000'001'490);
  EXPECT_EQ(share_of(1, std::nanf("")), std::numeric_limits<std::int64_t>::min());
}

TEST(ThresholdTable, AddsAmountsBeforeItRounds) {
  Threshold threshold;
  threshold.signal = Signal::kMemoryAvailable;
  threshold.value.quantity = amount("500m");
  threshold.min_reclaim = ThresholdValue{amount("500m"), 0};
  const ThresholdTable table = ThresholdTable::create({threshold}).value();

  EXPECT_EQ(table.limit(0, 100, MinReclaim::kIgnored), 1);
  EXPECT_EQ(table.limit(0, 100, MinReclaim::kEnforced), 1);
}

TEST(ThresholdTable, OrdersMemoryPidsDiskAndHardBeforeSoft) {
  const std::vector<Threshold> list =
      thresholds({.hard = {{"nodefs.available", "5%"}, {"pid.available", "10"}},
                  .soft = {{"memory.available", "1Gi"}, {"pid.available", "20"}},
                  .soft_grace_period = {{"memory.available", "1m"}, {"pid.available", "1m"}},
                  .minimum_reclaim = {},
                  .enforce_node_allocatable = {}});
  const ThresholdTable table = ThresholdTable::create(list).value();

  std::vector<std::string> order(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    order[table.order(i)] =
        std::string(to_string(table[i].signal)) + " " + (table[i].is_hard() ? "hard" : "soft");
  }

  EXPECT_EQ(order, (std::vector<std::string>{"memory.available soft", "pid.available hard",
                                             "pid.available soft", "nodefs.available hard"}));
}

}  // namespace
}  // namespace evictd::eviction
