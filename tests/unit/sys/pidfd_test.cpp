// SPDX-License-Identifier: Apache-2.0
#include "sys/pidfd.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace evictd::sys {
namespace {

/// A child that waits for a signal.
pid_t sleeper() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    while (true) {
      ::pause();
    }
  }
  return pid;
}

TEST(Pidfd, SaysWhenItsProcessHasEnded) {
  const pid_t pid = sleeper();
  const CallResult<base::Fd> pidfd = open_pidfd(pid);
  ASSERT_TRUE(pidfd);
  EXPECT_FALSE(has_ended(*pidfd));

  ASSERT_TRUE(send_signal(*pidfd, SIGKILL));
  pollfd entry{.fd = pidfd->get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&entry, 1, 20000), 1);

  EXPECT_TRUE(has_ended(*pidfd));
  EXPECT_TRUE(send_signal(*pidfd, SIGKILL)) << "a zombie takes a signal without an effect";
  ::waitpid(pid, nullptr, 0);
  EXPECT_EQ(send_signal(*pidfd, SIGKILL).error(), std::errc::no_such_process);
}

TEST(Pidfd, AProcessThatIsGoneCannotBeOpened) {
  const pid_t pid = sleeper();
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);

  EXPECT_EQ(open_pidfd(pid).error(), std::errc::no_such_process);
}

TEST(Pidfd, MemoryOfAProcessThatIsNotBeingKilledIsNotReleased) {
  const pid_t pid = sleeper();
  const CallResult<base::Fd> pidfd = open_pidfd(pid);
  ASSERT_TRUE(pidfd);

  EXPECT_EQ(release_memory(*pidfd).error(), std::errc::invalid_argument);

  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace evictd::sys
