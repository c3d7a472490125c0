// SPDX-License-Identifier: Apache-2.0
#include "harness/private_ground.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

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
