// SPDX-License-Identifier: Apache-2.0
// The program as a person runs it: how it ends, and that nothing of it is left.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "stage/child.h"
#include "stage/hierarchies.h"
#include "stage/scratch_directory.h"
#include "stage/text_file.h"

namespace evictd::churn {
namespace {

/// Only a failure waits this long; an emulated machine takes a minute.
constexpr std::chrono::minutes kPatience{4};
constexpr int kLookMs = 20;

class EvictChurn : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root to make cgroups and to load BPF programs";
    }
    Result<stage::ScratchDirectory> made = stage::ScratchDirectory::create("evictd-test-");
    ASSERT_TRUE(made) << made.error().message();
    scratch_.emplace(std::move(*made));
  }

  void start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), EVICT_CHURN);
    Result<stage::Child> child = stage::Child::start({.argv = arguments, .output = output_file()});
    ASSERT_TRUE(child) << child.error().message();
    child_.emplace(std::move(*child));
  }
  /// -1 if a signal ended it, or nothing did.
  [[nodiscard]] int exit_status() {
    const Result<stage::ChildExit> end = child_->wait(kPatience);
    return end && WIFEXITED(end->status) ? WEXITSTATUS(end->status) : -1;
  }
  [[nodiscard]] std::filesystem::path output_file() const { return scratch_->path() / "output"; }
  [[nodiscard]] std::string output() const {
    return stage::read_text(output_file()).value_or(std::string{});
  }
  /// Of its first round on; false if it ends before, or does not get there.
  [[nodiscard]] bool await_output(const std::string& text) const {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (output().find(text) == std::string::npos) {
      pollfd dead{child_->pidfd(), POLLIN, 0};
      if (::poll(&dead, 1, kLookMs) > 0 || std::chrono::steady_clock::now() > deadline) {
        return false;
      }
    }
    return true;
  }
  /// A process that the program started, by the name of its own program.
  [[nodiscard]] base::Fd open_child_called(const std::string& name) const {
    const std::string pid = std::to_string(child_->pid());
    std::ifstream children{"/proc/" + pid + "/task/" + pid + "/children"};
    for (pid_t one = 0; children >> one;) {
      base::Fd process{static_cast<int>(::syscall(SYS_pidfd_open, one, 0))};
      // Looked at with the descriptor open: it is that process or a dead one.
      const std::filesystem::path proc = "/proc/" + std::to_string(one);
      const bool same =
          stage::read_text(proc / "comm").value_or("") == name + "\n" &&
          stage::read_text(proc / "stat").value_or("").find(" " + pid + " ") != std::string::npos;
      if (process && same) {
        return process;
      }
    }
    return {};
  }
  void expect_nothing_left() const {
    const std::string name = "evictd-churn-" + std::to_string(child_->pid());
    const Result<stage::Hierarchies> at = stage::Hierarchies::detect();
    ASSERT_TRUE(at) << at.error().message();
    EXPECT_FALSE(std::filesystem::exists(at->memory / name));
    EXPECT_FALSE(std::filesystem::exists(at->pids / name));
  }

  std::optional<stage::ScratchDirectory> scratch_;
  std::optional<stage::Child> child_;
};

TEST_F(EvictChurn, FindsNothingLostLeakedOrKilledWithoutARecord) {
  // The soak in its shortest form: a minute with its last round and the pod that oscillates. The
  // second round is the first that is compared with an earlier one; one of the virtual machine
  // takes half a minute.
  const bool emulated = std::getenv("EVICTD_VM") != nullptr;
  start(emulated ? std::vector<std::string>{"--rounds", "2"}
                 : std::vector<std::string>{"--seconds", "45"});
  EXPECT_EQ(exit_status(), 0) << output();
  EXPECT_NE(output().find("round 1: "), std::string::npos) << output();
  const std::size_t last = output().rfind("round ");
  ASSERT_NE(last, std::string::npos) << output();
  EXPECT_EQ(output().find(" 0 moved", last), std::string::npos) << output();
  EXPECT_EQ(output().find(" 0 came back", last), std::string::npos) << output();
  EXPECT_NE(output().find("oscillation: 100 swings"), std::string::npos) << output();
  EXPECT_NE(output().find("evict-churn: all right"), std::string::npos) << output();
  expect_nothing_left();
}

TEST_F(EvictChurn, FindsAPodThatSomebodyKilledWithoutARecord) {
  start({"--rounds", "1000", "--seed", "1", "--patience", "3"});
  ASSERT_TRUE(await_output("round 0: ")) << output();
  // One of the two that stay, or one that came since.
  const base::Fd pod = open_child_called("evict-load");
  ASSERT_TRUE(pod);
  ASSERT_EQ(::syscall(SYS_pidfd_send_signal, pod.get(), SIGKILL, nullptr, 0), 0);
  EXPECT_EQ(exit_status(), 1) << output();
  EXPECT_NE(output().find("died of signal 9 without a record"), std::string::npos) << output();
  EXPECT_NE(output().find("was sent signal 9 by process "), std::string::npos) << output();
  EXPECT_NE(output().find("evict-churn: seed 1\n"), std::string::npos) << output();
  expect_nothing_left();
}

TEST_F(EvictChurn, FindsACgroupThatIsLeft) {
  start({"--rounds", "1000", "--patience", "3"});
  ASSERT_TRUE(await_output("round 0: ")) << output();
  const Result<stage::Hierarchies> at = stage::Hierarchies::detect();
  ASSERT_TRUE(at) << at.error().message();
  const std::string name = "evictd-churn-" + std::to_string(child_->pid());
  ASSERT_TRUE(std::filesystem::create_directory(at->memory / name / "kubepods/besteffort/left"));
  EXPECT_EQ(exit_status(), 1) << output();
  EXPECT_NE(output().find("cgroups are below"), std::string::npos) << output();
  expect_nothing_left();
}

TEST_F(EvictChurn, FindsThatTheDaemonDied) {
  start({"--rounds", "1000"});
  ASSERT_TRUE(await_output("round 0: ")) << output();
  const base::Fd daemon = open_child_called("evictd");
  ASSERT_TRUE(daemon);
  ASSERT_EQ(::syscall(SYS_pidfd_send_signal, daemon.get(), SIGKILL, nullptr, 0), 0);
  EXPECT_EQ(exit_status(), 1) << output();
  EXPECT_NE(output().find("evictd has ended"), std::string::npos) << output();
  expect_nothing_left();
}

TEST_F(EvictChurn, FindsThatAPodThatOscillatesCostsTooMuch) {
  start({"--rounds", "1", "--most-cpu", "0.0001"});
  EXPECT_EQ(exit_status(), 1) << output();
  EXPECT_NE(output().find("a pod that oscillates may cost"), std::string::npos) << output();
  expect_nothing_left();
}

TEST_F(EvictChurn, LeavesNothingWhenItIsInterrupted) {
  start({"--rounds", "1000"});
  ASSERT_TRUE(await_output("round 0: ")) << output();
  child_->signal(SIGINT);
  EXPECT_EQ(exit_status(), 130) << output();
  expect_nothing_left();
}

TEST_F(EvictChurn, RefusesRoundsAndSecondsTogether) {
  start({"--rounds", "1", "--seconds", "1"});
  EXPECT_EQ(exit_status(), 2) << output();
}

}  // namespace
}  // namespace evictd::churn
