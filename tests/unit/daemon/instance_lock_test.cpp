// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/instance_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <string>

#include "support/temporary_directory.h"

namespace evictd::daemon {
namespace {

class InstanceLockTest : public testing::Test {
 protected:
  [[nodiscard]] std::string directory() const { return scratch_.path() / "run/evictd"; }
  [[nodiscard]] std::string file() const { return directory() + "/pod-roots.lock"; }
  [[nodiscard]] Result<InstanceLock> acquire(std::uint64_t id) const {
    return InstanceLock::acquire(
        {.lock_directory = directory(), .cgroup = {.id = id}, .directory = "/kubepods"});
  }

 private:
  test::TemporaryDirectory scratch_;
};

/// As the ids of the kernel are: a generation above the number of the inode.
constexpr std::uint64_t kCgroup = (std::uint64_t{3} << 32) + 17;

TEST_F(InstanceLockTest, ASecondOneOfTheSameCgroupIsRefused) {
  const auto first = acquire(kCgroup);
  ASSERT_TRUE(first) << first.error().message();
  const auto second = acquire(kCgroup);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kBusy);
  EXPECT_NE(second.error().message().find("/kubepods is already watched by another evictd"),
            std::string::npos);
}

TEST_F(InstanceLockTest, EndsWithItsOwner) {
  {
    const auto first = acquire(kCgroup);
    ASSERT_TRUE(first);
  }
  EXPECT_TRUE(acquire(kCgroup));
}

TEST_F(InstanceLockTest, TwoCgroupsMayBeWatchedAtOnce) {
  const auto first = acquire(kCgroup);
  ASSERT_TRUE(first);
  {
    const auto other = acquire(kCgroup + 1);
    EXPECT_TRUE(other);
  }
  EXPECT_FALSE(acquire(kCgroup)) << "the end of the other one's took it away";
}

TEST_F(InstanceLockTest, IsForRootAlone) {
  const auto lock = acquire(kCgroup);
  ASSERT_TRUE(lock);
  struct stat status = {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(InstanceLockTest, OfAFileThatOthersMayOpenIsRefused) {
  ASSERT_TRUE(acquire(kCgroup));
  ASSERT_EQ(::chmod(file().c_str(), 0644), 0);
  const auto lock = acquire(kCgroup);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Errc::kPermission);
  EXPECT_NE(lock.error().message().find(file()), std::string::npos);
}

TEST_F(InstanceLockTest, FollowsNoLink) {
  ASSERT_TRUE(acquire(kCgroup));
  ASSERT_EQ(::rename(file().c_str(), (directory() + "/elsewhere").c_str()), 0);
  ASSERT_EQ(::symlink("elsewhere", file().c_str()), 0);
  EXPECT_FALSE(acquire(kCgroup));
}

}  // namespace
}  // namespace evictd::daemon
