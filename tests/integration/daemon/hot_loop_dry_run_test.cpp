// SPDX-License-Identifier: Apache-2.0
// Dry runs as the hot thread sees them, and what follows when they end.
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "enforce/kill_target.h"
#include "evicting_hot_loop.h"

namespace evictd::daemon {
namespace {

using enforce::EvictionState;
using eviction::Outcome;
using eviction::Reason;
using std::chrono::seconds;

class EvictingOrNaming : public Evicting {
 protected:
  EvictingOrNaming() : Evicting(hard("100Mi") + kAtOnce) {}
};

TEST_F(EvictingOrNaming, ATargetMadeAnewReachesEveryActuatorThatMayHaveTheOldOne) {
  place(1, "hog", 10_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());
  place(1, "hog", 10_MiB);
  ASSERT_TRUE(next<RetirePod>());
  const std::vector<std::string> twice{"hog", "hog"};
  EXPECT_EQ(actuator_.replaced(), twice);
  EXPECT_EQ(dry_run_.replaced(), twice);
}

TEST_F(EvictingOrNaming, APodThatWasNamedInADryRunIsEvictedOnceItIsForReal) {
  send(UseConfig{config(hard("100Mi") + kAtOnce + "dryRun: true\n")});
  node_.set_memory(930_MiB);
  place(1, "hog", 500_MiB);
  start();
  const auto named = next<PassDone>();
  ASSERT_TRUE(named && named->begun);
  EXPECT_TRUE(named->begun->dry_run);
  EXPECT_EQ(dry_run_.begun().size(), 1U);
  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);
  EXPECT_TRUE(actuator_.begun().empty());

  send(UseConfig{config(hard("100Mi") + kAtOnce)});

  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->begun);
  EXPECT_FALSE(done->begun->dry_run);
  EXPECT_EQ(done->begun->victim->uid, "hog");
  EXPECT_EQ(actuator_.begun().size(), 1U);
  EXPECT_EQ(dry_run_.ended().size(), 1U);
}

TEST_F(EvictingOrNaming, ADryRunNamesThePodAgainAtTheNextCrossing) {
  send(UseConfig{config(hard("100Mi") + kAtOnce + "dryRun: true\n")});
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld);
  EXPECT_TRUE(dry_run_.ended().empty()) << "the threshold is still met";

  node_.set_memory(500_MiB);
  EXPECT_EQ(outcome_of_pass(), Outcome::kNothingMet);
  ASSERT_EQ(dry_run_.begun().size(), 1U);
  EXPECT_EQ(dry_run_.ended(), std::vector{dry_run_.begun()[0].report.ticket});

  node_.set_memory(930_MiB);
  clock_.advance(seconds(1));
  const PassDone again = pass();
  ASSERT_TRUE(again.begun);
  EXPECT_EQ(again.begun->victim->uid, "hog");
}

TEST_F(EvictingOrNaming, TheEndOfADryRunIsNotTheEndOfTheEvictionThatFollowedIt) {
  send(UseConfig{config(hard("100Mi") + kAtOnce + "dryRun: true\n")});
  node_.set_memory(930_MiB);
  place(1, "small", 10_MiB);
  place(2, "hog", 500_MiB);
  start();
  ASSERT_TRUE(next<PassDone>()->begun);
  send(UseConfig{config(hard("100Mi") + kAtOnce)});
  ASSERT_TRUE(next<PassDone>()->begun);

  go(dry_run_, "hog", EvictionState::kReleased);

  EXPECT_EQ(outcome_of_pass(), Outcome::kHeld) << "the pod is still being freed";
  EXPECT_EQ(actuator_.begun().size(), 1U);
}

}  // namespace
}  // namespace evictd::daemon
