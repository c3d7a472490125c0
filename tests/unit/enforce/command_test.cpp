// SPDX-License-Identifier: Apache-2.0
#include "enforce/command.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>

#include "base/fd.h"
#include "base/timer.h"

namespace evictd::enforce {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

Result<CommandEnd> shell(const std::string& script, Duration timeout = minutes(1), int stop = -1) {
  return run_command({.argv = {"/bin/sh", "-c", script}, .timeout = timeout, .stop_fd = stop});
}

TEST(Command, GivesStatusAndWhatItWrote) {
  const Result<CommandEnd> end = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->text(), "exit status 3");
  EXPECT_FALSE(end->succeeded());
  EXPECT_EQ(end->output, "out\nerr\n");
}

TEST(Command, KeepsTheStartOfALongOutputAndReadsAllOfIt) {
  const Result<CommandEnd> end = shell("head -c 1000000 /dev/zero | tr '\\0' x");
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->succeeded());
  EXPECT_EQ(end->output.size(), std::size_t{16} * 1024);
}

TEST(Command, AtItsTimeoutTheWholeGroupIsKilled) {
  const Result<CommandEnd> end = shell("/bin/sleep 600 & echo $!; wait", milliseconds(300));
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->timed_out);
  const auto child = static_cast<pid_t>(std::stol(end->output));
  const base::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  pollfd dead{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  EXPECT_TRUE(!pidfd || ::poll(&dead, 1, 60'000) == 1) << "what it left behind lives on";
}

TEST(Command, OneThatWritesForEverEndsAtItsTimeout) {
  // Two writers, so that the pipe is refilled faster than it is read.
  const Result<CommandEnd> end = shell("yes & exec yes", milliseconds(300));
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->timed_out);
  EXPECT_LE(end->output.size(), std::size_t{16} * 1024);
}

TEST(Command, WhatItLeavesBehindMayWriteForEver) {
  const Result<CommandEnd> end = shell("yes & exit 3");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->text(), "exit status 3");
  EXPECT_LE(end->output.size(), std::size_t{16} * 1024);
}

TEST(Command, EndsWhenItIsTold) {
  const base::WakeUp stop = base::WakeUp::create().value();
  stop.signal();
  const Result<CommandEnd> end = shell("exec /bin/sleep 600", minutes(5), stop.descriptor());
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->stopped);
}

TEST(Command, AProgramThatIsNotThereIsNamed) {
  const Result<CommandEnd> end = run_command({.argv = {"/no/such/program"}, .timeout = minutes(1)});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Errc::kNotFound);
  EXPECT_NE(end.error().message().find("/no/such/program"), std::string::npos);
}

}  // namespace
}  // namespace evictd::enforce
