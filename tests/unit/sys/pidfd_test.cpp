// SPDX-License-Identifier: Apache-2.0
#include "sys/pidfd.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/sleeping_child.h"

namespace evictd::sys {
namespace {

using evictd::test::start_sleeping_child;

TEST(Pidfd, SaysWhenItsProcessHasEnded) {
  const pid_t pid = start_sleeping_child();
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
  const pid_t pid = start_sleeping_child();
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);

  EXPECT_EQ(open_pidfd(pid).error(), std::errc::no_such_process);
}

TEST(Pidfd, NeitherInitNorANumberThatMeansAGroupCanBeOpened) {
  for (const pid_t pid : {1, 0, -1, -::getpid()}) {
    const CallResult<base::Fd> opened = open_pidfd(pid);
    ASSERT_FALSE(opened) << pid;
    EXPECT_EQ(opened.error(), std::errc::invalid_argument) << pid;
  }
}

TEST(SignalGroup, ReachesTheGroupOfItsLeader) {
  const pid_t pid = start_sleeping_child();
  ASSERT_EQ(::setpgid(pid, pid), 0);
  EXPECT_TRUE(signal_group(pid, SIGKILL));
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(signal_group(pid, SIGKILL).error(), std::errc::no_such_process);
}

TEST(SignalGroup, NeverMeansEveryProcessOrOurOwnGroup) {
  for (const pid_t leader : {1, 0, -1}) {
    // The null signal: harmless even if it were sent.
    const CallResult<> sent = signal_group(leader, 0);
    ASSERT_FALSE(sent) << leader;
    EXPECT_EQ(sent.error(), std::errc::invalid_argument) << leader;
  }
}

TEST(Pidfd, MemoryOfAProcessThatIsNotBeingKilledIsNotReleased) {
  const pid_t pid = start_sleeping_child();
  const CallResult<base::Fd> pidfd = open_pidfd(pid);
  ASSERT_TRUE(pidfd);

  EXPECT_EQ(release_memory(*pidfd).error(), std::errc::invalid_argument);

  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace evictd::sys
