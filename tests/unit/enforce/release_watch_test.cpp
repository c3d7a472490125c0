// SPDX-License-Identifier: Apache-2.0
#include "enforce/release_watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>
#include <vector>

#include "support/sleeping_child.h"
#include "sys/pidfd.h"

namespace evictd::enforce {
namespace {

using evictd::test::start_sleeping_child;

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
  const pid_t first = start_sleeping_child();
  const pid_t second = start_sleeping_child();
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
  const pid_t process = start_sleeping_child();

  EXPECT_TRUE(watch->add_process(0, pidfd_of(process)));
  EXPECT_FALSE(watch->add_process(0, pidfd_of(process)));
  end(process);
  EXPECT_EQ(watch->take(), 0U);
  const pid_t another = start_sleeping_child();
  EXPECT_TRUE(watch->add_process(0, pidfd_of(another)));
  end(another);
}

TEST(ReleaseWatch, WhatIsRemovedIsNotToldAbout) {
  Result<ReleaseWatch> watch = ReleaseWatch::create(4, 2);
  ASSERT_TRUE(watch);
  const pid_t process = start_sleeping_child();
  const pid_t other = start_sleeping_child();
  EXPECT_TRUE(watch->add_process(0, pidfd_of(process)));
  EXPECT_TRUE(watch->add_process(1, pidfd_of(other)));

  watch->remove_processes(0);
  EXPECT_EQ(watch->processes(0), 0U);
  end(process);
  EXPECT_FALSE(watch->take());
  end(other);
  EXPECT_EQ(watch->take(), 1U);
}

/// A program that another thread starts has copies of all descriptors until it is executed.
TEST(ReleaseWatch, APidfdOfWhichThereIsACopyElsewhereTellsOnce) {
  Result<ReleaseWatch> watch = ReleaseWatch::create(4, 2);
  ASSERT_TRUE(watch);
  const pid_t process = start_sleeping_child();
  const pid_t removed = start_sleeping_child();
  std::vector<base::Fd> copies;
  for (const pid_t pid : {process, removed}) {
    base::Fd pidfd = pidfd_of(pid);
    copies.emplace_back(::dup(pidfd.get()));
    EXPECT_TRUE(watch->add_process(pid == removed ? 1 : 0, std::move(pidfd)));
  }
  watch->remove_processes(1);
  end(process);
  end(removed);

  EXPECT_EQ(watch->take(), 0U);
  pollfd ready{.fd = watch->descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&ready, 1, 0), 0) << "it would be told of for as long as there is a copy";
}

}  // namespace
}  // namespace evictd::enforce
