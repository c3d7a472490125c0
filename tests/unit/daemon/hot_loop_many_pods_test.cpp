// SPDX-License-Identifier: Apache-2.0
// More pods that have to go than evictions can be under way.
#include <gtest/gtest.h>

#include <string>

#include "driven_hot_loop.h"
#include "engine/victims.h"

namespace evictd::daemon {
namespace {

using engine::Victims;

class HotLoopWithManyPods : public DrivenHotLoop {
 protected:
  /// More than may be in flight.
  static constexpr std::uint32_t kPods = Victims::kCapacity + 6;
  static constexpr std::uint32_t kNoPods = kPods + 1;

  /// Until the hot thread has had a turn for all that it was sent.
  void wait_for_a_turn() {
    send(PlacePod{.slot = kNoPods, .pod = nullptr});
    ASSERT_TRUE(next<RetirePod>());
  }
  void place_pods() {
    for (std::uint32_t slot = 1; slot <= kPods; ++slot) {
      send(PlacePod{.slot = slot, .pod = node_.pod(slot, std::to_string(slot), 10_MiB)});
      wait_for_a_turn();
    }
  }
  void wait_until_refused(std::uint64_t count) {
    while (counters_.not_begun.load() < count) {
      while (outbox_.queue.pop()) {  // Else nothing more would be told.
      }
      std::this_thread::yield();
    }
  }
};

TEST_F(HotLoopWithManyPods, EachThatIsRefusedIsTriedOnceHoweverManyThereAre) {
  start();
  ASSERT_TRUE(next<PassDone>());
  place_pods();
  clock_.advance(std::chrono::seconds(1));
  node_.set_memory(950_MiB);
  send(engine::PassRequested{});
  wait_until_refused(kPods);
  wait_for_a_turn();
  wait_for_a_turn();
  EXPECT_EQ(counters_.not_begun.load(), kPods);
}

}  // namespace
}  // namespace evictd::daemon
