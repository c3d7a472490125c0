// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

#include "base/system_clock.h"
#include "enforce/eldest.h"
#include "enforce/process_signaller.h"
#include "private_pod.h"
#include "support/sleeping_child.h"

namespace evictd::enforce::test {
namespace {

/// The moment between listing a pod's processes and signalling them, held open.
class ProcessIdentity : public testing::Test {
 protected:
  void SetUp() override {
    if (!pod_.missing().empty()) {
      GTEST_SKIP() << pod_.missing();
    }
  }

  SignalReport report_{.ticket = {.slot = 0, .generation = 1}, .signal = SIGKILL};
  PrivatePod pod_{PrivatePod::Kind::kV1MemoryOnly};
  base::SystemClock clock_;
  ActuatorCounters counters_;
  ReleaseWatch watch_ = std::move(*ReleaseWatch::create(16, 1));
  ProcessSignaller signaller_{
      {.clock = &clock_, .batch = 16, .max_processes = 64}, counters_, watch_};
};

/// Starts a process with the number `pid` outside the pod; -1 if somebody else has it already.
pid_t start_with_number(pid_t pid) {
  std::array<pid_t, 1> wanted{pid};
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = reinterpret_cast<std::uint64_t>(wanted.data());
  arguments.set_tid_size = wanted.size();
  const long child = ::syscall(SYS_clone3, &arguments, sizeof(arguments));
  if (child == 0) {
    while (true) {
      ::pause();
    }
  }
  return static_cast<pid_t>(child);
}

TEST_F(ProcessIdentity, AProcessThatLeftThePodAfterItWasListedIsNotSignalled) {
  const pid_t process = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  ASSERT_EQ(signaller_.list(target, ListScope::kAll).pids, std::vector{process});
  const std::filesystem::path pod = pod_.directories()[0];
  write_file(pod.parent_path() / "cgroup.procs", std::to_string(process));

  signaller_.signal_listed(target, report_);

  EXPECT_EQ(report_.processes, 0U);
  EXPECT_EQ(report_.gone, 1U);
  EXPECT_TRUE(alive(process));
}

TEST_F(ProcessIdentity, ProcessThatReusedAListedPidIsNotSignalled) {
  const pid_t victim = pod_.start(Behaviour::kSleep);
  KillTarget& target = pod_.target();
  ASSERT_EQ(signaller_.list(target, ListScope::kAll).pids, std::vector{victim});
  ::kill(victim, SIGKILL);
  await_end(victim);
  const pid_t stranger = start_with_number(victim);
  if (stranger < 0) {
    GTEST_SKIP() << "clone3 with set_tid failed with errno " << errno
                 << ": somebody else got the number first, or no CAP_SYS_ADMIN";
  }
  ASSERT_EQ(stranger, victim);

  signaller_.signal_listed(target, report_);

  EXPECT_EQ(report_.processes, 0U);
  EXPECT_EQ(report_.gone, 1U);
  EXPECT_TRUE(alive(stranger));
  ::kill(stranger, SIGKILL);
  await_end(stranger);
}

TEST_F(ProcessIdentity, TheListIsTrueEvenThoughTheKernelKeepsAnOldOneForASecond) {
  KillTarget& target = pod_.target();
  EXPECT_TRUE(signaller_.list(target, ListScope::kAll).pids.empty());
  for (std::size_t started = 1; started < 2 * kFreshProcs; ++started) {
    pod_.start(Behaviour::kSleep);
    EXPECT_EQ(signaller_.list(target, ListScope::kAll).pids.size(), started);
  }
  EXPECT_EQ(counters_.reopened_procs, kFreshProcs);
}

TEST_F(ProcessIdentity, MoreProcessesThanABatchAreSignalledInSeveral) {
  for (int i = 0; i < 40; ++i) {
    pod_.start(Behaviour::kIgnoreTerm);
  }
  KillTarget& target = pod_.target();
  signaller_.list(target, ListScope::kAll);

  signaller_.signal_listed(target, report_);
  EXPECT_TRUE(signaller_.signal_rest(target, report_));

  EXPECT_EQ(report_.processes, 40U);
}

TEST(Eldest, IsTheAncestorThatIsListedWhateverItsNumber) {
  ProcessList list(4);
  const pid_t child = evictd::test::start_sleeping_child();
  ASSERT_GT(child, 0);
  list.pids = {child};
  EXPECT_EQ(eldest_of(child, list), child) << "its parent is not of the pod";
  list.pids = {::getpid(), child};
  std::sort(list.pids.begin(), list.pids.end());
  EXPECT_EQ(eldest_of(child, list), ::getpid());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(eldest_of(child, list), child) << "it is gone";
}

}  // namespace
}  // namespace evictd::enforce::test
