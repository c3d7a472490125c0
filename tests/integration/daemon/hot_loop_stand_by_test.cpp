// SPDX-License-Identifier: Apache-2.0
// How the hot thread waits awake for a crossing that the kernel side has told to be near.
#include <gtest/gtest.h>

#include <chrono>

#include "evicting_hot_loop.h"

namespace evictd::daemon {
namespace {

using std::chrono::milliseconds;

class StandingBy : public Evicting {
 protected:
  StandingBy() : Evicting(hard("100Mi"), PodEvents::kTold, Besides::kHints) {}

  [[nodiscard]] std::uint64_t rehearsals() const {
    return counters_.passes[static_cast<std::size_t>(PassTrigger::kApproach)].load();
  }
};

TEST_F(StandingBy, HintDuringTheWaitExtendsItWithoutANewRehearsal) {
  place(1, "hog", 20_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());
  const MonoTime began = clock_.now();
  const auto away = milliseconds(1);  // Waited for half as long again: 1.5 ms.
  ring_.hint(began, away);
  ring_.hint(began + milliseconds(1), away);
  ring_.tell();
  EXPECT_TRUE(ring_.looked_at(began + milliseconds(2)))
      << "it went to sleep at the first one's end";
  // Answered once the stand-by is over.
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  EXPECT_EQ(rehearsals(), 1U);
  EXPECT_EQ(counters_.stand_bys.load(), 2U);
}

TEST_F(StandingBy, PractisesTheKillUntilTheWaitIsOver) {
  place(1, "hog", 20_MiB);
  start();
  ASSERT_TRUE(next<PassDone>());
  EXPECT_EQ(actuator_.practised, 0);
  const MonoTime began = clock_.now();
  ring_.hint(began, milliseconds(1));
  ring_.tell();
  // Answered once the stand-by is over.
  ASSERT_TRUE(ring_.looked_at(began + milliseconds(1)));
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  EXPECT_GE(actuator_.practised, 5);
  EXPECT_LE(actuator_.practised, 15) << "every 100 us of 1.5 ms";
}

}  // namespace
}  // namespace evictd::daemon
