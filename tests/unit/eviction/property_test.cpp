// SPDX-License-Identifier: Apache-2.0
// What must hold whatever happens to a node.
#include <gtest/gtest.h>

#include <random>

#include "builders.h"
#include "eviction/ranking.h"
#include "node.h"

namespace evictd::eviction {
namespace {

/// A node on which random things happen, the same ones for the same seed.
class RandomNode {
 public:
  explicit RandomNode(unsigned seed) : random_(seed), node_(settings()) {
    const int count = up_to(12);
    for (int i = 0; i < count; ++i) {
      add_pod(i);
    }
  }

  Node& node() { return node_; }

  /// Lets some time pass and the world change, then runs a pass.
  const Decision& step() {
    node_.pass_time(std::chrono::milliseconds(up_to(90'000)));
    for (const Signal signal :
         {Signal::kMemoryAvailable, Signal::kPidAvailable, Signal::kNodeFsAvailable}) {
      if (up_to(9) > 0) {
        node_.see(signal, up_to(1000), 1000);
      }
    }
    for (PassPod& pod : node_.pods()) {
      pod.reading.working_set_bytes = up_to(500);
      pod.standing = up_to(9) > 0 ? Standing::kActive : static_cast<Standing>(up_to(4));
    }
    node_.input().cadence = up_to(3) > 0 ? Cadence::kRegular : Cadence::kEventOnly;
    const Decision& decision = node_.pass();
    return decision.outcome == Outcome::kReclaiming && up_to(1) == 0
               ? node_.resume(up_to(1) == 0 ? &node_.seen() : nullptr)
               : decision;
  }

 private:
  PassSettings settings() {
    ThresholdTexts texts;
    for (const std::string signal : {"memory.available", "pid.available", "nodefs.available"}) {
      if (up_to(3) > 0) {
        texts.hard[signal] = std::to_string(1 + up_to(400));
      }
      if (up_to(3) > 0) {
        texts.soft[signal] = std::to_string(1 + up_to(90)) + "%";
        texts.soft_grace_period[signal] = std::to_string(up_to(120)) + "s";
      }
      if (up_to(2) == 0) {
        texts.minimum_reclaim[signal] = std::to_string(up_to(100));
      }
    }
    PassSettings settings;
    settings.thresholds = thresholds(texts);
    settings.compat = up_to(1) == 0 ? Compat::k1_26 : Compat::k1_32;
    settings.max_pod_grace = std::chrono::seconds(up_to(60));
    return settings;
  }

  void add_pod(int i) {
    PodBuilder built = pod("pod-" + std::to_string(i));
    built.priority(up_to(4) == 0 ? kCriticalPriority : up_to(2));
    if (up_to(1) == 0) {
      built.request("memory", std::to_string(up_to(300)));
    }
    node_.with(built);
    node_.pods().back().reading.state = static_cast<ReadingState>(up_to(2));
  }

  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

  std::mt19937 random_;
  Node node_;
};

constexpr unsigned kSeeds = 300;
constexpr int kSteps = 20;

TEST(EveryPass, TakesAtMostOneVictimAndNeverAProtectedOne) {
  int victims = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    RandomNode world(seed);
    for (int i = 0; i < kSteps; ++i) {
      const Decision& decision = world.step();
      const bool acts =
          decision.outcome == Outcome::kEvicted || decision.outcome == Outcome::kEscalated;
      ASSERT_EQ(acts, decision.victim.has_value()) << "seed " << seed;
      if (acts) {
        ++victims;
        ASSERT_EQ(protection_of(world.node().pods()[*decision.victim]), PassOver::kNone)
            << "seed " << seed;
        ASSERT_TRUE(decision.threshold && decision.actionable.has(*decision.threshold));
      }
    }
  }
  EXPECT_GT(victims, 100);
}

TEST(EveryPass, ChoosesThePodThatTheRankingPutsFirst) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    RandomNode world(seed);
    for (int i = 0; i < kSteps; ++i) {
      const Decision& decision = world.step();
      if (decision.outcome != Outcome::kEvicted) {
        continue;
      }
      const Signal signal = world.node().manager().thresholds()[*decision.threshold].signal;
      for (const Candidate& candidate :
           rank_with_reasons(rank_rule(signal, {}), world.node().pods())) {
        if (candidate.passed_over == PassOver::kNone) {
          ASSERT_EQ(candidate.pod, *decision.victim) << "seed " << seed;
        }
      }
    }
  }
}

TEST(EveryPass, DecidesTheSameWhenItIsReplayedFromAKeptState) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    RandomNode first(seed);
    RandomNode second(seed);
    for (int i = 0; i < kSteps; ++i) {
      const Decision& a = first.step();
      // A pass that waits for collectors is not kept: a restart begins it again.
      if (!second.node().manager().waits_for_collectors()) {
        const PassState kept = second.node().manager().state();
        second.node().manager().restore(kept);
      }
      const Decision& b = second.step();
      ASSERT_EQ(a.outcome, b.outcome) << "seed " << seed << " step " << i;
      ASSERT_EQ(a.victim, b.victim);
      ASSERT_EQ(a.next_deadline, b.next_deadline);
      ASSERT_EQ(first.node().manager().state(), second.node().manager().state());
    }
  }
}

TEST(EveryPass, HasItsNextDeadlineInTheFuture) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    RandomNode world(seed);
    for (int i = 0; i < kSteps; ++i) {
      const Decision& decision = world.step();
      if (decision.next_deadline) {
        ASSERT_GT(*decision.next_deadline, world.node().now()) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace evictd::eviction
