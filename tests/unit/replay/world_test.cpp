// SPDX-License-Identifier: Apache-2.0
#include "replay/world.h"

#include <gtest/gtest.h>

#include <vector>

#include "recorder.h"

namespace evictd::replay::test {
namespace {

using eviction::Signal;

constexpr std::size_t kHog = 0;

/// At 1 s 63 MiB are available, of which the kernel has 40 to give, and the hog grows from 153 MiB
/// by 1 GiB a second. At 2 s it is gone.
class WorldTest : public ::testing::Test {
 protected:
  static Recording recorded_hog() {
    Recorder recorder("evictionHard:\n  memory.available: 64Mi\n");
    const auto pass = [](std::int64_t ms, Bytes hog) {
      RecordedPass made = Recorder::memory_pass(at_ms(ms), "crossing", hog, 40_MiB, 1 << 30);
      auto& observations = *made.observations;
      observations[Signal::kMemoryAvailable] = observations[Signal::kAllocatableMemoryAvailable];
      return made;
    };
    recorder.run(pass(0, 20_MiB));
    RecordedPass crossing = pass(1000, 153_MiB);
    (*crossing.observations)[Signal::kMemoryAvailable]->kernel_available = (40_MiB).value;
    recorder.run(crossing);
    recorder.run(pass(2000, 0_MiB));
    return recorder.recording();
  }
  eviction::Observation memory_at(MonoTime now) {
    return world_.look(now).observations[Signal::kMemoryAvailable].value();
  }

  const Recording recording_ = recorded_hog();
  const Parts parts_ = parts_of(recording_).value();
  const std::vector<eviction::PodFacts> facts_ = std::vector<eviction::PodFacts>(2);
  World world_{{.parts = &parts_, .facts = &facts_, .files_go = false}};
};

TEST_F(WorldTest, WhereAllIsAsRecordedAPassIsGivenWhatWasRecorded) {
  EXPECT_EQ(world_.look(at_ms(1000)).observations, *parts_.passes[1]->observations);
}

TEST_F(WorldTest, WhatAPodTakesThatLivesOnTheKernelHasNotToGive) {
  ASSERT_TRUE(world_.let_live_on(kHog, at_ms(1000)));
  const eviction::Observation memory = memory_at(at_ms(1010));
  EXPECT_NEAR(static_cast<double>(memory.available), (63 - 10.24) * 1024 * 1024, 1e5);
  EXPECT_EQ(memory.available - memory.left(), (23_MiB).value);
}

TEST_F(WorldTest, APodOutsideThePodRootThatLivesOnTakesNothingOfItsLimit) {
  std::vector<eviction::PodFacts> facts = facts_;
  facts[kHog].below_pod_root = false;
  World outside({.parts = &parts_, .facts = &facts, .files_go = false});
  ASSERT_TRUE(outside.let_live_on(kHog, at_ms(1000)));
  const MonoTime later = at_ms(1010);
  EXPECT_LT(*outside.available(Signal::kMemoryAvailable, later),
            *outside.available(Signal::kAllocatableMemoryAvailable, later));
}

TEST_F(WorldTest, TheKernelNeverHasLessThanNothingToGive) {
  ASSERT_TRUE(world_.let_live_on(kHog, at_ms(1000)));
  const eviction::Observation memory = memory_at(at_ms(1050));
  EXPECT_GT(memory.available, 0);
  EXPECT_EQ(memory.kernel_available, 0);
}

TEST_F(WorldTest, WhatAPodLeavesTheKernelHasToGive) {
  world_.end(kHog, at_ms(500), World::Fate::kOther);
  const eviction::Observation memory = memory_at(at_ms(1000));
  EXPECT_EQ(memory.available, (216_MiB).value);
  EXPECT_EQ(memory.kernel_available, (193_MiB).value);
}

TEST_F(WorldTest, APodThatIsSeenNoMoreDoesNotLiveOn) {
  EXPECT_FALSE(world_.let_live_on(kHog, at_ms(2000)));
  EXPECT_FALSE(world_.is_spared(kHog));
  EXPECT_FALSE(world_.any_living_on());
}

}  // namespace
}  // namespace evictd::replay::test
