// SPDX-License-Identifier: Apache-2.0
// Pods that get a process of which housekeeping has not told the hot thread.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "evicting_hot_loop.h"

namespace evictd::daemon {
namespace {

using enforce::EvictionState;
using eviction::Outcome;

class EmptyPods : public Evicting {
 protected:
  explicit EmptyPods(Besides besides = Besides::kNothing)
      : Evicting(at_once(), PodEvents::kTold, besides) {}

  static std::string at_once() { return hard("100Mi") + "hardEvictionGracePeriodSeconds: 0\n"; }
  /// A pod in which no task was when housekeeping looked.
  void place_empty(std::uint32_t slot, const std::string& uid) {
    std::unique_ptr<HotPod> empty = pod(slot, uid, 10_MiB);
    empty->state = cluster::PodState::kEmpty;
    node_.set_tasks(uid, 0);
    send(PlacePod{.slot = slot, .pod = std::move(empty)});
  }
};
class EmptyPodsWithEvents : public EmptyPods {
 protected:
  EmptyPodsWithEvents() : EmptyPods(Besides::kHints) {}
};

TEST_F(EmptyPods, EmptyPodWithAnUnreportedProcessIsKilledOnce) {
  place(1, "small", 10_MiB);
  place_empty(2, "hog");
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(std::chrono::seconds(1));  // In no time so much would not be believed.
  node_.set_tasks("hog", 4);
  node_.set_usage("hog", 500_MiB);
  node_.set_memory(930_MiB);
  const PassDone done = pass();
  ASSERT_TRUE(done.begun);
  EXPECT_EQ(done.begun->victim->uid, "hog");
  ASSERT_EQ(actuator_.begun().size(), 1U);
  EXPECT_EQ(actuator_.begun()[0].pod, ids_["hog"]);

  go(actuator_, "hog", EvictionState::kKilled);
  ASSERT_EQ(outcome_of_pass(), Outcome::kHeld);
  node_.set_tasks("hog", 3);  // Zombies.
  node_.set_usage("hog", 0_MiB);
  node_.set_memory(931_MiB);
  go(actuator_, "hog", EvictionState::kReleased);
  const auto after = next<PassDone>();
  ASSERT_TRUE(after && after->begun);
  EXPECT_EQ(after->begun->victim->uid, "small");
}

TEST_F(EmptyPods, AProtectedPodThatWasEmptyIsSparedAsBefore) {
  node_.set_memory(930_MiB);
  std::unique_ptr<HotPod> critical = pod(1, "critical", 500_MiB);
  critical->state = cluster::PodState::kEmpty;
  critical->facts.is_critical = true;
  critical->protection = enforce::Protection::kCritical;
  send(PlacePod{.slot = 1, .pod = std::move(critical)});
  start();
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  EXPECT_EQ(done->copy->pods.size(), 1U) << "it takes part";
  EXPECT_EQ(done->copy->decision.outcome, Outcome::kAllProtected);
  EXPECT_TRUE(actuator_.begun().empty());
}

TEST_F(EmptyPods, ADryRunNamesAPodThatWasEmptyToo) {
  send(UseConfig{config(at_once() + "dryRun: true\n")});
  node_.set_memory(930_MiB);
  place_empty(1, "hog");
  node_.set_tasks("hog", 1);
  start();
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->begun);
  EXPECT_TRUE(done->begun->dry_run);
  EXPECT_EQ(dry_run_.begun().size(), 1U);
  EXPECT_TRUE(actuator_.begun().empty());
}

TEST_F(EmptyPodsWithEvents, TheFirstProcessOfAPodWakesAPassThatHadNobodyToEvict) {
  node_.set_memory(930_MiB);
  place_empty(1, "hog");
  start();
  const auto nobody = next<PassDone>();
  ASSERT_TRUE(nobody && nobody->copy);
  ASSERT_EQ(nobody->copy->decision.outcome, Outcome::kNoCandidates);
  node_.set_tasks("hog", 1);
  ring_.tell_filled(ids_["hog"]);
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->begun);
  EXPECT_EQ(done->begun->victim->uid, "hog");
}

}  // namespace
}  // namespace evictd::daemon
