// SPDX-License-Identifier: Apache-2.0
// Memory that stays charged to a victim after its last process: nobody else goes for it.
#include "eviction/left_behind.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "eviction/ranking.h"
#include "node.h"

namespace evictd::eviction {
namespace {

PassSettings one_gi(bool soft = false) {
  PassSettings settings;
  ThresholdTexts texts;
  if (soft) {
    texts.soft = {{"memory.available", "1Gi"}};
    texts.soft_grace_period = {{"memory.available", "1s"}};
  } else {
    texts.hard = {{"memory.available", "1Gi"}};
  }
  settings.thresholds = thresholds(texts);
  settings.max_pod_grace = 30s;
  settings.hard_grace = 0s;
  return settings;
}

/// "dead" has died of a threshold of 1 GiB, floor 512 MiB, and its files are still charged to it.
/// "rightful" uses less than it requests, and of the others "first" goes first.
class LeftBehind : public testing::Test {
 protected:
  void die(Bytes available, Bytes left) {
    node_.with(pod("dead").priority(-10), left)
        .with(pod("rightful").priority(-5).memory("800Mi", "800Mi"), 100_MiB)
        .with(pod("first").priority(-1), 200_MiB)
        .with(pod("later"), 300_MiB);
    node_.pass_with_memory(available);
    ASSERT_EQ(node_.victim(), "dead");
    node_["dead"].standing = Standing::kKilled;
    ReleasingPod released;
    released.killed_at = node_.now();
    released.left = left;
    node_.releasing().push_back(released);
    node_.pass_time(1ms);
    ASSERT_EQ(node_.pass_with_memory(available).reason, Reason::kReleasePending);
  }

  /// A pass over what was seen since the last one.
  const Decision& look(Bytes available) {
    node_.pass_time(1ms);
    return node_.pass_with_memory(available);
  }

  Node node_{one_gi()};
};

TEST_F(LeftBehind, IsWaitedForHoweverLittleItIs) {
  die(700_MiB, 10_MiB);
  node_.pass_time(1s);
  const Decision& decision = look(640_MiB);
  EXPECT_EQ(decision.reason, Reason::kReleasePending);
  EXPECT_EQ(node_.victim(), "nobody");
  EXPECT_EQ(decision.next_deadline, node_.now() - 1s - 2ms + kReleaseWait);
}

TEST_F(LeftBehind, IsWaitedForBelowTheFloorWhereNobodyGrew) {
  die(300_MiB, 800_MiB);
  node_.pass_time(1s);
  EXPECT_EQ(look(100_MiB).reason, Reason::kReleasePending);
  EXPECT_EQ(node_.victim(), "nobody") << "no pod has taken that";
}

TEST_F(LeftBehind, WhoPassesTheFloorByGrowingIsJudgedNotWhoRanksNext) {
  die(600_MiB, 800_MiB);
  node_["later"].grown = 80_MiB;
  EXPECT_EQ(look(520_MiB).reason, Reason::kReleasePending) << "above the floor";
  node_["later"].grown = 90_MiB;
  node_["first"].grown = 1_MiB;
  EXPECT_EQ(look(509_MiB).choice, Choice::kGrower);
  EXPECT_EQ(node_.victim(), "later");
}

TEST_F(LeftBehind, GrowthBelowFloorIsJudgedOnceHalfOfTheRestIsTaken) {
  die(400_MiB, 800_MiB);
  node_["later"].grown = 190_MiB;
  EXPECT_EQ(look(210_MiB).reason, Reason::kReleasePending);
  node_["later"].grown = 210_MiB;
  look(190_MiB);
  EXPECT_EQ(node_.victim(), "later");
}

TEST_F(LeftBehind, AFallThatNoPodCausedTakesNobody) {
  die(600_MiB, 800_MiB);
  node_["later"].grown = 10_MiB;
  EXPECT_EQ(look(400_MiB).reason, Reason::kReleasePending);
}

TEST_F(LeftBehind, AProtectedPodThatGrowsCostsNobodyElseItsLife) {
  node_.with(pod("system").priority(2'000'000'000), 100_MiB);
  die(600_MiB, 800_MiB);
  node_["system"].grown = 200_MiB;
  node_["first"].grown = 1_MiB;
  EXPECT_EQ(look(399_MiB).outcome, Outcome::kHeld);
  EXPECT_EQ(node_.victim(), "nobody");
}

TEST_F(LeftBehind, AProtectedPodThatGrowsMoreHidesNobodyWhoPassesTheFloor) {
  node_.with(pod("system").priority(2'000'000'000), 100_MiB);
  die(600_MiB, 800_MiB);
  node_["system"].grown = 110_MiB;
  node_["first"].grown = 90_MiB;
  look(509_MiB);
  EXPECT_EQ(node_.victim(), "first");
}

TEST_F(LeftBehind, WhoTakesMuchIsJudgedThoughMoreWentThanItTook) {
  die(600_MiB, 800_MiB);
  node_["later"].grown = 300_MiB;
  look(200_MiB);
  EXPECT_EQ(node_.victim(), "later") << "312 MiB are missing to the floor";
}

TEST_F(LeftBehind, WhatComesBackMeanwhileIsNotToBeTakenAgain) {
  die(100_MiB, 800_MiB);
  look(600_MiB);
  node_["later"].grown = 120_MiB;
  look(500_MiB);
  EXPECT_EQ(node_.victim(), "later") << "below the floor, though above half of what was left first";
}

TEST_F(LeftBehind, AfterWaitPodGrowingPastFloorIsJudgedDespiteRequest) {
  die(600_MiB, 800_MiB);
  node_.remove("first");
  node_.remove("later");
  node_.pass_time(30s);
  EXPECT_EQ(look(600_MiB).reason, Reason::kLeftBehind);
  node_["rightful"].grown = 200_MiB;
  look(400_MiB);
  EXPECT_EQ(node_.victim(), "rightful");
}

TEST_F(LeftBehind, AfterTheWaitWhoUsesLessThanItsRequestIsSpared) {
  die(700_MiB, 800_MiB);
  node_.remove("first");
  node_.remove("later");
  node_.pass_time(30s);
  const Decision& decision = look(700_MiB);
  EXPECT_EQ(decision.outcome, Outcome::kHeld);
  EXPECT_EQ(decision.reason, Reason::kLeftBehind);
  EXPECT_EQ(node_.victim(), "nobody");
}

TEST_F(LeftBehind, AfterTheWaitWhoUsesMoreThanItsRequestGoes) {
  die(700_MiB, 800_MiB);
  node_.pass_time(30s);
  EXPECT_EQ(look(700_MiB).choice, Choice::kAboveRequest);
  EXPECT_EQ(node_.victim(), "first");
}

TEST_F(LeftBehind, AfterWaitAnyPodGoesIfMoreIsMissingThanTheDeadHold) {
  die(700_MiB, 300_MiB);
  node_.remove("first");
  node_.remove("later");
  node_.pass_time(30s);
  look(700_MiB);
  EXPECT_EQ(node_.victim(), "rightful");
}

TEST_F(LeftBehind, IsNothingToAThresholdOfTasks) {
  HoldQuestion tasks;
  tasks.hard = true;
  tasks.resource = Resource::kPids;
  PassInput input;
  ReleasingPod released;
  released.left = 1_GiB;
  input.releasing = std::span(&released, 1);
  EXPECT_EQ(choice_beside_left(tasks, input, MonoTime{}), Choice::kAnybody);
}

TEST(LeftBehindOfASoftEviction, IsWaitedForHoweverSomebodyGrows) {
  Node node(one_gi(/*soft=*/true));
  node.with(pod("dead"), 800_MiB).with(pod("later"), 300_MiB);
  node.pass_with_memory(600_MiB);
  node.pass_time(1s);
  node.pass_with_memory(600_MiB);
  ASSERT_EQ(node.victim(), "dead");
  ReleasingPod released;
  released.killed_at = node.now();
  released.left = 800_MiB;
  node.releasing().push_back(released);
  node["dead"].standing = Standing::kKilled;
  node.pass_time(1ms);
  EXPECT_EQ(node.pass_with_memory(600_MiB).reason, Reason::kReleasePending);
  node.pass_time(1ms);
  node["later"].grown = 500_MiB;
  const Decision& decision = node.pass_with_memory(100_MiB);
  EXPECT_EQ(decision.reason, Reason::kReleasePending) << to_string(decision.outcome);
  EXPECT_EQ(node.victim(), "nobody");
}

TEST_F(LeftBehind, TheRankingSaysWhoWasSpared) {
  die(600_MiB, 800_MiB);
  node_["later"].grown = 90_MiB;
  look(509_MiB);
  std::string told;
  for (const Candidate& one : rank_with_reasons(rank_rule(Signal::kMemoryAvailable, {}),
                                                node_.pods(), node_.last().choice)) {
    told += node_.name_of(one.pod) + " " + std::string(to_string(one.passed_over)) + ", ";
  }
  EXPECT_EQ(told, "dead killed, first spared, later , rightful spared, ");
}

}  // namespace
}  // namespace evictd::eviction
