// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/fd.h"
#include "load/stamp_log.h"
#include "support/tasks.h"
#include "support/temporary_directory.h"

namespace evictd::load {
namespace {

/// evict-load in a directory of its own, ended and removed with the test.
class EvictLoad : public testing::Test {
 protected:
  void TearDown() override {
    if (pid_ > 0) {
      // The group: children of the forks load outlive their parent.
      ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  [[nodiscard]] std::string path() const { return directory_.path(); }
  [[nodiscard]] std::string stamps_path() const { return path() + "/stamps"; }

  void start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), EVICT_LOAD);
    arguments.insert(arguments.end(), {"--stamps", stamps_path()});
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    std::array<int, 2> input{};
    ASSERT_EQ(::pipe2(input.data(), O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(input[0], STDIN_FILENO);
      ::execv(EVICT_LOAD, argv.data());
      ::_exit(127);
    }
    ::close(input[0]);
    input_ = base::Fd(input[1]);
  }

  /// The log once it shows what `ready` wants; the test fails if the load ends before.
  std::optional<StampLog> log_when(const std::function<bool(const StampLog&)>& ready) {
    while (true) {
      Result<StampLog> log = StampLog::open(stamps_path());
      if (log && ready(*log)) {
        return std::move(*log);
      }
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        ADD_FAILURE() << "evict-load ended with status " << status;
        return std::nullopt;
      }
      ::sched_yield();
    }
  }

  static std::function<bool(const StampLog&)> in_state(LoadState state) {
    return [state](const StampLog& log) { return log.state() == state; };
  }

  int end_status() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

  /// Where files without names can be made, which overlayfs could not before kernel 6.3.
  test::TemporaryDirectory directory_{"/dev/shm"};
  base::Fd input_;
  pid_t pid_ = -1;
};

TEST_F(EvictLoad, MemoryGrowsToItsCapAndHolds) {
  start({"memory", "--cap", "8Mi"});
  const std::optional<StampLog> log = log_when(in_state(LoadState::kHolding));

  ASSERT_TRUE(log);
  EXPECT_EQ(log->kind(), LoadKind::kMemory);
  EXPECT_EQ(log->pid(), pid_);
  EXPECT_EQ(log->count(), 32U);
  EXPECT_EQ(log->last()->total, 8U << 20);
  for (std::uint64_t n = 1; n < log->count(); ++n) {
    EXPECT_LE(log->at(n)->start_ns, log->at(n)->end_ns);
    EXPECT_LE(log->at(n - 1)->end_ns, log->at(n)->start_ns);
  }
}

TEST_F(EvictLoad, NothingIsStampedBeforeTheStart) {
  start({"memory", "--cap", "2Mi", "--parked", "1Mi", "--start", "stdin"});
  const std::optional<StampLog> waiting = log_when(in_state(LoadState::kWaiting));
  ASSERT_TRUE(waiting);
  EXPECT_EQ(waiting->count(), 0U);

  ASSERT_EQ(::write(input_.get(), "\n", 1), 1);
  const std::optional<StampLog> log = log_when(in_state(LoadState::kHolding));
  ASSERT_TRUE(log);
  EXPECT_EQ(log->count(), 4U);
  EXPECT_EQ(log->at(0)->total, (1U << 20) + (256U << 10));
}

TEST_F(EvictLoad, ASignalStartsItAndTheStampsSurviveItsKill) {
  start({"memory", "--start", "signal", "--cap", "4Mi"});
  ASSERT_TRUE(log_when(in_state(LoadState::kWaiting)));
  ::kill(pid_, SIGUSR1);
  const std::optional<StampLog> log = log_when(in_state(LoadState::kHolding));
  ASSERT_TRUE(log);
  ::kill(pid_, SIGKILL);

  EXPECT_EQ(WTERMSIG(end_status()), SIGKILL);
  EXPECT_EQ(log->last()->total, 4U << 20);
}

TEST_F(EvictLoad, SigtermEndsItUnlessItIsToldToIgnoreThat) {
  start({"sleep"});
  ASSERT_TRUE(log_when(in_state(LoadState::kHolding)));
  ::kill(pid_, SIGTERM);
  EXPECT_EQ(WTERMSIG(end_status()), SIGTERM);
  ::unlink(stamps_path().c_str());

  start({"sleep", "--ignore-term"});
  ASSERT_TRUE(log_when(in_state(LoadState::kHolding)));
  ::kill(pid_, SIGTERM);
  ::kill(pid_, SIGINT);
  EXPECT_EQ(WTERMSIG(end_status()), SIGINT);
}

TEST_F(EvictLoad, ItsRateIsKeptByTheStampsThemselves) {
  // 64 batches a second: the last of 17 may not start before a quarter of a second has passed.
  start({"memory", "--cap", "4352Ki", "--rate", "16Mi"});
  const std::optional<StampLog> log = log_when(in_state(LoadState::kHolding));

  ASSERT_TRUE(log);
  ASSERT_EQ(log->count(), 17U);
  EXPECT_GE(log->last()->start_ns - log->at(0)->start_ns, 240'000'000U);
}

TEST_F(EvictLoad, ForksSleepAndAreCounted) {
  start({"forks", "--cap", "20"});
  const std::optional<StampLog> log = log_when(in_state(LoadState::kHolding));

  ASSERT_TRUE(log);
  EXPECT_EQ(log->kind(), LoadKind::kForks);
  EXPECT_EQ(log->last()->total, 20U);
}

TEST_F(EvictLoad, ForksThatTheKernelRefusesAreCountedAndTriedAgain) {
  const std::string alone = "/sys/fs/cgroup/pids";
  const std::string hierarchy =
      std::filesystem::exists(alone + "/cgroup.procs") ? alone : "/sys/fs/cgroup";
  const std::string cgroup = hierarchy + "/evictd-test-forks-" + std::to_string(::getpid());
  std::error_code failed;
  std::filesystem::create_directory(cgroup, failed);
  if (!std::filesystem::exists(cgroup + "/pids.max")) {
    std::filesystem::remove(cgroup, failed);
    GTEST_SKIP() << "no pids controller at /sys/fs/cgroup";
  }
  std::ofstream(cgroup + "/pids.max") << 5;
  start({"forks", "--cap", "20", "--cgroup", cgroup});
  const std::optional<StampLog> log =
      log_when([](const StampLog& seen) { return seen.refused() > 1; });
  if (log && test::kTasksOfAForkedProcess == 1) {
    // With itself five.
    EXPECT_EQ(log->last()->total, 4U);
  } else if (log) {
    // Their further threads take a part of the five.
    EXPECT_LT(log->last()->total, 4U);
  }
  ::kill(-pid_, SIGKILL);
  end_status();
  while (!std::filesystem::remove(cgroup, failed) && failed == std::errc::device_or_resource_busy) {
    ::sched_yield();
  }
  EXPECT_FALSE(failed) << failed.message();
}

TEST_F(EvictLoad, FillMakesFilesThatStay) {
  start({"fill", "--dir", path(), "--cap", "3Mi"});
  ASSERT_TRUE(log_when(in_state(LoadState::kHolding)));

  EXPECT_EQ(std::filesystem::file_size(path() + "/evict-load-" + std::to_string(pid_) + "-0"),
            3U << 20);
}

TEST_F(EvictLoad, FillMakesInodes) {
  start({"fill", "--dir", path(), "--with", "inodes", "--cap", "10"});
  const std::optional<StampLog> log = log_when(in_state(LoadState::kHolding));

  ASSERT_TRUE(log);
  EXPECT_EQ(log->kind(), LoadKind::kInodes);
  EXPECT_TRUE(std::filesystem::exists(path() + "/evict-load-" + std::to_string(pid_) + "-9"));
}

TEST_F(EvictLoad, EveryKindOfMemoryReachesItsCap) {
  for (const std::vector<std::string>& kind :
       {std::vector<std::string>{"--kind", "shmem"},
        std::vector<std::string>{"--kind", "file", "--dir", path()},
        std::vector<std::string>{"--content", "mixed"},
        std::vector<std::string>{"--page-size", "thp"}}) {
    std::vector<std::string> arguments{"memory", "--cap", "4Mi"};
    arguments.insert(arguments.end(), kind.begin(), kind.end());
    start(arguments);
    const std::optional<StampLog> log = log_when(in_state(LoadState::kHolding));
    ASSERT_TRUE(log) << kind[1];
    EXPECT_EQ(log->last()->total, 4U << 20) << kind[1];
    ::kill(pid_, SIGKILL);
    end_status();
    ::unlink(stamps_path().c_str());
  }
}

TEST_F(EvictLoad, ItEntersTheCgroupBeforeItAllocates) {
  const std::string cgroup = "/sys/fs/cgroup/memory/evictd-test-load-" + std::to_string(::getpid());
  std::error_code failed;
  std::filesystem::create_directory(cgroup, failed);
  const std::string usage = cgroup + "/memory.usage_in_bytes";
  if (!std::filesystem::exists(usage)) {
    std::filesystem::remove(cgroup, failed);
    GTEST_SKIP() << "no cgroup v1 memory hierarchy at /sys/fs/cgroup/memory";
  }
  start({"memory", "--cap", "16Mi", "--cgroup", cgroup, "--usage-file", usage});
  const std::optional<StampLog> log = log_when(in_state(LoadState::kHolding));
  if (log) {
    EXPECT_GE(log->last()->usage, 16 << 20);
  }
  ::kill(pid_, SIGKILL);
  end_status();
  EXPECT_TRUE(std::filesystem::remove(cgroup, failed));
}

TEST_F(EvictLoad, WrongUsageIsStatusTwoAndAFailureStatusOne) {
  start({"memory", "--cap", "12 apples"});
  EXPECT_EQ(WEXITSTATUS(end_status()), 2);
  start({"fill", "--cap", "1", "--dir", "/proc", "--ignore-term=3"});
  EXPECT_EQ(WEXITSTATUS(end_status()), 2) << "a flag takes no value";
  start({"fill", "--cap", "1", "--dir", "/proc"});
  EXPECT_EQ(WEXITSTATUS(end_status()), 1);
}

}  // namespace
}  // namespace evictd::load
