// SPDX-License-Identifier: Apache-2.0
// What must hold whatever happens to a node.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "eviction/ranking.h"
#include "random_node.h"

namespace evictd::eviction {
namespace {

constexpr int kSteps = 20;

/// 3000 nodes of 20 passes each, or as many as EVICTD_PROPERTY_SEEDS says.
std::uint64_t seeds() {
  const char* const wanted = std::getenv("EVICTD_PROPERTY_SEEDS");
  return wanted == nullptr ? 3000 : std::strtoull(wanted, nullptr, 10);
}

bool equal(const Decision& a, const Decision& b) {
  return a.outcome == b.outcome && a.reason == b.reason && a.conditions == b.conditions &&
         a.met == b.met && a.past_grace == b.past_grace && a.actionable == b.actionable &&
         a.threshold == b.threshold && a.victim == b.victim && a.overruled == b.overruled &&
         a.grace == b.grace && a.observations == b.observations &&
         a.next_deadline == b.next_deadline && a.refresh_watch_points == b.refresh_watch_points &&
         a.learnt_layout == b.learnt_layout;
}

TEST(EveryPass, HasOneUnprotectedVictimAtMostAndAFutureDeadline) {
  std::uint64_t victims = 0;
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    SeededNumbers numbers(seed);
    RandomNode world(numbers);
    for (int i = 0; i < kSteps; ++i) {
      const Decision& decision = world.step();
      victims += decision.victim ? 1 : 0;
      ASSERT_EQ(broken_rule(decision, world.node()), "") << "seed " << seed << " step " << i;
    }
  }
  EXPECT_GT(victims, seeds() / 3);
}

TEST(EveryPass, ChoosesThePodThatTheRankingPutsFirst) {
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    SeededNumbers numbers(seed);
    RandomNode world(numbers);
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

TEST(EveryPass, DecidesTheSameForTheSameInputsAndFromAKeptState) {
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    SeededNumbers numbers(seed);
    SeededNumbers same_numbers(seed);
    RandomNode first(numbers);
    RandomNode second(same_numbers);
    for (int i = 0; i < kSteps; ++i) {
      const Decision& a = first.step();
      // A pass that waits for collectors is not kept: a restart begins it
      // again.
      if (!second.node().manager().waits_for_collectors()) {
        const PassState kept = second.node().manager().state();
        second.node().manager().restore(kept);
      }
      ASSERT_TRUE(equal(a, second.step())) << "seed " << seed << " step " << i;
      ASSERT_EQ(first.node().manager().state(), second.node().manager().state());
    }
  }
}

TEST(LosingEvents, PollDecidesLikeAnEventOnTheSameNumbers) {
  std::uint64_t acted = 0;
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    SeededNumbers numbers(seed);
    SeededNumbers same_numbers(seed);
    RandomNode told(numbers, Thresholds::kHardOnly);
    RandomNode polled(same_numbers, Thresholds::kHardOnly);
    told.change();
    polled.change();
    told.node().input().cadence = Cadence::kEventOnly;
    polled.node().input().cadence = Cadence::kRegular;
    const Decision& a = told.node().pass();
    const Decision& b = polled.node().pass();
    ASSERT_TRUE(equal(a, b)) << "seed " << seed;
    acted += a.victim ? 1 : 0;
  }
  EXPECT_GT(acted, seeds() / 10);
}

TEST(LosingEvents, EventsThatSeeWhatTheLastPollSawChangeNoLaterDecision) {
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    SeededNumbers numbers(seed);
    SeededNumbers same_numbers(seed);
    RandomNode with(numbers);
    RandomNode without(same_numbers);
    for (int i = 0; i < kSteps; ++i) {
      with.change();
      without.change();
      with.node().input().cadence = without.node().input().cadence = Cadence::kRegular;
      const Decision& a = with.node().pass();
      const Decision& b = without.node().pass();
      ASSERT_EQ(a.outcome, b.outcome) << "seed " << seed << " step " << i;
      ASSERT_EQ(a.victim, b.victim) << "seed " << seed << " step " << i;
      ASSERT_EQ(a.threshold, b.threshold) << "seed " << seed << " step " << i;
      if (a.outcome != Outcome::kNothingMet && a.outcome != Outcome::kInGrace) {
        break;  // What an event sees after that is another world.
      }
      const MonoTime ends = a.next_deadline.value_or(MonoTime::max());
      with.node().input().cadence = Cadence::kEventOnly;
      if (ends > with.node().now()) {
        with.node().pass();
      }
    }
  }
}

TEST(LosingEvents, AnEventThatSeesARecoveryResetsNoGrace) {
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    SeededNumbers numbers(seed);
    RandomNode world(numbers);
    Node& node = world.node();
    world.change();
    node.input().cadence = Cadence::kRegular;
    node.pass();
    const FirstObserved before = node.manager().state().first_observed;
    node.pass_time(1ms);
    for (const Signal signal :
         {Signal::kMemoryAvailable, Signal::kPidAvailable, Signal::kNodeFsAvailable}) {
      node.see(signal, 1000, 1000);
    }
    node.input().cadence = Cadence::kEventOnly;
    node.pass();
    ASSERT_EQ(node.manager().state().first_observed, before) << "seed " << seed;
  }
}

TEST(Ranking, IsRepeatableAndKeepsTheOrderOfEqualPods) {
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    SeededNumbers numbers(seed);
    RandomNode world(numbers);
    world.change();
    const auto& pods = world.node().pods();
    for (const Signal signal : {Signal::kMemoryAvailable, Signal::kPidAvailable}) {
      const RankRule rule = rank_rule(signal, {});
      const std::vector<Candidate> ranking = rank_with_reasons(rule, pods);
      const std::vector<Candidate> again = rank_with_reasons(rule, pods);
      for (std::size_t i = 0; i < ranking.size(); ++i) {
        ASSERT_EQ(ranking[i].pod, again[i].pod) << "seed " << seed;
        if (i == 0 || ranking[i].place == 0) {
          continue;
        }
        const Candidate& earlier = ranking[i - 1];
        ASSERT_TRUE(earlier.key < ranking[i].key ||
                    (earlier.key == ranking[i].key && earlier.pod < ranking[i].pod))
            << "seed " << seed;
      }
    }
  }
}

TEST(Ranking, DoesNotDependOnTheOrderOfPodsThatDiffer) {
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    SeededNumbers numbers(seed);
    RandomNode world(numbers);
    world.change();
    std::vector<PassPod> pods = world.node().pods();
    const RankRule rule = rank_rule(Signal::kMemoryAvailable, {});
    const auto keys = [&] {
      std::vector<RankKey> sorted;
      for (const Candidate& candidate : rank_with_reasons(rule, pods)) {
        if (candidate.place != 0) {
          sorted.push_back(candidate.key);
        }
      }
      return sorted;
    };
    const std::vector<RankKey> before = keys();
    for (std::size_t i = pods.size(); i > 1; --i) {
      std::swap(pods[i - 1],
                pods[static_cast<std::size_t>(numbers.up_to(static_cast<int>(i) - 1))]);
    }
    ASSERT_EQ(keys(), before) << "seed " << seed;
  }
}

}  // namespace
}  // namespace evictd::eviction
