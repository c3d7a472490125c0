// SPDX-License-Identifier: Apache-2.0
// The Engine with the kernel's own counters: real cgroups, real processes.
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <latch>
#include <list>
#include <thread>

#include "engine_ground.h"

namespace evictd::test {
namespace {

using NotifyEngine = EngineGround;

TEST_F(NotifyEngine, TellsOfACrossingUpAndOfTheOneDown) {
  CountedEventfd eventfd;
  const auto listening = listen(eventfd, {.threshold = 32 * kMega});
  ASSERT_TRUE(listening) << listening.error().message();
  EXPECT_EQ(listening->side, EVICTD_NOTIFY_BELOW);
  EXPECT_LT(listening->value, 32 * kMega);
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMega));
  EXPECT_TRUE(eventfd.reaches(1));
  ASSERT_TRUE(child.run(Work::kRelease));
  EXPECT_TRUE(eventfd.reaches(2));
  EXPECT_GE(engine_->query(listening->id)->deliveries, 2U);
}

TEST_F(NotifyEngine, DoesNotTellWhoRegistersAboveItsThreshold) {
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMega));
  CountedEventfd low;
  CountedEventfd high;
  const auto listening = listen(low, {.threshold = 32 * kMega});
  ASSERT_TRUE(listening);
  EXPECT_EQ(listening->side, EVICTD_NOTIFY_ABOVE);
  EXPECT_GE(listening->value, 64 * kMega);
  ASSERT_TRUE(listen(high, {.threshold = 96 * kMega}));
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMega));
  EXPECT_TRUE(high.reaches(1));
  EXPECT_EQ(low.count(), 0U);
}

TEST_F(NotifyEngine, CountsForAncestorsAndForEachOfManyThresholds) {
  const TestCgroup inner = cgroup_.create_child("inner");
  std::list<CountedEventfd> eventfds(20);
  std::uint64_t threshold = 0;
  for (const CountedEventfd& eventfd : eventfds) {
    ASSERT_TRUE(listen(eventfd, {.threshold = threshold += 8 * kMega}));
  }
  CountedEventfd child_level;
  ASSERT_TRUE(listen(child_level, {.threshold = 100 * kMega}, inner.memory_fd()));
  TestChild child(inner);
  ASSERT_TRUE(child.run(Work::kTouch4K, 200 * kMega));
  for (CountedEventfd& eventfd : eventfds) {
    EXPECT_TRUE(eventfd.reaches(1));
  }
  EXPECT_TRUE(child_level.reaches(1));
}

TEST_F(NotifyEngine, AddsUpWhileNobodyReads) {
  CountedEventfd eventfd;
  const auto listening = listen(eventfd, {.threshold = 32 * kMega});
  ASSERT_TRUE(listening);
  CountedEventfd witness;
  ASSERT_TRUE(listen(witness, {.threshold = 32 * kMega}));
  TestChild child(cgroup_);
  std::uint64_t told = 0;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMega));
    const std::uint64_t up = witness.crossed(told);
    ASSERT_GT(up, 0U);
    ASSERT_TRUE(child.run(Work::kRelease));
    const std::uint64_t down = witness.crossed(told + up);
    ASSERT_GT(down, 0U);
    told += up + down;
  }
  EXPECT_GE(told, 10U);
  // A pair that the counter made by itself may still be on its way: what had been seen when this
  // one registers is told before it is answered.
  CountedEventfd fence;
  ASSERT_TRUE(listen(fence, {.threshold = 32 * kMega}));
  // One read of everything that has added up.
  EXPECT_EQ(eventfd.count(), witness.count());
}

TEST_F(NotifyEngine, TellsEverybodyOnceWhenTheCgroupIsRemoved) {
  CountedEventfd low;
  CountedEventfd high;
  ASSERT_TRUE(listen(low, {.threshold = 0}));
  ASSERT_TRUE(listen(high, {.threshold = 1000 * kMega}));
  cgroup_.remove();
  EXPECT_TRUE(low.reaches(1));
  EXPECT_TRUE(high.reaches(1));
  EXPECT_EQ(engine_->take_ended().size(), 2U);
  EXPECT_EQ(engine_->counters().registrations, 0U);
  const auto late = listen(low, {.threshold = 1});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().sys_errno, ENODEV);
}

TEST_F(NotifyEngine, LeavesNobodyWaitingWhoRegistersWhileTheCgroupIsRemoved) {
  // How long the removal stays behind: towards the moment at which one comes just before the other.
  int late = 0;
  for (int i = 0; i < 200; ++i) {
    TestCgroup inner = cgroup_.create_child("inner");
    const base::Fd directory(::dup(inner.memory_fd()));
    CountedEventfd eventfd;
    std::latch start(2);
    std::thread remover([&] {
      start.arrive_and_wait();
      for (std::atomic<int> spent = 0; spent < late; ++spent) {
      }
      inner.remove();
    });
    start.arrive_and_wait();
    const auto listening = listen(eventfd, {.threshold = 1000 * kMega}, directory.get());
    remover.join();
    if (listening) {
      ASSERT_TRUE(eventfd.reaches(1)) << "round " << i;
      late = std::max(0, late - 1000);
    } else {
      ASSERT_EQ(listening.error().sys_errno, ENODEV) << "round " << i;
      late += 1000;
    }
  }
  EXPECT_EQ(engine_->counters().registrations, 0U);
}

TEST_F(NotifyEngine, TellsEverybodyWhenTheControllerIsTakenFromTheCgroup) {
  if (!cgroups_are_unified()) {
    GTEST_SKIP() << "the memory and pids controllers are not those of cgroup v2 here";
  }
  const TestCgroup inner = cgroup_.create_child("inner");
  CountedEventfd eventfd;
  CountedEventfd of_tasks;
  ASSERT_TRUE(listen(eventfd, {.threshold = 1000 * kMega}, inner.memory_fd()));
  ASSERT_TRUE(listen(of_tasks, {.signal = EVICTD_NOTIFY_PIDS, .threshold = 3}, inner.pids_fd()));
  cgroup_.write("cgroup.subtree_control", "-memory");
  EXPECT_TRUE(eventfd.reaches(1));
  EXPECT_EQ(engine_->counters().registrations, 1U);
  EXPECT_EQ(of_tasks.count(), 0U) << "of another controller";
  TestChild child(inner);
  ASSERT_TRUE(child.run(Work::kFork, 4));
  EXPECT_TRUE(of_tasks.reaches(1)) << "it lives on";
}

TEST_F(NotifyEngine, OnlyTaskListenersHearThatPidsControllerWasTaken) {
  if (!cgroups_are_unified()) {
    GTEST_SKIP() << "the memory and pids controllers are not those of cgroup v2 here";
  }
  const TestCgroup inner = cgroup_.create_child("inner");
  CountedEventfd eventfd;
  CountedEventfd of_tasks;
  ASSERT_TRUE(listen(eventfd, {.threshold = 32 * kMega}, inner.memory_fd()));
  ASSERT_TRUE(listen(of_tasks, {.signal = EVICTD_NOTIFY_PIDS, .threshold = 1000}, inner.pids_fd()));
  cgroup_.write("cgroup.subtree_control", "-pids");
  EXPECT_TRUE(of_tasks.reaches(1));
  EXPECT_EQ(engine_->counters().registrations, 1U);
  EXPECT_EQ(eventfd.count(), 0U) << "of another controller";
  TestChild child(inner);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMega));
  EXPECT_TRUE(eventfd.reaches(1)) << "it lives on";
}

TEST_F(NotifyEngine, EndsARegistrationWhoseEventfdWasClosed) {
  CountedEventfd closed;
  CountedEventfd open;
  ASSERT_TRUE(listen(closed, {.threshold = 16 * kMega}));
  const auto other = listen(open, {.threshold = 16 * kMega});
  ASSERT_TRUE(other);
  closed.close();
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 32 * kMega));
  ASSERT_TRUE(open.reaches(1));
  // The sweep is an event of the Engine's own: wait for it by its descriptor's effect.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (engine_->counters().closed == 0 && std::chrono::steady_clock::now() < give_up) {
    pollfd ready{.fd = engine_->descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 100);
  }
  EXPECT_EQ(engine_->counters().registrations, 1U);
  EXPECT_TRUE(engine_->query(other->id));
}

TEST_F(NotifyEngine, TellsNobodyWhoHasUnregistered) {
  CountedEventfd gone;
  CountedEventfd stays;
  const auto first = listen(gone, {.threshold = 32 * kMega});
  ASSERT_TRUE(first);
  ASSERT_TRUE(listen(stays, {.threshold = 32 * kMega}));
  const std::array ids{first->id};
  EXPECT_EQ(engine_->end(ids), 1U);
  EXPECT_EQ(engine_->end(ids), 0U);
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMega));
  EXPECT_TRUE(stays.reaches(1));
  EXPECT_EQ(gone.count(), 0U);
}

TEST_F(NotifyEngine, LosesNoCrossingWhileListenersComeAndGo) {
  CountedEventfd witness;
  ASSERT_TRUE(listen(witness, {.threshold = 32 * kMega}));
  TestChild child(cgroup_);
  std::uint64_t told = 0;
  for (int i = 0; i < 20; ++i) {
    child.start(Work::kTouch4K, 64 * kMega);
    std::list<CountedEventfd> passing(4);
    std::vector<notify::RegistrationId> ids;
    for (const CountedEventfd& eventfd : passing) {
      const auto listening = listen(eventfd, {.threshold = (8 + 8 * ids.size()) * kMega});
      ASSERT_TRUE(listening) << listening.error().message();
      ids.push_back(listening->id);
    }
    ASSERT_TRUE(child.wait());
    const std::uint64_t up = witness.crossed(told);
    ASSERT_GT(up, 0U);
    told += up;
    child.start(Work::kRelease, 0);
    engine_->end(ids);
    ASSERT_TRUE(child.wait());
    const std::uint64_t down = witness.crossed(told);
    ASSERT_GT(down, 0U);
    told += down;
  }
}

TEST_F(NotifyEngine, RefusesWhatItCannotWatchWithItsErrno) {
  CountedEventfd eventfd;
  const auto error_of = [](const Result<notify::Listening>& result) {
    return result ? 0 : result.error().sys_errno;
  };
  EXPECT_EQ(error_of(listen(eventfd, {.threshold = 1, .hysteresis = 2})), EINVAL);
  const base::Fd root(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(error_of(listen(eventfd, {.threshold = 1}, root.get())), ENOTDIR);
  const base::Fd file(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(error_of(listen(eventfd, {.threshold = 1}, file.get())), EBADF);
  EXPECT_EQ(error_of(engine_->listen({.terms = {.threshold = 1},
                                      .eventfd = base::Fd(::dup(root.get())),
                                      .directory = base::Fd(::dup(cgroup_.memory_fd()))})),
            EBADF);
  if (!cgroups_are_unified()) {
    EXPECT_EQ(error_of(listen(eventfd, {.threshold = 1}, cgroup_.pids_fd())), ENOTDIR);
  }
  EXPECT_EQ(engine_->counters().registrations, 0U);
}

}  // namespace
}  // namespace evictd::test
