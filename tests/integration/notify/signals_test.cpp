// SPDX-License-Identifier: Apache-2.0
// Signals that cgroup v1 has no notification of.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "engine_ground.h"
#include "support/test_swap.h"

namespace evictd::test {
namespace {

using NotifySignals = EngineGround;

TEST_F(NotifySignals, CountTasksUpAndDown) {
  CountedEventfd eventfd;
  ASSERT_TRUE(listen(eventfd, {.signal = EVICTD_NOTIFY_PIDS, .threshold = 6}, cgroup_.pids_fd()));
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kFork, 4));
  EXPECT_EQ(eventfd.count(), 0U);
  ASSERT_TRUE(child.run(Work::kFork, 1));
  EXPECT_TRUE(eventfd.reaches(1));
  ASSERT_TRUE(child.run(Work::kEndForks));
  EXPECT_TRUE(eventfd.reaches(2));
}

TEST_F(NotifySignals, FollowTheLimitOfAShare) {
  cgroup_.set_memory_limit(400 * kMega);
  CountedEventfd eventfd;
  const notify::Terms half{.unit = EVICTD_NOTIFY_OF_LIMIT, .threshold = EVICTD_NOTIFY_WHOLE / 2};
  const auto listening = listen(eventfd, half);
  ASSERT_TRUE(listening) << listening.error().message();
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 100 * kMega));
  EXPECT_EQ(engine_->query(listening->id)->side, EVICTD_NOTIFY_BELOW);
  // Nobody allocates: the limit alone is what moves.
  cgroup_.set_memory_limit(150 * kMega);
  EXPECT_TRUE(eventfd.reaches(1));
  cgroup_.set_memory_limit(400 * kMega);
  EXPECT_TRUE(eventfd.reaches(2));
}

TEST_F(NotifySignals, HaveAShareOfNoLimitBelow) {
  CountedEventfd eventfd;
  const auto listening = listen(eventfd, {.unit = EVICTD_NOTIFY_OF_LIMIT, .threshold = 1});
  ASSERT_TRUE(listening);
  EXPECT_EQ(listening->side, EVICTD_NOTIFY_BELOW);
}

/// As the files have it.
std::uint64_t working_set_of(const TestCgroup& cgroup) {
  const std::uint64_t inactive = cgroup.inactive_file_bytes();
  const std::uint64_t usage = cgroup.usage_bytes();
  return usage > inactive ? usage - inactive : 0;
}

TEST_F(NotifySignals, LeaveInactiveFileCacheOutOfTheWorkingSet) {
  CountedEventfd working_set;
  CountedEventfd usage;
  const auto of_set =
      listen(working_set, {.signal = EVICTD_NOTIFY_WORKING_SET, .threshold = 48 * kMega});
  ASSERT_TRUE(of_set);
  EXPECT_EQ(of_set->side, EVICTD_NOTIFY_BELOW);
  ASSERT_TRUE(listen(usage, {.threshold = 80 * kMega}));
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kWriteFile, 96 * kMega));
  // Told in the order in which they were passed: nothing was told of the set before.
  ASSERT_TRUE(usage.reaches(1));
  ASSERT_LT(working_set_of(cgroup_), 40 * kMega);
  EXPECT_EQ(working_set.count(), 0U);
  const auto look = engine_->query(of_set->id);
  EXPECT_EQ(look->side, EVICTD_NOTIFY_BELOW);
  EXPECT_LT(look->value, 40 * kMega);
  // No page is charged: they become active, and that is all.
  ASSERT_TRUE(child.run(Work::kReadTwice));
  ASSERT_GT(working_set_of(cgroup_), 80 * kMega);
  EXPECT_TRUE(working_set.reaches(1));
  ASSERT_TRUE(child.run(Work::kRelease));
  ASSERT_LT(working_set_of(cgroup_), 40 * kMega);
  EXPECT_TRUE(working_set.reaches(2));
  ASSERT_TRUE(child.run(Work::kTouch4K, 96 * kMega));
  EXPECT_TRUE(working_set.reaches(3));
  EXPECT_EQ(engine_->query(of_set->id)->side, EVICTD_NOTIFY_ABOVE);
}

TEST_F(NotifySignals, BeginOnTheTrueSideOfTheWorkingSet) {
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kWriteFile, 96 * kMega));
  CountedEventfd eventfd;
  const notify::Terms terms{.signal = EVICTD_NOTIFY_WORKING_SET, .threshold = 48 * kMega};
  const auto listening = listen(eventfd, terms);
  ASSERT_TRUE(listening) << listening.error().message();
  EXPECT_EQ(listening->side, EVICTD_NOTIFY_BELOW);
  EXPECT_LT(listening->value, 40 * kMega);
  ASSERT_TRUE(child.run(Work::kReadTwice));
  CountedEventfd second;
  EXPECT_EQ(listen(second, terms)->side, EVICTD_NOTIFY_ABOVE);
  EXPECT_EQ(eventfd.count(), 1U) << "the registration of another has found it";
  EXPECT_EQ(second.count(), 0U);
}

TEST_F(NotifySignals, TellOfGrowthByItsRate) {
  CountedEventfd eventfd;
  ASSERT_TRUE(listen(eventfd, {.signal = EVICTD_NOTIFY_RATE, .threshold = 64 * kMega}));
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 256 * kMega));
  EXPECT_TRUE(eventfd.reaches(1));
  // It stands still now.
  EXPECT_TRUE(eventfd.reaches(2));
}

TEST_F(NotifySignals, CountSwapWithMemoryWhereThereIsSuchACounter) {
  CountedEventfd eventfd;
  const auto listening = listen(eventfd, {.signal = EVICTD_NOTIFY_MEMSW, .threshold = 32 * kMega});
  ASSERT_TRUE(listening) << listening.error().message();
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMega));
  EXPECT_TRUE(eventfd.reaches(1));
  ASSERT_TRUE(child.run(Work::kRelease));
  EXPECT_TRUE(eventfd.reaches(2));
}

TEST_F(NotifySignals, CountWhatIsSwappedOutAsMemoryWithSwap) {
  if (!machine_is_ours()) {
    GTEST_SKIP() << "swap is added only in a machine of our own: vm.* runs it";
  }
  const TestSwap swap("/var/tmp/evictd-swap");
  ASSERT_TRUE(swap.on());
  cgroup_.set_memory_limit(48 * kMega);
  CountedEventfd memsw;
  CountedEventfd usage;
  ASSERT_TRUE(listen(memsw, {.signal = EVICTD_NOTIFY_MEMSW, .threshold = 96 * kMega}));
  ASSERT_TRUE(listen(usage, {.threshold = 96 * kMega}));
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 128 * kMega)) << "killed, although it could be swapped out";
  EXPECT_TRUE(memsw.reaches(1));
  ASSERT_TRUE(child.run(Work::kRelease));
  EXPECT_TRUE(memsw.reaches(2));
  EXPECT_EQ(usage.count(), 0U);
}

TEST_F(NotifySignals, StayAboveWithinTheHysteresis) {
  CountedEventfd eventfd;
  const auto listening = listen(eventfd, {.threshold = 64 * kMega, .hysteresis = 48 * kMega});
  ASSERT_TRUE(listening);
  TestChild base(cgroup_);
  TestChild more(cgroup_);
  CountedEventfd plain;
  ASSERT_TRUE(listen(plain, {.threshold = 64 * kMega}));
  ASSERT_TRUE(base.run(Work::kTouch4K, 40 * kMega));
  ASSERT_TRUE(more.run(Work::kTouch4K, 60 * kMega));
  const std::uint64_t up = plain.crossed(0);
  ASSERT_GT(up, 0U);
  EXPECT_TRUE(eventfd.reaches(1));
  ASSERT_TRUE(more.run(Work::kRelease));  // 40 MiB: below the threshold, above its floor
  ASSERT_GT(plain.crossed(up), 0U);
  EXPECT_EQ(eventfd.count(), 1U);
  ASSERT_TRUE(base.run(Work::kRelease));
  EXPECT_TRUE(eventfd.reaches(2));
}

TEST_F(NotifySignals, TellOfOneDirectionAlone) {
  CountedEventfd both;
  CountedEventfd up;
  CountedEventfd down;
  ASSERT_TRUE(listen(both, {.threshold = 32 * kMega}));
  ASSERT_TRUE(listen(up, {.direction = EVICTD_NOTIFY_UP, .threshold = 32 * kMega}));
  ASSERT_TRUE(listen(down, {.direction = EVICTD_NOTIFY_DOWN, .threshold = 32 * kMega}));
  TestChild child(cgroup_);
  std::uint64_t told = 0;
  for (int excursion = 0; excursion < 5; ++excursion) {
    ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMega));
    const std::uint64_t rise = both.crossed(told);
    ASSERT_GT(rise, 0U);
    ASSERT_TRUE(up.reaches((told + rise + 1) / 2));
    EXPECT_EQ(down.count(), (told + rise - 1) / 2);
    told += rise;
    ASSERT_TRUE(child.run(Work::kRelease));
    const std::uint64_t fall = both.crossed(told);
    ASSERT_GT(fall, 0U);
    told += fall;
    ASSERT_TRUE(down.reaches(told / 2));
    EXPECT_EQ(up.count(), told / 2);
  }
}

TEST_F(NotifySignals, KeepToTheirDirectionWithinAHysteresis) {
  constexpr std::uint64_t kThreshold = 64 * kMega;
  constexpr std::uint64_t kHysteresis = 48 * kMega;
  CountedEventfd up;
  CountedEventfd down;
  CountedEventfd plain;
  ASSERT_TRUE(listen(
      up, {.direction = EVICTD_NOTIFY_UP, .threshold = kThreshold, .hysteresis = kHysteresis}));
  ASSERT_TRUE(listen(
      down, {.direction = EVICTD_NOTIFY_DOWN, .threshold = kThreshold, .hysteresis = kHysteresis}));
  ASSERT_TRUE(listen(plain, {.threshold = kThreshold}));
  TestChild base(cgroup_);
  TestChild more(cgroup_);
  ASSERT_TRUE(base.run(Work::kTouch4K, 40 * kMega));
  std::uint64_t told = 0;
  for (int excursion = 0; excursion < 3; ++excursion) {
    ASSERT_TRUE(more.run(Work::kTouch4K, 60 * kMega));
    const std::uint64_t rise = plain.crossed(told);
    ASSERT_GT(rise, 0U);
    ASSERT_TRUE(more.run(Work::kRelease));  // 40 MiB: below the threshold, above its floor
    const std::uint64_t fall = plain.crossed(told + rise);
    ASSERT_GT(fall, 0U);
    told += rise + fall;
  }
  EXPECT_EQ(up.count(), 1U);
  EXPECT_EQ(down.count(), 0U);
  ASSERT_TRUE(base.run(Work::kRelease));
  EXPECT_TRUE(down.reaches(1));
  EXPECT_EQ(up.count(), 1U);
}

void set_task_limit(const TestCgroup& cgroup, std::string_view limit) {
  const base::Fd file(::openat(cgroup.pids_fd(), "pids.max", O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::write(file.get(), limit.data(), limit.size()), static_cast<ssize_t>(limit.size()));
}

TEST_F(NotifySignals, FollowTheLimitOfAShareOfTasks) {
  ASSERT_NO_FATAL_FAILURE(set_task_limit(cgroup_, "40"));
  CountedEventfd eventfd;
  const notify::Terms half{.signal = EVICTD_NOTIFY_PIDS,
                           .unit = EVICTD_NOTIFY_OF_LIMIT,
                           .threshold = EVICTD_NOTIFY_WHOLE / 2};
  const auto listening = listen(eventfd, half, cgroup_.pids_fd());
  ASSERT_TRUE(listening) << listening.error().message();
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kFork, 9));
  EXPECT_EQ(eventfd.count(), 0U) << "10 of 40";
  // Nobody forks or ends: the limit alone is what moves.
  ASSERT_NO_FATAL_FAILURE(set_task_limit(cgroup_, "20"));
  EXPECT_TRUE(eventfd.reaches(1));
  ASSERT_NO_FATAL_FAILURE(set_task_limit(cgroup_, "40"));
  EXPECT_TRUE(eventfd.reaches(2));
  ASSERT_TRUE(child.run(Work::kFork, 10));
  EXPECT_TRUE(eventfd.reaches(3)) << "20 of 40";
}

TEST_F(NotifySignals, TellOfEachGrowthByItsRate) {
  // So slow that a process which grows is faster on any machine, however busy.
  constexpr std::uint64_t kSlow = kMega;
  CountedEventfd up;
  CountedEventfd down;
  ASSERT_TRUE(listen(
      up, {.signal = EVICTD_NOTIFY_RATE, .direction = EVICTD_NOTIFY_UP, .threshold = kSlow}));
  ASSERT_TRUE(listen(
      down, {.signal = EVICTD_NOTIFY_RATE, .direction = EVICTD_NOTIFY_DOWN, .threshold = kSlow}));
  TestChild child(cgroup_);
  for (std::uint64_t growth = 1; growth <= 3; ++growth) {
    ASSERT_TRUE(child.run(Work::kTouch4K, 128 * kMega));
    EXPECT_TRUE(up.reaches(growth));
    // It stands still now, and giving back is no growth.
    EXPECT_TRUE(down.reaches(growth));
    ASSERT_TRUE(child.run(Work::kRelease));
  }
}

TEST_F(NotifySignals, HaveTheMachinesUsageAtTheRoot) {
  const char* directory = cgroups_are_unified() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  const base::Fd root(::open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CountedEventfd eventfd;
  const auto now = listen(eventfd, {.threshold = 1}, root.get());
  ASSERT_TRUE(now) << now.error().message();
  EXPECT_EQ(now->side, EVICTD_NOTIFY_ABOVE);
  CountedEventfd higher;
  ASSERT_TRUE(listen(higher, {.threshold = now->value + 256 * kMega}, root.get()));
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 768 * kMega));
  EXPECT_TRUE(higher.reaches(1));
}

}  // namespace
}  // namespace evictd::test
