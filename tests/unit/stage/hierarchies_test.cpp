// SPDX-License-Identifier: Apache-2.0
#include "stage/hierarchies.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/fake_cgroups.h"

namespace evictd::stage {
namespace {

class HierarchiesOfFakeTree : public testing::Test {
 protected:
  [[nodiscard]] Result<Hierarchies> detect() const { return Hierarchies::detect(tree_.path()); }
  void mount(std::string_view lines) const { tree_.write("/proc/self/mountinfo", lines); }

  test::FakeTree tree_;
};

TEST_F(HierarchiesOfFakeTree, AreTwoOnV1) {
  mount(test::kHybridMounts);
  const Result<Hierarchies> found = detect();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->version, CgroupVersion::kV1);
  EXPECT_EQ(found->memory, "/sys/fs/cgroup/memory");
  EXPECT_EQ(found->pids, "/sys/fs/cgroup/pids");
}

TEST_F(HierarchiesOfFakeTree, AreOneOnV2) {
  mount(test::kUnifiedMounts);
  tree_.write("/sys/fs/cgroup/cgroup.controllers", "cpu memory pids\n");
  const Result<Hierarchies> found = detect();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_TRUE(found->unified());
  EXPECT_EQ(found->memory, "/sys/fs/cgroup");
  EXPECT_EQ(found->pids, "/sys/fs/cgroup");
}

TEST_F(HierarchiesOfFakeTree, AreNotThoseOfAChrootBeforeOrAfterTheUsualOnes) {
  const std::string chroot =
      "50 27 0:32 / /srv/jail/sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "51 27 0:36 / /srv/jail/sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";
  const std::string usual(test::kHybridMounts);
  for (const std::string& lines : {usual + chroot, chroot + usual}) {
    mount(lines);
    const Result<Hierarchies> found = detect();
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->memory, "/sys/fs/cgroup/memory");
    EXPECT_EQ(found->pids, "/sys/fs/cgroup/pids");
  }
}

TEST_F(HierarchiesOfFakeTree, AreTheFirstOfSeveralAtTheUsualPlace) {
  mount(std::string(test::kHybridMounts) +
        "60 31 0:32 / /sys/fs/cgroup/again rw - cgroup cgroup rw,memory\n");
  const Result<Hierarchies> found = detect();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->memory, "/sys/fs/cgroup/memory");
}

TEST_F(HierarchiesOfFakeTree, AreNotAPartThatWasMountedForAContainer) {
  mount(
      "35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "36 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
      "37 31 0:32 / /host/memory rw - cgroup cgroup rw,memory\n");
  const Result<Hierarchies> found = detect();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->memory, "/host/memory");
}

TEST_F(HierarchiesOfFakeTree, NeedBothControllers) {
  mount(
      "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  tree_.write("/sys/fs/cgroup/unified/cgroup.controllers", "cpu\n");
  const Result<Hierarchies> found = detect();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::kUnsupported);
}

}  // namespace
}  // namespace evictd::stage
