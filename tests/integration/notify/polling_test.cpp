// SPDX-License-Identifier: Apache-2.0
// The Engine where no kernel program can be loaded.
#include <gtest/gtest.h>

#include <cerrno>
#include <list>

#include "base/system_clock.h"
#include "counted_eventfd.h"
#include "notify/engine_thread.h"
#include "notify/make_engine.h"
#include "test_cgroup.h"
#include "test_child.h"

namespace evictd::test {
namespace {

constexpr std::uint64_t kPolledMega = 1 << 20;

class NotifyPolling : public testing::Test {
 protected:
  void SetUp() override {
    auto made = notify::make_engine({.kernel = {.pin = "none"}}, clock_);
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_FALSE(made->polls_because.empty());
    engine_ = std::move(made->engine);
    ASSERT_EQ(engine_->backend(), EVICTD_NOTIFY_POLLING);
    thread_ = std::move(notify::EngineThread::start(*engine_).value());
  }
  Result<notify::Listening> listen(const CountedEventfd& eventfd, const notify::Terms& terms,
                                   int directory) {
    return engine_->listen({.terms = terms,
                            .eventfd = eventfd.duplicate(),
                            .directory = base::Fd(::dup(directory)),
                            .number = eventfd.get()});
  }

  base::SystemClock clock_;
  TestCgroup cgroup_ = TestCgroup::create();
  std::unique_ptr<notify::Engine> engine_;
  std::unique_ptr<notify::EngineThread> thread_;
};

TEST_F(NotifyPolling, TellsOfEverySignalThatHasAFile) {
  std::list<CountedEventfd> eventfds(4);
  auto eventfd = eventfds.begin();
  for (const evictd_notify_signal signal :
       {EVICTD_NOTIFY_USAGE, EVICTD_NOTIFY_WORKING_SET, EVICTD_NOTIFY_MEMSW}) {
    const auto listening =
        listen(*eventfd++, {.signal = signal, .threshold = 32 * kPolledMega}, cgroup_.memory_fd());
    ASSERT_TRUE(listening) << signal << ": " << listening.error().message();
  }
  ASSERT_TRUE(listen(*eventfd, {.signal = EVICTD_NOTIFY_PIDS, .threshold = 3}, cgroup_.pids_fd()));
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kPolledMega));
  ASSERT_TRUE(child.run(Work::kFork, 4));
  for (CountedEventfd& each : eventfds) {
    EXPECT_TRUE(each.reaches(1));
  }
  ASSERT_TRUE(child.run(Work::kEndForks));
  ASSERT_TRUE(child.run(Work::kRelease));
  for (CountedEventfd& each : eventfds) {
    EXPECT_TRUE(each.reaches(2));
  }
}

TEST_F(NotifyPolling, TellsOfAShareOfTheLimit) {
  cgroup_.set_memory_limit(200 * kPolledMega);
  CountedEventfd eventfd;
  ASSERT_TRUE(listen(eventfd,
                     {.unit = EVICTD_NOTIFY_OF_LIMIT, .threshold = EVICTD_NOTIFY_WHOLE / 4},
                     cgroup_.memory_fd()));
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 60 * kPolledMega));
  EXPECT_TRUE(eventfd.reaches(1));
}

TEST_F(NotifyPolling, TellsOfTheRemoval) {
  CountedEventfd eventfd;
  ASSERT_TRUE(listen(eventfd, {.threshold = 1000 * kPolledMega}, cgroup_.memory_fd()));
  cgroup_.remove();
  EXPECT_TRUE(eventfd.reaches(1));
  EXPECT_EQ(engine_->counters().registrations, 0U);
}

TEST_F(NotifyPolling, EndsWhatIsOfTheControllerThatIsTakenAwayAndNothingElse) {
  if (!cgroups_are_unified()) {
    GTEST_SKIP() << "the memory and pids controllers are not those of cgroup v2 here";
  }
  const TestCgroup inner = cgroup_.create_child("inner");
  CountedEventfd eventfd;
  CountedEventfd of_tasks;
  ASSERT_TRUE(listen(eventfd, {.threshold = 1000 * kPolledMega}, inner.memory_fd()));
  ASSERT_TRUE(listen(of_tasks, {.signal = EVICTD_NOTIFY_PIDS, .threshold = 3}, inner.pids_fd()));
  cgroup_.write("cgroup.subtree_control", "-memory");
  EXPECT_TRUE(eventfd.reaches(1));
  EXPECT_EQ(engine_->counters().registrations, 1U);
  EXPECT_EQ(of_tasks.count(), 0U);
  TestChild child(inner);
  ASSERT_TRUE(child.run(Work::kFork, 4));
  EXPECT_TRUE(of_tasks.reaches(1));
}

TEST_F(NotifyPolling, TellsOfTheOomKillerAtOnce) {
  cgroup_.set_memory_limit(16 * kPolledMega);
  CountedEventfd eventfd;
  const auto listening = listen(eventfd, {.signal = EVICTD_NOTIFY_OOM}, cgroup_.memory_fd());
  ASSERT_TRUE(listening) << listening.error().message();
  TestChild child(cgroup_);
  EXPECT_FALSE(child.run(Work::kTouch4K, 64 * kPolledMega));
  EXPECT_TRUE(eventfd.reaches(1));
}

TEST_F(NotifyPolling, TellsAHierarchyWithoutTheControllerAsAKernelProgramDoes) {
  if (cgroups_are_unified()) {
    GTEST_SKIP() << "one hierarchy has them all";
  }
  CountedEventfd eventfd;
  const auto listening =
      listen(eventfd, {.signal = EVICTD_NOTIFY_PIDS, .threshold = 5}, cgroup_.memory_fd());
  ASSERT_FALSE(listening);
  EXPECT_EQ(listening.error().sys_errno, ENOTDIR);
}

TEST_F(NotifyPolling, TellsOfPressureWhereTheKernelDoes) {
  CountedEventfd eventfd;
  const auto listening = listen(eventfd, {.signal = EVICTD_NOTIFY_PRESSURE}, cgroup_.memory_fd());
  EXPECT_EQ(engine_->events().no_pressure_because().empty(), !cgroups_are_unified());
  if (cgroups_are_unified()) {
    ASSERT_FALSE(listening);
    EXPECT_EQ(listening.error().sys_errno, EOPNOTSUPP);
    EXPECT_EQ(engine_->signals() >> EVICTD_NOTIFY_PRESSURE & 1U, 0U);
    return;
  }
  ASSERT_TRUE(listening) << listening.error().message();
  cgroup_.set_memory_limit(16 * kPolledMega);
  TestChild child(cgroup_);
  EXPECT_FALSE(child.run(Work::kTouch4K, 64 * kPolledMega));
  EXPECT_TRUE(eventfd.reaches(1));
}

}  // namespace
}  // namespace evictd::test
