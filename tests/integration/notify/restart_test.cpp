// SPDX-License-Identifier: Apache-2.0
// The library and the program `evictd --notify-only`, which is killed and started again.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>

#include "counted_eventfd.h"
#include "evictd/notify.h"
#include "support/temporary_directory.h"
#include "test_cgroup.h"
#include "test_child.h"

namespace evictd::test {
namespace {

class NotifyRestart : public testing::Test {
 protected:
  void SetUp() override {
    const base::Fd appears(::inotify_init1(IN_CLOEXEC));
    ASSERT_GE(::inotify_add_watch(appears.get(), directory_.path().c_str(), IN_MOVED_TO), 0);
    start();
    pollfd ready{.fd = appears.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&ready, 1, 60'000), 1) << "evictd has made no socket";
    ASSERT_EQ(evictd_notify_open(socket_.c_str(), 0, &handle_), 0);
  }
  void TearDown() override {
    evictd_notify_close(handle_);
    kill();
  }

  void start() {
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execl(EVICTD, EVICTD, "--notify-only", "--notify-socket", socket_.c_str(), nullptr);
      ::_exit(127);
    }
  }
  void kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
  }
  void add(const CountedEventfd& eventfd, std::uint64_t threshold) {
    evictd_notify_watch watch{};
    watch.threshold = threshold;
    ASSERT_EQ(
        evictd_notify_register_at(handle_, cgroup_.memory_fd(), &watch, eventfd.get(), nullptr), 0);
  }

  TemporaryDirectory directory_;
  std::filesystem::path socket_ = directory_.path() / "socket";
  TestCgroup cgroup_ = TestCgroup::create();
  evictd_notify* handle_ = nullptr;
  pid_t pid_ = -1;
};

TEST_F(NotifyRestart, IsOneWakeUpForEachAndFromThenOnCrossingsAreToldAgain) {
  constexpr std::uint64_t kBytes = 1 << 20;
  CountedEventfd crossed;
  CountedEventfd not_crossed;
  ASSERT_NO_FATAL_FAILURE(add(crossed, 32 * kBytes));
  ASSERT_NO_FATAL_FAILURE(add(not_crossed, 1000 * kBytes));
  kill();
  // Nobody sees this one.
  TestChild child(cgroup_);
  ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kBytes));
  EXPECT_EQ(crossed.count(), 0U);
  start();
  EXPECT_TRUE(crossed.reaches(1));
  EXPECT_TRUE(not_crossed.reaches(1));
  evictd_notify_info info{};
  ASSERT_EQ(evictd_notify_get_info(handle_, &info), 0);
  EXPECT_EQ(info.gaps, 1U);
  EXPECT_EQ(info.registrations, 2U);
  EXPECT_EQ(crossed.count(), 1U);
  ASSERT_TRUE(child.run(Work::kRelease));
  EXPECT_GT(crossed.crossed(1), 0U);
  EXPECT_EQ(not_crossed.count(), 1U);
}

}  // namespace
}  // namespace evictd::test
