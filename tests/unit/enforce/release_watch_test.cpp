// SPDX-License-Identifier: Apache-2.0
#include "enforce/release_watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "sys/pidfd.h"

namespace evictd::enforce {
namespace {

/// A child that waits to be killed.
pid_t sleeper() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    while (true) {
      ::pause();
    }
  }
  return pid;
}

base::Fd pidfd_of(pid_t pid) {
  return std::move(*sys::open_pidfd(pid));
}

void end(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

TEST(ReleaseWatch, TellsOnceTheLastProcessOfASlotEnded) {
  Result<ReleaseWatch> watch = ReleaseWatch::create(8, 2);
  ASSERT_TRUE(watch);
  const pid_t first = sleeper();
  const pid_t second = sleeper();
  EXPECT_TRUE(watch->add_process(1, pidfd_of(first)));
  EXPECT_TRUE(watch->add_process(1, pidfd_of(second)));
  EXPECT_FALSE(watch->take());

  end(first);
  EXPECT_FALSE(watch->take());
  EXPECT_EQ(watch->processes(1), 1U);
  end(second);

  pollfd ready{.fd = watch->descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&ready, 1, 20000), 1);
  EXPECT_EQ(watch->take(), 1U);
  EXPECT_FALSE(watch->take());
}

TEST(ReleaseWatch, WithoutRoomAProcessIsNotWatched) {
  Result<ReleaseWatch> watch = ReleaseWatch::create(1, 1);
  ASSERT_TRUE(watch);
  const pid_t process = sleeper();

  EXPECT_TRUE(watch->add_process(0, pidfd_of(process)));
  EXPECT_FALSE(watch->add_process(0, pidfd_of(process)));
  end(process);
  EXPECT_EQ(watch->take(), 0U);
  const pid_t another = sleeper();
  EXPECT_TRUE(watch->add_process(0, pidfd_of(another)));
  end(another);
}

TEST(ReleaseWatch, WhatIsRemovedIsNotToldAbout) {
  Result<ReleaseWatch> watch = ReleaseWatch::create(4, 2);
  ASSERT_TRUE(watch);
  const pid_t process = sleeper();
  const pid_t other = sleeper();
  EXPECT_TRUE(watch->add_process(0, pidfd_of(process)));
  EXPECT_TRUE(watch->add_process(1, pidfd_of(other)));

  watch->remove_processes(0);
  EXPECT_EQ(watch->processes(0), 0U);
  end(process);
  EXPECT_FALSE(watch->take());
  end(other);
  EXPECT_EQ(watch->take(), 1U);
}

}  // namespace
}  // namespace evictd::enforce
