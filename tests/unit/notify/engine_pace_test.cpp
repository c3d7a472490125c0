// SPDX-License-Identifier: Apache-2.0
// When an Engine looks: at the files of values that its backend is behind with, and at eventfds.
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "engine_ground.h"
#include "notify/reading_pace.h"
#include "notify/sweeps.h"

namespace evictd::notify {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::EngineTest;
using test::kNoFiles;

/// All timers fire at once, so each drain looks whether it is time for a turn.
class EngineReadsFiles : public EngineTest {
 protected:
  EngineReadsFiles() : EngineTest(MonoTime{std::chrono::seconds(1)}) {}
  int readings() {
    await_timer();
    return EngineTest::readings();
  }
};

TEST_F(EngineReadsFiles, InTheNextPeriodAlthoughTheCpuWasTakenAwayInATurn) {
  if (!listen_behind(1)) {
    GTEST_SKIP() << kNoFiles;
  }
  clock_.pause = std::chrono::seconds(10);
  EXPECT_EQ(readings(), 1);
  clock_.pause = {};
  clock_.advance(ReadingPace::kPeriod);
  EXPECT_EQ(readings(), 1);
}

TEST_F(EngineReadsFiles, OfOthersInTimeWhereThoseOfOneAreDear) {
  if (!listen_behind(2)) {
    GTEST_SKIP() << kNoFiles;
  }
  clock_.costs = {milliseconds(20)};
  EXPECT_EQ(readings(), 1) << "the first one, at which the turn ends";
  clock_.advance(ReadingPace::kPeriod / 2);
  EXPECT_EQ(readings(), 1) << "the second one";
  for (int i = 0; i < 9; ++i) {
    clock_.advance(ReadingPace::kPeriod);
    EXPECT_EQ(readings(), 1) << "the second one, " << i;
  }
  clock_.advance(ReadingPace::kPeriod);
  EXPECT_EQ(readings(), 2) << "a second has passed";
}

TEST_F(EngineReadsFiles, OnlyAsLongAsOthersCanWait) {
  if (!listen_behind(3)) {
    GTEST_SKIP() << kNoFiles;
  }
  clock_.costs = {microseconds(200), microseconds(200)};
  EXPECT_EQ(readings(), 2);
  EXPECT_EQ(readings(), 0);
  clock_.advance(milliseconds(79));
  EXPECT_EQ(readings(), 0) << "what was spent is not yet paid for";
  clock_.advance(milliseconds(1));
  EXPECT_EQ(readings(), 3) << "the third one first";
}

class EngineSweeps : public EngineReadsFiles {
 protected:
  /// Registers so many eventfds of this process; false where no cgroup is mounted.
  bool listen_with_numbers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      base::Fd eventfd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
      ListenRequest request{.terms = {.threshold = 4096},
                            .eventfd = base::Fd(::dup(eventfd.get())),
                            .directory = test::any_cgroup(),
                            .pid = 0,
                            .number = eventfd.get()};
      if (!request.directory) {
        return false;
      }
      const Result<Listening> listening = engine_->listen(std::move(request));
      EXPECT_TRUE(listening) << listening.error().message();
      eventfds_.push_back(std::move(eventfd));
    }
    return true;
  }
  /// How many are found closed by the drain after `time`.
  std::uint64_t closed_after(Duration time) {
    clock_.advance(time);
    const std::uint64_t before = engine_->counters().closed;
    await_timer();
    engine_->drain();
    return engine_->counters().closed - before;
  }

  std::vector<base::Fd> eventfds_;
};

TEST_F(EngineSweeps, SomeAtATimeWhereThereAreMany) {
  if (!listen_with_numbers(2 * Sweeps::kTurn + 2)) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  eventfds_.clear();
  EXPECT_EQ(closed_after(Sweeps::kPeriod), Sweeps::kTurn);
  EXPECT_EQ(closed_after(Duration{0}), 0U);
  EXPECT_EQ(closed_after(Sweeps::kPeriod), Sweeps::kTurn);
  EXPECT_EQ(closed_after(Sweeps::kPeriod), 2U);
}

TEST_F(EngineSweeps, AllWithinAPeriod) {
  if (!listen_with_numbers(2 * Sweeps::kTurn + 2)) {
    GTEST_SKIP() << "no cgroup is mounted";
  }
  eventfds_.pop_back();
  EXPECT_EQ(closed_after(Sweeps::kPeriod), 0U);
  EXPECT_EQ(closed_after(Sweeps::kPeriod / 3), 0U);
  EXPECT_EQ(closed_after(Sweeps::kPeriod / 3), 1U) << "the last one";
  eventfds_.front().reset();
  EXPECT_EQ(closed_after(Sweeps::kPeriod / 3), 1U) << "the first one, of the next round";
}

}  // namespace
}  // namespace evictd::notify
