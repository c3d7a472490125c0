// SPDX-License-Identifier: Apache-2.0
// Limits of the pod root's own: what lies outside it neither dies for them nor is waited for.
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "builders.h"
#include "eviction/hold.h"
#include "eviction/ranking.h"
#include "node.h"

namespace evictd::eviction {
namespace {

constexpr std::int64_t kPodRootLimit = (8_GiB).value;

/// Both limits are of 1 GiB and met: "job" lies outside the pod root and uses most.
class TwoScopes : public testing::Test {
 protected:
  explicit TwoScopes(Scope pid_scope = Scope::kNode) : node_(settings(pid_scope)) {
    node_.with(pod("job"), 4_GiB).with(pod("web"), 1_GiB);
    place_outside("job");
    node_["job"].reading.processes = 900;
    node_["web"].reading.processes = 10;
  }

  static PassSettings settings(Scope pid_scope) {
    PassSettings settings;
    ThresholdTexts texts;
    texts.hard = {{"memory.available", "1Gi"}, {"pid.available", "100"}};
    texts.enforce_node_allocatable = {"pods"};
    settings.thresholds = thresholds(texts);
    settings.hard_grace = 0s;
    settings.pid_scope = pid_scope;
    return settings;
  }
  void place_outside(const std::string& name) {
    PodFacts& facts = outside_.emplace_back(*node_[name].facts);
    facts.below_pod_root = false;
    node_[name].facts = &facts;
  }
  void see_pod_root(Bytes available) {
    node_.see(Signal::kAllocatableMemoryAvailable, available.value, kPodRootLimit);
  }
  void see_node(Bytes available) {
    node_.see(Signal::kMemoryAvailable, available.value, (16_GiB).value);
  }
  [[nodiscard]] Signal acted_on() {
    return node_.manager().thresholds()[node_.last().threshold.value()].signal;
  }

  std::deque<PodFacts> outside_;
  Node node_;
};

TEST_F(TwoScopes, APodOutsideThePodRootIsNotEvictedForThePodRootsLimit) {
  see_pod_root(512_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.victim(), "web");
}

TEST_F(TwoScopes, APodOutsideThePodRootIsEvictedForTheNodesLimit) {
  see_node(512_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.victim(), "job");
}

TEST_F(TwoScopes, TheNodesProcessIdsAreFreedByAnyPod) {
  node_.see(Signal::kPidAvailable, 50, 1000);
  node_.pass();
  EXPECT_EQ(node_.victim(), "job");
}

class PidsOfThePodRoot : public TwoScopes {
 protected:
  PidsOfThePodRoot() : TwoScopes(Scope::kPodRoot) {}
};

TEST_F(PidsOfThePodRoot, AreFreedByThePodsBelowItAlone) {
  node_.see(Signal::kPidAvailable, 50, 1000);
  node_.pass();
  EXPECT_EQ(node_.victim(), "web");
}

TEST_F(TwoScopes, WithPodsOutsideThePodRootOnlyItsLimitHasNoCandidates) {
  place_outside("web");
  see_pod_root(512_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kNoCandidates);
  EXPECT_EQ(node_.victim(), "nobody");
  EXPECT_TRUE(node_.last().nobody_to_evict);
}

TEST_F(TwoScopes, APodRootWithNobodyToEvictDoesNotKeepTheNodeFromEvicting) {
  node_["web"].standing = Standing::kKilled;
  see_pod_root(512_MiB);
  see_node(512_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  EXPECT_EQ(acted_on(), Signal::kMemoryAvailable);
  EXPECT_EQ(node_.victim(), "job");
  EXPECT_TRUE(node_.last().nobody_to_evict) << "a pod that comes below the root is to cause a pass";
}

TEST_F(TwoScopes, WhereTheNodeHasNobodyElseThePassEndsAsTheKubeletsDoes) {
  node_.remove("job");
  node_["web"].standing = Standing::kKilled;
  see_pod_root(512_MiB);
  see_node(512_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kAllProtected);
  EXPECT_EQ(acted_on(), Signal::kAllocatableMemoryAvailable);
}

TEST_F(TwoScopes, WaitingThresholdIsReportedOverOneWithoutCandidates) {
  node_["web"].standing = Standing::kKilled;
  node_.releasing().push_back({node_.now(), 1_GiB, 0, {}, 0, /*below_pod_root=*/false});
  see_pod_root(512_MiB);
  see_node(512_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kHeld);
  EXPECT_EQ(node_.last().reason, Reason::kReleasePending);
  EXPECT_EQ(acted_on(), Signal::kMemoryAvailable);
}

TEST_F(TwoScopes, WhatIsFreedOutsideThePodRootIsNotAwaitedForItsLimit) {
  node_["job"].standing = Standing::kKilled;
  node_.releasing().push_back({node_.now(), 4_GiB, 0, {}, 0, /*below_pod_root=*/false});
  see_pod_root(512_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.victim(), "web");
}

TEST_F(TwoScopes, VictimInGraceOutsidePodRootIsNotAwaitedForItsLimit) {
  node_["job"].standing = Standing::kInHardGrace;
  see_node(900_MiB);
  EXPECT_EQ(node_.pass().reason, Reason::kVictimInGrace);
  node_.pass_time(1ms);
  see_pod_root(900_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.victim(), "web");
}

TEST_F(TwoScopes, TheGraceOfAVictimOutsideThePodRootIsNotCutForItsLimit) {
  node_["job"].standing = Standing::kInHardGrace;
  see_pod_root(1_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.victim(), "web");
}

TEST_F(TwoScopes, ARankingSaysWhoLiesOutside) {
  const auto ranking =
      rank_with_reasons(rank_rule(Signal::kAllocatableMemoryAvailable, {}), node_.pods());
  ASSERT_EQ(ranking.size(), 2U);
  EXPECT_EQ(to_string(ranking[0].passed_over), "outside_pod_root");
  EXPECT_EQ(ranking[1].passed_over, PassOver::kNone);
}

TEST_F(TwoScopes, WhoIsProtectedAnywayIsPassedOverForThat) {
  node_["job"].standing = Standing::kKilled;
  EXPECT_EQ(passed_over_by(rank_rule(Signal::kAllocatableMemoryAvailable, {}), node_["job"]),
            PassOver::kKilled);
}

/// Both statistics have stood still since before something was released.
class StandingStill : public TwoScopes {
 protected:
  StandingStill() {
    node_.input().brakes = &brakes_;
    brakes_.growth.memory_per_second = 128_GiB;
    see();
    node_.pass();
    node_.pass_time(60ms);
  }
  void see() {
    see_pod_root(512_MiB);
    see_node(512_MiB);
  }

  Brakes brakes_;
};

TEST_F(StandingStill, ReleaseOutsidePodRootKeepsItsStatisticsTrusted) {
  brakes_.released_at = node_.now() - 10ms;
  see();
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  EXPECT_EQ(acted_on(), Signal::kAllocatableMemoryAvailable);
}

TEST_F(StandingStill, AReleaseOutsideThePodRootHoldsTheNodesThreshold) {
  brakes_.released_at = node_.now() - 10ms;
  see_node(512_MiB);
  see_pod_root(4_GiB);
  EXPECT_EQ(node_.pass().reason, Reason::kStatisticsStuck);
  EXPECT_EQ(acted_on(), Signal::kMemoryAvailable);
}

TEST_F(StandingStill, ThePodRootsStatisticsHoldNoPassForTheNode) {
  brakes_.released_at = node_.now() - 10ms;
  brakes_.released_below_pod_root_at = brakes_.released_at;
  see_pod_root(512_MiB);
  see_node(600_MiB);
  EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
  EXPECT_EQ(acted_on(), Signal::kMemoryAvailable);
}

}  // namespace
}  // namespace evictd::eviction
