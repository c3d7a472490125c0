// SPDX-License-Identifier: Apache-2.0
#include "harness/private_ground.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/idle_pods.h"
#include "support/tasks.h"

namespace evictd::bench {
namespace {

TEST(PrivateGround, IsRemovedWithItsObject) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root for cgroups";
  }
  std::filesystem::path cgroup;
  std::filesystem::path directory;
  {
    const Result<PrivateGround> ground = PrivateGround::create();
    ASSERT_TRUE(ground) << ground.error().message();
    cgroup = ground->tree.memory_directory();
    directory = ground->scratch.path();
    EXPECT_TRUE(std::filesystem::is_directory(cgroup));
    EXPECT_TRUE(std::filesystem::is_directory(directory));
  }
  EXPECT_FALSE(std::filesystem::exists(cgroup));
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST(IdlePods, HaveAProcessInEachOfTheirContainers) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root for cgroups";
  }
  Result<PrivateGround> ground = PrivateGround::create();
  ASSERT_TRUE(ground) << ground.error().message();
  const Result<ForkedProcesses> idle = start_idle_pods(ground->tree, 3, 4);
  ASSERT_TRUE(idle) << idle.error().message();
  constexpr int kTasks = 12 * test::kTasksOfAForkedProcess;
  while (ground->tree.tasks().value() < kTasks) {
    ::sched_yield();
  }
  EXPECT_EQ(ground->tree.tasks().value(), kTasks);
  int containers = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ground->tree.memory_directory())) {
    const std::string name = entry.path().filename();
    containers += entry.is_directory() && name.size() == 64 ? 1 : 0;
  }
  EXPECT_EQ(containers, 12);
}

TEST(VirtualMachine, IsRequiredOfABenchThatExhaustsTheMachine) {
  const char* given = std::getenv("EVICTD_VM");
  const std::optional<std::string> before =
      given == nullptr ? std::nullopt : std::optional<std::string>{given};
  ::unsetenv("EVICTD_VM");
  const Result<> refused = require_virtual_machine("fork_race", "pids");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUnsupported);
  EXPECT_NE(refused.error().message().find("scripts/bench-in-vm fork_race"), std::string::npos);
  ::setenv("EVICTD_VM", "1", 1);
  EXPECT_TRUE(require_virtual_machine("fork_race", "pids"));
  if (before) {
    ::setenv("EVICTD_VM", before->c_str(), 1);
  } else {
    ::unsetenv("EVICTD_VM");
  }
}

}  // namespace
}  // namespace evictd::bench
