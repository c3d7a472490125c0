// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/collector_runs.h"

#include <gtest/gtest.h>

#include <string>

namespace evictd::daemon {
namespace {

constexpr std::uint64_t kReclaimRound = 3;
constexpr MonoTime kFirstEnd{std::chrono::seconds(10)};
constexpr MonoTime kSecondEnd{std::chrono::seconds(20)};

/// A run of both collectors: the first fails, the second cannot be started.
class RunOfCollectors : public testing::Test {
 protected:
  RunOfCollectors() {
    runs_.begin(kReclaimRound, {{.collector = eviction::Collector::kContainers,
                                 .argv = {"/usr/bin/prune", "-f"},
                                 .timeout = std::chrono::seconds(5)},
                                {.collector = eviction::Collector::kImages,
                                 .argv = {"/usr/bin/rmi"},
                                 .timeout = std::chrono::seconds(5)}});
  }
  [[nodiscard]] static CollectorsEnd ended(std::uint64_t round = kReclaimRound) {
    enforce::CommandEnd failed;
    failed.status = 3 << 8;
    CollectorsEnd both;
    both.round = round;
    both.ends.push_back({.collector = eviction::Collector::kContainers,
                         .end = failed,
                         .took = std::chrono::milliseconds(1200),
                         .ended_at = kFirstEnd});
    both.ends.push_back({.collector = eviction::Collector::kImages,
                         .end = fail(Errc::kNotFound, "/usr/bin/rmi"),
                         .took = Duration::zero(),
                         .ended_at = kSecondEnd});
    return both;
  }
  CollectorRuns runs_;
};

TEST_F(RunOfCollectors, TellsWhatRanHowItEndedAndHowLongItTook) {
  runs_.end(ended());
  const auto told = runs_.as_of(kSecondEnd);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].collector, "containers");
  EXPECT_EQ(told[0].argv, (std::vector<std::string>{"/usr/bin/prune", "-f"}));
  EXPECT_EQ(told[0].outcome, "failed");
  EXPECT_EQ(told[0].end, "exit status 3");
  EXPECT_EQ(told[0].took_ms, 1200);
  EXPECT_EQ(told[0].ended_at, kFirstEnd);
  EXPECT_EQ(told[1].outcome, "failed");
  EXPECT_NE(told[1].end.find("/usr/bin/rmi"), std::string::npos) << told[1].end;
}

TEST_F(RunOfCollectors, WhatHadNotEndedWhenThePassWentOnWasUnderWay) {
  EXPECT_EQ(runs_.as_of(kSecondEnd).at(0).outcome, "under_way");
  runs_.end(ended());
  const auto told = runs_.as_of(kFirstEnd);
  EXPECT_EQ(told.at(0).outcome, "failed");
  EXPECT_EQ(told.at(1).outcome, "under_way");
  EXPECT_EQ(told.at(1).argv, std::vector<std::string>{"/usr/bin/rmi"});
  EXPECT_EQ(told.at(1).took_ms, std::nullopt);
  EXPECT_EQ(told.at(1).ended_at, std::nullopt);
}

TEST_F(RunOfCollectors, TheEndOfAnEarlierRunIsNotThatOfTheLast) {
  runs_.end(ended(kReclaimRound - 1));
  EXPECT_EQ(runs_.as_of(kSecondEnd).at(0).outcome, "under_way");
  runs_.begin(kReclaimRound + 1, {});
  EXPECT_TRUE(runs_.as_of(kSecondEnd).empty());
}

}  // namespace
}  // namespace evictd::daemon
