// SPDX-License-Identifier: Apache-2.0
// How the hot thread chooses where the kernel side does not tell of pods.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "driven_hot_loop.h"

namespace evictd::daemon {
namespace {

class HotLoopWithoutPodEvents : public DrivenHotLoop {
 protected:
  HotLoopWithoutPodEvents() : DrivenHotLoop(hard("100Mi"), PodEvents::kNone) {
    node_.set_memory(950_MiB);
    send(PlacePod{.slot = 1, .pod = node_.pod(1, "bystander", 10_MiB)});
    std::unique_ptr<HotPod> empty = node_.pod(2, "hog", 20_MiB);
    empty->state = cluster::PodState::kEmpty;
    node_.set_tasks("hog", 0);
    send(PlacePod{.slot = 2, .pod = std::move(empty)});
  }
};

TEST_F(HotLoopWithoutPodEvents, APodThatWasFilledSinceTheLastLookIsChosen) {
  start();
  const auto asked = next_need<engine::ScanPods>();
  ASSERT_TRUE(asked);
  EXPECT_TRUE(dropped_.empty()) << "somebody was chosen before";
  send(PlacePod{.slot = 2, .pod = node_.pod(2, "hog", 20_MiB)});
  send(engine::PodsScanned{.round = asked->round});
  const auto first = next<EvictionRefused>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->victim->uid, "hog");
  EXPECT_EQ(counters_.unscanned_passes.load(), 0U);
}

TEST_F(HotLoopWithoutPodEvents, EachPassThatMayChooseAsksAnew) {
  start();
  const auto asked = next_need<engine::ScanPods>();
  ASSERT_TRUE(asked);
  send(engine::PodsScanned{.round = asked->round});
  ASSERT_TRUE(next<EvictionRefused>());
  send(engine::PassRequested{});
  const auto again = next_need<engine::ScanPods>();
  ASSERT_TRUE(again);
  EXPECT_GT(again->round, asked->round);
}

TEST_F(HotLoopWithoutPodEvents, NobodyIsAskedWhereNothingIsMet) {
  node_.set_memory(100_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  EXPECT_FALSE(dropped<PassNeed>());
}

TEST_F(HotLoopWithoutPodEvents, EvictionsGoOnWithoutAnAnswerAndThatIsCounted) {
  start();
  ASSERT_TRUE(next_need<engine::ScanPods>());
  clock_.advance(engine::kScanPatience);
  inbox_.wake_up.signal();
  const auto first = next<EvictionRefused>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->victim->uid, "bystander");
  ASSERT_TRUE(next<PassDone>());
  ASSERT_TRUE(next<PassDone>());
  const std::uint64_t unscanned = counters_.unscanned_passes.load();
  EXPECT_GE(unscanned, 1U);

  send(engine::PassRequested{});

  ASSERT_TRUE(next<PassDone>()) << "the same answer is awaited again";
  EXPECT_FALSE(dropped<PassNeed>());
  EXPECT_GT(counters_.unscanned_passes.load(), unscanned);
}

TEST_F(HotLoopWithoutPodEvents, APodThatWasFilledMeanwhileIsChosenWithoutAnAnswer) {
  start();
  ASSERT_TRUE(next_need<engine::ScanPods>());
  node_.set_tasks("hog", 1);
  clock_.advance(engine::kScanPatience);
  inbox_.wake_up.signal();
  const auto first = next<EvictionRefused>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->victim->uid, "hog");
}

}  // namespace
}  // namespace evictd::daemon
