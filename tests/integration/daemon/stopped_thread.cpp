// SPDX-License-Identifier: Apache-2.0
#include "stopped_thread.h"

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

namespace evictd::daemon::test {

StoppedThread::StoppedThread(pid_t thread) : thread_(thread) {
  // Unlike SIGSTOP, which would stop all threads of the process.
  EXPECT_EQ(::ptrace(PTRACE_SEIZE, thread_, nullptr, nullptr), 0);
  EXPECT_EQ(::ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr), 0);
  int status = 0;
  EXPECT_EQ(::waitpid(thread_, &status, __WALL), thread_);
  EXPECT_TRUE(WIFSTOPPED(status));
}

StoppedThread::~StoppedThread() {
  EXPECT_EQ(::ptrace(PTRACE_DETACH, thread_, nullptr, nullptr), 0);
}

}  // namespace evictd::daemon::test
