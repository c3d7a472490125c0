// SPDX-License-Identifier: Apache-2.0
// A service in a PID namespace of its own, as in a container, and a client outside of it.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "service_ground.h"

namespace evictd::test {
namespace {

/// Serves until it is killed.
[[noreturn]] void serve(const std::filesystem::path& path) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const base::SystemClock clock;
  auto made = notify::make_engine({.kernel = {.pin = "none"}}, clock);
  base::EventLoop loop = base::EventLoop::create().value();
  const auto service = notify::Service::create({.path = path}, loop, *made.value().engine);
  while (service) {
    static_cast<void>(loop.run_once());
  }
  ::_exit(1);
}

class NotifyPidNamespace : public testing::Test {
 protected:
  void SetUp() override {
    const base::Fd appears(::inotify_init1(IN_CLOEXEC));
    ASSERT_GE(::inotify_add_watch(appears.get(), path_.parent_path().c_str(), IN_MOVED_TO), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::unshare(CLONE_NEWPID) != 0) {
        ::_exit(1);
      }
      const pid_t first = ::fork();
      if (first == 0) {
        serve(path_);
      }
      ::waitpid(first, nullptr, 0);
      ::_exit(1);
    }
    pollfd ready{.fd = appears.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&ready, 1, 20'000), 1) << "no socket";
  }
  void TearDown() override {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "socket";
  TestCgroup cgroup_ = TestCgroup::create();
  pid_t pid_ = -1;
};

TEST_F(NotifyPidNamespace, AClientOutsideKeepsItsRegistration) {
  const RawClient client(path_);
  ASSERT_EQ(client.hello(), 0);
  CountedEventfd crossed;
  // A number that is nothing at the service, which has begun as a copy of this process.
  constexpr int kNumber = 500;
  const base::Fd copy(::fcntl(crossed.get(), F_DUPFD_CLOEXEC, kNumber));
  ASSERT_EQ(client.ask({crossed.get(), cgroup_.memory_fd()}, 32 * kMegabyte, copy.get()).error, 0);
  TestChild child(cgroup_);
  // The eventfds of registrations are looked at 0.2 s after they were signalled, and files of
  // cgroups ten times a second: in so many crossings that has been done.
  for (std::uint64_t told = 0; told < 8; told += 2) {
    ASSERT_TRUE(child.run(Work::kTouch4K, 64 * kMegabyte));
    ASSERT_TRUE(crossed.reaches(told + 1));
    ASSERT_TRUE(child.run(Work::kRelease));
    ASSERT_TRUE(crossed.reaches(told + 2));
  }
  EXPECT_EQ(client.status().registrations, 1U);
}

}  // namespace
}  // namespace evictd::test
