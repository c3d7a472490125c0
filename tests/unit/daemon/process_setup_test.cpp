// SPDX-License-Identifier: Apache-2.0
#include "daemon/process_setup.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace evictd::daemon {
namespace {

/// Exit status 0 if a write to a pipe that nobody reads fails and does no more.
[[noreturn]] void write_for_nobody() {
  ignore_broken_pipes();
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) {
    ::_exit(2);
  }
  ::close(pipe[0]);
  const bool failed = ::write(pipe[1], "x", 1) < 0 && errno == EPIPE;
  ::_exit(failed ? 0 : 1);
}

TEST(ProcessSetup, AReaderOfTheLogThatIsGoneEndsNobody) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    write_for_nobody();
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace evictd::daemon
