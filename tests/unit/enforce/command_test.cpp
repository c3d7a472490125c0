// SPDX-License-Identifier: Apache-2.0
#include "enforce/command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
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

/// What evictd has for itself, given to this process as far as it may have it, until the end.
class AsEvictd {
 public:
  AsEvictd() {
    // Lower than 0 takes CAP_SYS_RESOURCE; what is to be seen is that it is not handed on.
    if (!try_score("-500")) {
      EXPECT_TRUE(try_score("300"));
    }
    ::getrlimit(RLIMIT_NOFILE, &descriptors_);
    const rlimit all{.rlim_cur = descriptors_.rlim_max, .rlim_max = descriptors_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &all);
    ::getrlimit(RLIMIT_RTTIME, &real_time_);
    const rlimit short_time{.rlim_cur = 200'000, .rlim_max = real_time_.rlim_max};
    ::setrlimit(RLIMIT_RTTIME, &short_time);
    ::getrlimit(RLIMIT_MEMLOCK, &locked_);
    const rlimit any{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    ::setrlimit(RLIMIT_MEMLOCK, &any);
  }
  AsEvictd(const AsEvictd&) = delete;
  AsEvictd& operator=(const AsEvictd&) = delete;
  ~AsEvictd() {
    EXPECT_TRUE(try_score("0"));
    ::setrlimit(RLIMIT_NOFILE, &descriptors_);
    ::setrlimit(RLIMIT_RTTIME, &real_time_);
    ::setrlimit(RLIMIT_MEMLOCK, &locked_);
  }

 private:
  static bool try_score(const char* score) {
    std::ofstream out("/proc/self/oom_score_adj");
    out << score << std::flush;
    return out.good();
  }

  rlimit descriptors_{};
  rlimit real_time_{};
  rlimit locked_{};
};

/// What the command `script` says, without the line end.
std::string said_by(const std::string& script) {
  const Result<CommandEnd> end = shell(script);
  if (!end || !end->succeeded()) {
    ADD_FAILURE() << script << ": " << (end ? end->output : end.error().message());
    return {};
  }
  return end->output.substr(0, end->output.find_last_not_of('\n') + 1);
}

TEST(Command, HasAnOrdinaryOomScore) {
  const AsEvictd evictd;
  EXPECT_EQ(said_by("cat /proc/self/oom_score_adj"), "0");
}

TEST(Command, LocksNoMemoryAndMayNotLockMuch) {
  const AsEvictd evictd;
  EXPECT_EQ(said_by("grep VmLck /proc/self/status | tr -d '\\t '"), "VmLck:0kB");
  EXPECT_LE(std::stol(said_by("ulimit -H -l")), 8192) << "KiB";
}

TEST(Command, InheritsNoDescriptor) {
  const base::Fd leaked(::open("/dev/null", O_RDONLY));  // NOLINT: without O_CLOEXEC on purpose
  // ls(1) itself has one open for the directory that it lists.
  EXPECT_EQ(said_by("ls /proc/self/fd | tr '\\n' ' '"), "0 1 2 3 ");
}

TEST(Command, HasTheLimitsOfAnOrdinaryService) {
  const AsEvictd evictd;
  EXPECT_EQ(said_by("ulimit -S -n"), "1024");
  EXPECT_EQ(said_by("grep 'realtime priority' /proc/self/limits | tr -s ' '"),
            "Max realtime priority 0 0 ");
  EXPECT_NE(said_by("grep 'realtime timeout' /proc/self/limits | tr -s ' '").find("unlimited"),
            std::string::npos);
}

TEST(Command, StaysInTheCgroupsOfItsCaller) {
  std::ifstream own("/proc/self/cgroup");
  std::string text{std::istreambuf_iterator<char>(own), {}};
  EXPECT_EQ(said_by("cat /proc/self/cgroup") + "\n", text);
}

TEST(Command, BlocksAndIgnoresNoSignal) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const std::string seen = said_by("grep -E '^Sig(Blk|Ign)' /proc/self/status | tr -d '\\t\\n'");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(seen, "SigBlk:0000000000000000SigIgn:0000000000000000");
}

}  // namespace
}  // namespace evictd::enforce
