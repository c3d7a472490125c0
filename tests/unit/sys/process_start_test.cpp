// SPDX-License-Identifier: Apache-2.0
#include "sys/process_start.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "base/system_clock.h"
#include "support/sleeping_child.h"

namespace evictd::sys {
namespace {

/// The kernel rounds down.
constexpr Duration kTick = std::chrono::milliseconds(10);

TEST(ProcessStart, LiesBetweenTheMomentsAroundTheFork) {
  const base::SystemClock clock;
  const MonoTime before = clock.now();
  const pid_t pid = evictd::test::start_sleeping_child();
  const MonoTime after = clock.now();
  const CallResult<MonoTime> began = process_start(pid);
  ASSERT_TRUE(began);
  EXPECT_GE(*began, before - kTick);
  EXPECT_LE(*began, after);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  EXPECT_EQ(process_start(pid).error(), std::errc::no_such_file_or_directory);
}

TEST(ProcessStart, OfTheParentIsNotLaterThanOurs) {
  const CallResult<MonoTime> parent = process_start(::getppid());
  const CallResult<MonoTime> own = process_start(::getpid());
  ASSERT_TRUE(parent && own);
  EXPECT_LE(*parent, *own);
}

}  // namespace
}  // namespace evictd::sys
