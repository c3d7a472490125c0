// SPDX-License-Identifier: Apache-2.0
// What the kubelet leaves open: the time between a kill and the memory that it frees.
#include "eviction/hold.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "node.h"

namespace evictd::eviction {
namespace {

PassSettings hard_1gi(std::string soft = {}) {
  PassSettings settings;
  ThresholdTexts texts;
  texts.hard = {{"memory.available", "1Gi"}};
  if (!soft.empty()) {
    texts.soft = {{"memory.available", soft}};
    texts.soft_grace_period = {{"memory.available", "0s"}};
  }
  settings.thresholds = thresholds(texts);
  settings.max_pod_grace = 30s;
  return settings;
}

/// A node on which "first" was just evicted with 900 MiB available and sent SIGKILL at once.
Node node_with_a_dying_pod(Bytes still_held) {
  PassSettings settings = hard_1gi();
  settings.hard_grace = 0s;
  Node node(settings);
  node.with(pod("first"), still_held).with(pod("second"), 100_MiB);
  node.pass_with_memory(900_MiB);
  EXPECT_EQ(node.victim(), "first");
  node["first"].standing = Standing::kKilled;
  node.releasing().push_back({node.now(), still_held, 0, {}, 0});
  return node;
}

TEST(Hold, WaitsForMemoryThatIsBeingFreed) {
  Node node = node_with_a_dying_pod(500_MiB);
  node.pass_time(1ms);

  const Decision& decision = node.pass_with_memory(880_MiB);

  EXPECT_EQ(decision.outcome, Outcome::kHeld);
  EXPECT_EQ(decision.reason, Reason::kReleasePending);
  EXPECT_EQ(node.victim(), "nobody");
}

TEST(Hold, DoesNotWaitForLessThanIsNeeded) {
  Node node = node_with_a_dying_pod(100_MiB);
  node.pass_time(1ms);

  node.pass_with_memory(880_MiB);

  EXPECT_EQ(node.victim(), "second");
}

TEST(Hold, EndsAfter30Seconds) {
  Node node = node_with_a_dying_pod(500_MiB);
  node.pass_time(1s);
  EXPECT_EQ(node.pass_with_memory(880_MiB).next_deadline, node.now() + 29s);

  node.pass_time(29s);
  node.pass_with_memory(880_MiB);

  EXPECT_EQ(node.victim(), "second");
}

TEST(Hold, EndsWhenAvailableHasFallenByAQuarterOfTheThreshold) {
  Node node = node_with_a_dying_pod(900_MiB);
  node.pass_time(1ms);
  EXPECT_EQ(node.pass_with_memory(890_MiB).outcome, Outcome::kHeld);
  node.pass_time(1ms);
  EXPECT_EQ(node.pass_with_memory(Bytes{(890_MiB - 256_MiB).value + 1}).outcome, Outcome::kHeld);

  node.pass_time(1ms);
  node.pass_with_memory(890_MiB - 256_MiB);

  EXPECT_EQ(node.victim(), "second");
}

TEST(Hold, EndsWhereLittleIsLeftWhenHalfOfThatIsGone) {
  Node node = node_with_a_dying_pod(900_MiB + 900_MiB);
  node.pass_time(1ms);
  EXPECT_EQ(node.pass_with_memory(200_MiB).outcome, Outcome::kHeld);
  node.pass_time(1ms);
  EXPECT_EQ(node.pass_with_memory(Bytes{(100_MiB).value + 1}).outcome, Outcome::kHeld);

  node.pass_time(1ms);
  node.pass_with_memory(100_MiB);

  EXPECT_EQ(node.victim(), "second");
}

TEST(Hold, VictimsGrowthDuringASlowSigkillIsNotAFall) {
  Node node = node_with_a_dying_pod(900_MiB);
  node.pass_time(25ms);

  EXPECT_EQ(node.pass_with_memory(600_MiB).reason, Reason::kReleasePending);
  EXPECT_EQ(node.victim(), "nobody");
}

TEST(Hold, DoesNotCallAFallWhatTheVictimItselfTookInItsGrace) {
  Node node(hard_1gi());
  node.with(pod("first"), 500_MiB).with(pod("second"), 100_MiB);
  node.pass_with_memory(900_MiB);
  ASSERT_EQ(node.victim(), "first");
  node["first"].standing = Standing::kInHardGrace;
  node.pass_time(1s);
  ASSERT_EQ(node.pass_with_memory(640_MiB).reason, Reason::kVictimInGrace);
  node["first"].standing = Standing::kKilled;
  node.releasing().push_back({node.now(), 760_MiB, 0, {}, 0});
  node.pass_time(1ms);

  EXPECT_EQ(node.pass_with_memory(639_MiB).reason, Reason::kReleasePending);
  EXPECT_EQ(node.victim(), "nobody");
}

TEST(Hold, VictimsGrowthBetweenPassesOfItsGraceIsNotAFall) {
  Node node(hard_1gi());
  node.with(pod("first"), 500_MiB).with(pod("second"), 100_MiB);
  node.pass_with_memory(900_MiB);
  ASSERT_EQ(node.victim(), "first");
  node.pass_time(10s);
  node["first"].standing = Standing::kKilled;
  node.releasing().push_back({node.now(), 900_MiB, 0, {}, 0});

  EXPECT_EQ(node.pass_with_memory(200_MiB).reason, Reason::kReleasePending);
  EXPECT_EQ(node.victim(), "nobody");
}

TEST(Hold, DoesNotCallAFallWhatTheVictimTookBeforeItsGraceWasCut) {
  Node node(hard_1gi());
  node.with(pod("first"), 500_MiB).with(pod("second"), 100_MiB);
  node.pass_with_memory(1023_MiB);
  ASSERT_EQ(node.victim(), "first");
  node["first"].standing = Standing::kInHardGrace;
  node.pass_time(100ms);
  ASSERT_EQ(node.pass_with_memory(280_MiB).outcome, Outcome::kEscalated);
  node["first"].standing = Standing::kKilled;
  node.releasing().push_back({node.now(), 900_MiB, 0, {}, 0});
  node.pass_time(1ms);

  EXPECT_EQ(node.pass_with_memory(281_MiB).reason, Reason::kReleasePending);
  EXPECT_EQ(node.victim(), "nobody");

  node.pass_time(1ms);
  node.pass_with_memory(281_MiB - 256_MiB);
  EXPECT_EQ(node.victim(), "second");
}

TEST(Hold, CountsAFallAlthoughASoftVictimIsInItsGrace) {
  PassSettings settings;
  settings.thresholds = thresholds({.hard = {{"memory.available", "1Gi"}},
                                    .soft = {{"memory.available", "2Gi"}},
                                    .soft_grace_period = {{"memory.available", "1s"}},
                                    .minimum_reclaim = {},
                                    .enforce_node_allocatable = {}});
  settings.hard_grace = 0s;
  Node node(settings);
  node.with(pod("first"), 500_MiB).with(pod("second"), 100_MiB).with(pod("soft"), 50_MiB);
  node["soft"].standing = Standing::kInSoftGrace;
  node.pass_with_memory(1500_MiB);
  node.pass_time(1s);
  node.pass_with_memory(900_MiB);
  ASSERT_EQ(node.victim(), "first");
  node["first"].standing = Standing::kKilled;
  node.releasing().push_back({node.now(), 900_MiB, 0, {}, 0});
  node.pass_time(1ms);
  ASSERT_EQ(node.pass_with_memory(880_MiB).outcome, Outcome::kHeld);

  node.pass_time(1ms);
  node.pass_with_memory(880_MiB - 256_MiB);

  EXPECT_EQ(node.victim(), "second");
}

TEST(Hold, BlocksNoOtherSignal) {
  PassSettings settings = hard_1gi();
  settings.thresholds =
      thresholds({.hard = {{"memory.available", "1Gi"}, {"pid.available", "1000"}},
                  .soft = {},
                  .soft_grace_period = {},
                  .minimum_reclaim = {},
                  .enforce_node_allocatable = {}});
  Node node(settings);
  node.with(pod("dying"), 500_MiB).with(pod("forks"), 100_MiB);
  node["dying"].standing = Standing::kKilled;
  node.releasing().push_back({node.now(), 500_MiB, 0, {}, 0});
  node.see(Signal::kPidAvailable, 10, 32'768);

  const Decision& decision = node.pass_with_memory(900_MiB);

  EXPECT_EQ(decision.outcome, Outcome::kEvicted);
  EXPECT_EQ(decision.reason, Reason::kNone);
  EXPECT_EQ(node.manager().thresholds()[*decision.threshold].signal, Signal::kPidAvailable);
}

TEST(Escalation, CutsTheGraceOfASoftVictimThatRanksFirst) {
  Node node(hard_1gi());
  node.with(pod("soft-victim"), 500_MiB).with(pod("other"), 100_MiB);
  node["soft-victim"].standing = Standing::kInSoftGrace;

  const Decision& decision = node.pass_with_memory(900_MiB);

  EXPECT_EQ(decision.outcome, Outcome::kEscalated);
  EXPECT_EQ(node.victim(), "soft-victim");
  EXPECT_EQ(decision.grace, 1s);
}

TEST(Escalation, DoesNotDelayAHardEvictionOfAnotherPod) {
  Node node(hard_1gi());
  node.with(pod("soft-victim"), 50_MiB).with(pod("hog"), 500_MiB);
  node["soft-victim"].standing = Standing::kInSoftGrace;

  EXPECT_EQ(node.pass_with_memory(900_MiB).outcome, Outcome::kEvicted);
  EXPECT_EQ(node.victim(), "hog");
}

TEST(SoftEviction, TakesNoSecondVictimWhileTheFirstIsInItsGrace) {
  PassSettings settings = hard_1gi();
  settings.thresholds = thresholds({.hard = {},
                                    .soft = {{"memory.available", "2Gi"}},
                                    .soft_grace_period = {{"memory.available", "1m"}},
                                    .minimum_reclaim = {},
                                    .enforce_node_allocatable = {}});
  Node node(settings);
  node.with(pod("soft-victim"), 50_MiB).with(pod("other"), 500_MiB);
  node["soft-victim"].standing = Standing::kInSoftGrace;
  node.pass_with_memory(1_GiB);
  node.pass_time(1min);

  const Decision& decision = node.pass_with_memory(1_GiB);

  EXPECT_EQ(decision.outcome, Outcome::kHeld);
  EXPECT_EQ(decision.reason, Reason::kVictimInGrace);
}

TEST(HardGrace, IsWaitedForAboveTheFloorAndCutBelowIt) {
  Node node(hard_1gi());
  node.with(pod("victim"), 500_MiB).with(pod("other"), 900_MiB);
  node["victim"].standing = Standing::kInHardGrace;

  EXPECT_EQ(node.pass_with_memory(512_MiB).outcome, Outcome::kHeld);

  node.pass_time(1ms);
  const Decision& decision = node.pass_with_memory(512_MiB - Bytes{1});
  EXPECT_EQ(decision.outcome, Outcome::kEscalated);
  EXPECT_EQ(node.victim(), "victim");
  EXPECT_EQ(decision.grace, 0s);
}

TEST(HardGrace, EndsAtOnceBelowTheFloorByTheKernelsOwnEstimate) {
  Node node(hard_1gi());
  node.with(pod("victim"), 500_MiB);
  node["victim"].standing = Standing::kInHardGrace;

  EXPECT_EQ(node.pass_with_memory(1000_MiB, 512_MiB).outcome, Outcome::kHeld);
  node.pass_time(1ms);
  EXPECT_EQ(node.pass_with_memory(1000_MiB, 511_MiB).outcome, Outcome::kEscalated);
}

TEST(HardGrace, IsGivenThenCutByTheNextPassWhenLittleIsLeft) {
  Node node(hard_1gi());
  node.with(pod("victim"), 500_MiB);

  const Decision& decision = node.pass_with_memory(1000_MiB, 100_MiB);
  EXPECT_EQ(decision.outcome, Outcome::kEvicted);
  EXPECT_EQ(decision.grace, 1s);
  EXPECT_TRUE(decision.cut_at_once);
}

TEST(HardGrace, IsLookedAtAgainSoonWhileTheKernelHasEnoughToGive) {
  Node node(hard_1gi());
  node.with(pod("victim"), 500_MiB);

  const Decision& begun = node.pass_with_memory(1000_MiB, 900_MiB);
  EXPECT_FALSE(begun.cut_at_once);
  EXPECT_EQ(begun.next_deadline, node.now() + 10ms);

  node["victim"].standing = Standing::kInHardGrace;
  node.pass_time(10ms);
  const Decision& held = node.pass_with_memory(999_MiB, 800_MiB);
  EXPECT_EQ(held.reason, Reason::kVictimInGrace);
  EXPECT_EQ(held.next_deadline, node.now() + 10ms);
}

TEST(HardGrace, FloorMayBeAnAmount) {
  PassSettings settings = hard_1gi();
  settings.hard_floor.amount = (100_MiB).value;
  Node node(settings);
  node.with(pod("victim"), 500_MiB);
  node["victim"].standing = Standing::kInHardGrace;

  EXPECT_EQ(node.pass_with_memory(100_MiB).outcome, Outcome::kHeld);
  node.pass_time(1ms);
  EXPECT_EQ(node.pass_with_memory(99_MiB).outcome, Outcome::kEscalated);
}

TEST(HardGrace, MayBeSet) {
  PassSettings settings = hard_1gi();
  settings.hard_grace = 0s;
  Node node(settings);
  node.with(pod("victim").grace(30), 500_MiB);

  EXPECT_EQ(node.pass_with_memory(100_MiB).grace, 0s);
}

TEST(SoftGrace, IsTheSmallerOfTheLimitAndThePodsOwnSince132) {
  for (const auto& [compat, expected] : {std::pair{Compat::k1_26, 30s}, {Compat::k1_32, 7s}}) {
    PassSettings settings = hard_1gi();
    settings.compat = compat;
    settings.thresholds = thresholds({.hard = {},
                                      .soft = {{"memory.available", "2Gi"}},
                                      .soft_grace_period = {{"memory.available", "1s"}},
                                      .minimum_reclaim = {},
                                      .enforce_node_allocatable = {}});
    Node node(settings);
    node.with(pod("victim").grace(7), 500_MiB);
    node.pass_with_memory(1_GiB);
    node.pass_time(1s);

    EXPECT_EQ(node.pass_with_memory(1_GiB).grace, expected);
  }
}

}  // namespace
}  // namespace evictd::eviction
