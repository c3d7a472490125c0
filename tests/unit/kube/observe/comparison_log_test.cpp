// SPDX-License-Identifier: Apache-2.0
#include "kube/observe/comparison_log.h"

#include <gtest/gtest.h>

#include "made.h"

namespace evictd::kube {
namespace {

using test::decided;
using test::evicted;
using test::mono_second;
using test::wall_second;

class ComparisonLogTest : public testing::Test {
 protected:
  /// "a+b": evictd a, the kubelet b; "?" for whom it waits for, "-" for nobody.
  [[nodiscard]] std::string kept() const {
    std::string text;
    for (const exporting::Comparison& one : log_.comparisons()) {
      const std::string nobody = one.is_waiting ? "?" : "-";
      text += (text.empty() ? "" : " ") + (one.evictd ? one.evictd->uid : nobody) + "+" +
              (one.kubelet ? one.kubelet->uid : nobody);
    }
    return text;
  }

  ComparisonLog log_{std::chrono::seconds(60), wall_second(0)};
};

TEST_F(ComparisonLogTest, TheSamePodIsAPairWhoeverWasFirst) {
  EXPECT_TRUE(log_.add_decision(decided(1, "a", 10), mono_second(10)));
  EXPECT_TRUE(log_.add_eviction(evicted("a", 12), mono_second(12)));
  EXPECT_TRUE(log_.add_eviction(evicted("b", 20), mono_second(20)));
  EXPECT_TRUE(log_.add_decision(decided(2, "b", 21), mono_second(21)));
  EXPECT_EQ(kept(), "a+a b+b");
  EXPECT_EQ(log_.due(), MonoTime::max());
}

TEST_F(ComparisonLogTest, AnotherPodIsAPairOnlyOnceTheWindowHasPassed) {
  EXPECT_TRUE(log_.add_decision(decided(1, "a", 10), mono_second(10)));
  EXPECT_TRUE(log_.add_decision(decided(2, "b", 18), mono_second(18)));
  EXPECT_TRUE(log_.add_eviction(evicted("c", 20), mono_second(20)));
  EXPECT_EQ(kept(), "a+? b+? ?+c");
  EXPECT_EQ(log_.due(), mono_second(80));
  EXPECT_FALSE(log_.settle(mono_second(79)));
  EXPECT_TRUE(log_.settle(mono_second(80)));
  EXPECT_EQ(kept(), "a+? b+c") << "the nearest in time";
  EXPECT_TRUE(log_.settle(mono_second(130)));
  EXPECT_EQ(kept(), "a+- b+c");
}

TEST_F(ComparisonLogTest, AnEventTellsBetterWhenItWasThanTheStatusOfThePod) {
  EXPECT_TRUE(log_.add_decision(decided(1, "a", 10), mono_second(10)));
  EXPECT_TRUE(log_.add_eviction(evicted("a", 42), mono_second(42)));
  exporting::ComparedEviction event = evicted("a", 12);
  event.time_source = "event";
  EXPECT_TRUE(log_.add_eviction(event, mono_second(43)));
  EXPECT_FALSE(log_.add_eviction(event, mono_second(44)));
  EXPECT_FALSE(log_.add_eviction(evicted("a", 42), mono_second(45)));
  EXPECT_EQ(kept(), "a+a");
  EXPECT_EQ(log_.comparisons()[0].kubelet->time, wall_second(12));
}

TEST_F(ComparisonLogTest, ThePodThatComesLateIsPreferredToAnotherOne) {
  EXPECT_TRUE(log_.add_decision(decided(1, "a", 10), mono_second(10)));
  EXPECT_TRUE(log_.add_eviction(evicted("b", 11), mono_second(11)));
  EXPECT_TRUE(log_.add_decision(decided(2, "b", 40), mono_second(40)));
  EXPECT_EQ(kept(), "a+? b+b");
}

TEST_F(ComparisonLogTest, AnotherResourceOrAnotherTimeIsNoPair) {
  exporting::ComparedEviction pids = evicted("b", 11);
  pids.resource = "pids";
  EXPECT_TRUE(log_.add_decision(decided(1, "a", 10), mono_second(10)));
  EXPECT_TRUE(log_.add_eviction(pids, mono_second(11)));
  EXPECT_TRUE(log_.add_eviction(evicted("a", 71), mono_second(71)));
  EXPECT_TRUE(log_.settle(mono_second(200)));
  EXPECT_EQ(kept(), "a+- -+b -+a");
}

TEST_F(ComparisonLogTest, WhatIsToldAgainIsKnown) {
  EXPECT_TRUE(log_.add_decision(decided(1, "a", 10), mono_second(10)));
  EXPECT_FALSE(log_.add_decision(decided(1, "a", 10), mono_second(11)));
  EXPECT_TRUE(log_.add_eviction(evicted("a", 12), mono_second(12)));
  EXPECT_FALSE(log_.add_eviction(evicted("a", 12), mono_second(13)));
  EXPECT_EQ(kept(), "a+a");
}

TEST_F(ComparisonLogTest, AnEvictionFromBeforeItBeganIsNobodys) {
  EXPECT_FALSE(log_.add_eviction(evicted("a", -2), mono_second(0)));
  EXPECT_TRUE(log_.add_eviction(evicted("a", -1), mono_second(0))) << "it may be within the second";
}

TEST_F(ComparisonLogTest, KeepsTheNewestAndTakesNoForgottenEvictionAgain) {
  constexpr int kMost = static_cast<int>(ComparisonLog::kMostKept);
  for (int i = 0; i <= kMost; ++i) {
    EXPECT_TRUE(log_.add_eviction(evicted("u" + std::to_string(i), 10 * i), mono_second(10 * i)));
  }
  EXPECT_EQ(log_.comparisons().size(), ComparisonLog::kMostKept);
  EXPECT_EQ(log_.comparisons().front().kubelet->uid, "u1");
  EXPECT_FALSE(log_.add_eviction(evicted("u0", 0), mono_second(9000)));
}

TEST_F(ComparisonLogTest, IsThereAgainAfterARestart) {
  EXPECT_TRUE(log_.add_decision(decided(1, "a", 10), mono_second(10)));
  EXPECT_TRUE(log_.add_eviction(evicted("a", 12), mono_second(12)));
  EXPECT_TRUE(log_.add_eviction(evicted("b", 20), mono_second(20)));
  log_.move_to(77);
  const std::vector<std::string> texts = log_.texts();
  log_ = ComparisonLog(std::chrono::seconds(60), wall_second(1000));
  for (const std::string& text : texts) {
    const Result<> applied = log_.apply(text, mono_second(5));
    ASSERT_TRUE(applied) << applied.error().message();
  }
  EXPECT_EQ(log_.texts(), texts);
  EXPECT_EQ(log_.cursor(), 77U);
  EXPECT_EQ(log_.horizon(), wall_second(0));
  EXPECT_EQ(log_.due(), mono_second(65)) << "who waits does so for a whole window";
  EXPECT_FALSE(log_.add_decision(decided(1, "a", 10), mono_second(6)));
}

TEST_F(ComparisonLogTest, ALineThatIsNoneIsRefused) {
  for (const char* const text :
       {"", "{", "[]", "{}", R"({"kind":"comparisons"})",
        R"({"schema":2,"kind":"comparisons","since":"2026-01-01T00:00:00Z","cursor":null})",
        R"({"schema":1,"kind":"comparisons","since":"2026-01-01T00:00:00Z","cursor":"a"})",
        R"({"schema":1,"kind":"comparison","evictd":null,"kubelet":null,"waiting":true})"}) {
    EXPECT_FALSE(log_.apply(text, mono_second(0))) << text;
  }
}

}  // namespace
}  // namespace evictd::kube
