// SPDX-License-Identifier: Apache-2.0
// Passes that are only asked about, and the pass after a kill of the kernel side.
#include <gtest/gtest.h>

#include "builders.h"
#include "node.h"

namespace evictd::eviction {
namespace {

class Hypothesis : public testing::Test {
 protected:
  Hypothesis() : node_(settings()) {
    node_.with(pod("small"), 100_MiB).with(pod("large"), 300_MiB);
    node_.pass_with_memory(2_GiB);
    node_.pass_time(1ms);
  }

  static PassSettings settings() {
    ThresholdTexts texts;
    texts.hard = {{"memory.available", "1Gi"}};
    PassSettings settings;
    settings.thresholds = thresholds(texts);
    settings.hard_grace = 0s;
    return settings;
  }

  const Decision& ask(Bytes available) {
    node_.see(Signal::kMemoryAvailable, available.value, (16_GiB).value);
    return node_.manager().would_decide(node_.now(), node_.input());
  }

  Node node_;
};

TEST_F(Hypothesis, NamesTheVictimOfThePassThatFollows) {
  const Decision asked = ask(1_GiB - Bytes{1});
  EXPECT_EQ(asked.outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.name_of(asked.victim), "large");
  EXPECT_EQ(node_.pass().victim, asked.victim);
}

TEST_F(Hypothesis, LeavesNoTrace) {
  const PassState before = node_.manager().state();
  static_cast<void>(ask(1_MiB));
  EXPECT_EQ(node_.manager().state(), before);
  EXPECT_EQ(node_.last().outcome, Outcome::kNothingMet);
  EXPECT_EQ(node_.pass_with_memory(2_GiB).outcome, Outcome::kNothingMet);
}

TEST_F(Hypothesis, HasNoAnswerBeforeTheLayoutIsKnown) {
  Node fresh(settings());
  fresh.with(pod("large"), 300_MiB);
  fresh.see(Signal::kMemoryAvailable, 1, (16_GiB).value);
  fresh.input().observations = &fresh.seen();
  const Decision& asked = fresh.manager().would_decide(fresh.now(), fresh.input());
  EXPECT_EQ(asked.outcome, Outcome::kFailed);
  EXPECT_EQ(asked.reason, Reason::kNoLayout);
}

TEST_F(Hypothesis, AKillThatWasDoneIsTheDecision) {
  node_.see(Signal::kMemoryAvailable, (2_GiB).value, (16_GiB).value);
  const Decision& decision = node_.manager().adopt_kill(node_.now(), node_.input(), 0, 0);
  EXPECT_EQ(decision.outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.name_of(decision.victim), "small");
  EXPECT_EQ(decision.grace.count(), 0);
}

}  // namespace
}  // namespace evictd::eviction
