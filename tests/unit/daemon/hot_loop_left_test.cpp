// SPDX-License-Identifier: Apache-2.0
// Victims that are dead and whose cgroup stays charged with memory.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "driven_hot_loop.h"

namespace evictd::daemon {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kDead = 1;

/// A node of 1000 MiB with a threshold of 100 MiB, whose floor is half of it. A victim of it is
/// dead, with 600 MiB charged to its cgroup.
class HotLoopWithADeadVictim : public DrivenHotLoop {
 protected:
  void place(std::uint32_t slot, const std::string& uid, Bytes used, Bytes request = Bytes{0}) {
    std::unique_ptr<HotPod> pod = node_.pod(slot, uid, used);
    pod->facts.memory_request_nanos = eviction::Wide{request.value} * 1'000'000'000;
    send(PlacePod{.slot = slot, .pod = std::move(pod)});
  }
  void die() {
    std::unique_ptr<HotPod> dead = node_.pod(kDead, "dead", 600_MiB);
    node_.set_tasks("dead", 0);
    const CgroupId cgroup = dead->memory_id;
    send(PlacePod{.slot = kDead, .pod = std::move(dead)});
    send(AdoptEviction{.pod = cgroup,
                       .adoption = {.kind = AdoptionKind::kUnreaped, .killed_at = clock_.now()}});
  }
  /// The next pass, which is asked for.
  std::unique_ptr<PassCopy> pass() {
    send(engine::PassRequested{});
    std::optional<PassDone> done = next<PassDone>();
    return done ? std::move(done->copy) : nullptr;
  }
  [[nodiscard]] std::string chosen() {
    send(engine::PassRequested{});
    const auto refused = next<EvictionRefused>();
    return refused ? refused->victim->uid : "nobody";
  }
};

TEST_F(HotLoopWithADeadVictim, ChoosesNobodyWhileItsMemoryIsAwaited) {
  node_.set_memory(950_MiB);
  place(2, "other", 300_MiB);
  die();
  start();
  const auto done = next<PassDone>();
  ASSERT_TRUE(done && done->copy);
  EXPECT_EQ(done->copy->decision.reason, eviction::Reason::kReleasePending);
  ASSERT_EQ(done->copy->releasing.size(), 1U);
  EXPECT_EQ(done->copy->releasing[0].left, 600_MiB - Bytes{512});
  clock_.advance(seconds(29));
  const auto later = pass();
  ASSERT_TRUE(later);
  EXPECT_EQ(later->decision.reason, eviction::Reason::kReleasePending);
  EXPECT_EQ(counters_.not_begun.load(), 0U);
}

TEST_F(HotLoopWithADeadVictim, SparesAfterTheWaitWhoUsesLessThanItsRequest) {
  node_.set_memory(950_MiB);
  place(2, "rightful", 20_MiB, 100_MiB);
  die();
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(30));
  for (int i = 0; i < 3; ++i) {
    const auto done = pass();
    ASSERT_TRUE(done);
    EXPECT_EQ(done->decision.reason, eviction::Reason::kLeftBehind);
    ASSERT_EQ(done->releasing.size(), 1U);
    EXPECT_EQ(done->releasing[0].left, 600_MiB - Bytes{512});
  }
  EXPECT_EQ(counters_.not_begun.load(), 0U);
}

TEST_F(HotLoopWithADeadVictim, ChoosesAfterTheWaitWhoUsesMoreThanItsRequest) {
  node_.set_memory(950_MiB);
  place(2, "rightful", 90_MiB, 100_MiB);
  place(3, "greedy", 40_MiB, 10_MiB);
  die();
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(30));
  EXPECT_EQ(chosen(), "greedy");
}

TEST_F(HotLoopWithADeadVictim, JudgesWhoGrowsPastTheFloorNotWhoRanksNext) {
  node_.set_memory(945_MiB);
  place(2, "first", 200_MiB);
  place(3, "grows", 20_MiB);
  die();
  start();
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(seconds(1));
  node_.set_memory(985_MiB);
  node_.set_usage("grows", 60_MiB);
  EXPECT_EQ(chosen(), "grows");
}

TEST_F(HotLoopWithADeadVictim, GoesOnOnceItsMemoryIsBack) {
  node_.set_memory(950_MiB);
  place(2, "other", 300_MiB);
  die();
  start();
  ASSERT_TRUE(next<PassDone>());
  node_.set_usage("dead", 1_MiB);
  EXPECT_EQ(chosen(), "other");
}

TEST_F(HotLoopWithADeadVictim, LooksAgainWhenItsCgroupIsGone) {
  node_.set_memory(950_MiB);
  place(2, "other", 300_MiB);
  die();
  start();
  ASSERT_TRUE(next<PassDone>());
  send(PlacePod{.slot = kDead, .pod = nullptr});
  const auto refused = next<EvictionRefused>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->victim->uid, "other");
}

}  // namespace
}  // namespace evictd::daemon
