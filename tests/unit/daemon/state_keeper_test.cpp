// SPDX-License-Identifier: Apache-2.0
#include "daemon/state_keeper.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "moments.h"
#include "support/fake_tree.h"

namespace evictd::daemon {
namespace {

constexpr CgroupId kVictim{.hierarchy = 1, .id = 7};
const StateOrigin kOrigin{.boot_id = "b", .pod_root = "/kubepods", .pod_root_id = 3};

class KeptState : public testing::Test {
 protected:
  void begin(eviction::Signal signal, std::chrono::seconds grace = {}) {
    HotPod pod;
    pod.uid = "u";
    pod.memory_id = kVictim;
    eviction::Threshold threshold;
    threshold.signal = signal;
    keeper_->note_begun(
        EvictionBegun{.victim = &pod, .signals = {}, .grace = grace, .kill_due_at = kNow},
        threshold, kNow);
  }
  void step(enforce::EvictionState state) {
    keeper_->note_step({.ticket = {}, .pod = kVictim, .state = state, .at = kNow, .signals = {}});
  }
  void release() { step(enforce::EvictionState::kReleased); }
  /// What the next evictd finds. Ends this one: its last text is written by then.
  [[nodiscard]] std::vector<SavedEviction> left() {
    keeper_->keep(kNow);
    keeper_.reset();
    return find_state(file_, kOrigin, kNow).state.in_flight;
  }

  test::FakeTree tree_;
  std::string file_ = tree_.real("/state");
  std::optional<StateKeeper> keeper_{
      std::in_place, StateKeeper::Options{.path = file_, .origin = kOrigin, .found = {}}};
};

TEST_F(KeptState, AVictimIsKeptWhileItHasProcesses) {
  begin(eviction::Signal::kMemoryAvailable);
  EXPECT_EQ(left().size(), 1U);
}

TEST_F(KeptState, AVictimIsForgottenWithItsProcesses) {
  begin(eviction::Signal::kMemoryAvailable);
  release();
  EXPECT_TRUE(left().empty());
}

TEST_F(KeptState, AVictimThatBecameProtectedInItsGraceIsForgotten) {
  begin(eviction::Signal::kMemoryAvailable, std::chrono::seconds(30));
  step(enforce::EvictionState::kExceededGrace);
  EXPECT_TRUE(left().empty());
}

TEST_F(KeptState, AnEvictionThatIsNotGoneOnWithIsForgottenKilledOrNot) {
  for (const bool killed : {false, true}) {
    SavedEviction adopted;
    adopted.uid = killed ? "killed" : "in its grace";
    adopted.pod = {.hierarchy = 1, .id = killed ? 8U : 9U};
    adopted.killed = killed;
    keeper_->note_adopted(adopted);
    keeper_->forget(adopted.pod);
  }
  begin(eviction::Signal::kMemoryAvailable);
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].pod, kVictim);
}

TEST_F(KeptState, AnEvictionThatADryRunLeavesAloneIsKeptAsItWasFound) {
  SavedEviction found;
  found.uid = "left";
  found.pod = {.hierarchy = 1, .id = 8};
  found.killed = true;
  found.began_at = found.kill_due_at = found.killed_at = kNow;
  keeper_->leave(found);
  EXPECT_EQ(keeper_->adopted(), 0U);
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0], found);
}

TEST_F(KeptState, AVictimThatIsNotGoneInTimeIsKept) {
  begin(eviction::Signal::kMemoryAvailable);
  step(enforce::EvictionState::kKilled);
  step(enforce::EvictionState::kExceededGrace);
  EXPECT_EQ(left().size(), 1U);
}

TEST_F(KeptState, AVictimOfADiskIsKeptUntilItsDiskIsReleased) {
  begin(eviction::Signal::kNodeFsAvailable);
  release();
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_TRUE(kept[0].for_disk);
  EXPECT_TRUE(kept[0].gone);
}

TEST_F(KeptState, AVictimOfADiskIsForgottenWithWhatItTookUpThere) {
  begin(eviction::Signal::kNodeFsAvailable);
  release();
  EXPECT_TRUE(keeper_->note_disk_released(kVictim));
  EXPECT_FALSE(keeper_->note_disk_released(kVictim)) << "once";
  EXPECT_TRUE(left().empty());
}

TEST_F(KeptState, AVictimOfADiskThatWasAwaitedForLongEnoughIsKeptWhileItHasProcesses) {
  begin(eviction::Signal::kNodeFsAvailable);
  EXPECT_TRUE(keeper_->note_disk_released(kVictim));
  const std::vector<SavedEviction> kept = left();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_FALSE(kept[0].for_disk);
}

}  // namespace
}  // namespace evictd::daemon
