// SPDX-License-Identifier: Apache-2.0
#include "sys/cgroup_layout.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/fake_cgroups.h"

namespace evictd::sys {
namespace {

using testing::Test;

class LayoutOfFakeTree : public Test {
 protected:
  [[nodiscard]] Result<CgroupLayout> detect() const { return CgroupLayout::detect(root_); }

  test::FakeTree tree_;
  Root root_ = *Root::open(tree_.path());
};

TEST_F(LayoutOfFakeTree, FindsV1ControllersWithTheirHierarchyIds) {
  test::make_hybrid(tree_);
  const Result<CgroupLayout> layout = detect();
  ASSERT_TRUE(layout) << layout.error().message();
  EXPECT_EQ(layout->memory(), (Hierarchy{CgroupVersion::kV1, 4, "/sys/fs/cgroup/memory"}));
  EXPECT_EQ(layout->pids(), (Hierarchy{CgroupVersion::kV1, 8, "/sys/fs/cgroup/pids"}));
  EXPECT_EQ(layout->freezer(), (Hierarchy{CgroupVersion::kV1, 6, "/sys/fs/cgroup/freezer"}));
}

TEST_F(LayoutOfFakeTree, CallsACgroup2MountBesideV1Hybrid) {
  test::make_hybrid(tree_);
  const Result<CgroupLayout> layout = detect();
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->mode(), CgroupMode::kHybrid);
  EXPECT_EQ(layout->unified(), (Hierarchy{CgroupVersion::kV2, 0, "/sys/fs/cgroup/unified"}));
}

TEST_F(LayoutOfFakeTree, FindsEveryControllerOnCgroup2) {
  test::make_unified(tree_);
  const Result<CgroupLayout> layout = detect();
  ASSERT_TRUE(layout) << layout.error().message();
  const Hierarchy unified{CgroupVersion::kV2, 0, "/sys/fs/cgroup"};
  EXPECT_EQ(layout->mode(), CgroupMode::kV2);
  EXPECT_EQ(layout->memory(), unified);
  EXPECT_EQ(layout->pids(), unified);
  EXPECT_EQ(layout->freezer(), unified);
}

TEST_F(LayoutOfFakeTree, TakesPidsFromCgroup2WhereOnlyMemoryIsOnV1) {
  test::make_hybrid(tree_);
  tree_.write("/proc/self/mountinfo",
              "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
              "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  tree_.write("/proc/cgroups", "memory\t4\t14\t1\n");
  tree_.write("/proc/self/cgroup", "4:memory:/\n0::/\n");
  tree_.write("/sys/fs/cgroup/unified/cgroup.controllers", "cpu pids\n");
  const Result<CgroupLayout> layout = detect();
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->pids(), (Hierarchy{CgroupVersion::kV2, 0, "/sys/fs/cgroup/unified"}));
  EXPECT_FALSE(layout->freezer()) << "freezing in cgroup2 would freeze other cgroups than memory's";
}

TEST_F(LayoutOfFakeTree, FindsControllersThatShareAMount) {
  tree_.write("/proc/self/mountinfo",
              "35 31 0:32 / /cg/both rw - cgroup cgroup rw,xattr,memory,pids\n");
  tree_.write("/proc/self/cgroup", "5:memory,pids:/\n");
  const Result<CgroupLayout> layout = detect();
  ASSERT_TRUE(layout) << layout.error().message();
  EXPECT_EQ(layout->memory(), (Hierarchy{CgroupVersion::kV1, 5, "/cg/both"}));
  EXPECT_EQ(layout->pids(), layout->memory());
  EXPECT_EQ(layout->mode(), CgroupMode::kV1);
}

TEST_F(LayoutOfFakeTree, AMountInAChrootDoesNotWinOverTheUsualOne) {
  test::make_hybrid(tree_);
  tree_.write("/proc/self/mountinfo",
              "20 27 0:32 / /srv/chroot/sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
              "21 27 0:38 / /srv/chroot/sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" +
                  std::string(test::kHybridMounts));
  const Result<CgroupLayout> layout = detect();
  ASSERT_TRUE(layout) << layout.error().message();
  EXPECT_EQ(layout->memory().mount, "/sys/fs/cgroup/memory");
  EXPECT_EQ(layout->unified()->mount, "/sys/fs/cgroup/unified");
}

TEST_F(LayoutOfFakeTree, TheWholeHierarchyWinsOverAPartAtTheUsualPlace) {
  test::make_hybrid(tree_);
  tree_.write("/proc/self/mountinfo",
              "35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
              "36 31 0:32 / /host/memory rw - cgroup cgroup rw,memory\n");
  const Result<CgroupLayout> layout = detect();
  ASSERT_TRUE(layout) << layout.error().message();
  EXPECT_EQ(layout->memory().mount, "/host/memory");
}

TEST_F(LayoutOfFakeTree, TakesTheIdsFromProcCgroupsWithoutProcSelfCgroup) {
  test::make_hybrid(tree_);
  tree_.remove("/proc/self/cgroup");
  const Result<CgroupLayout> layout = detect();
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->memory().id, 4U);
}

TEST_F(LayoutOfFakeTree, SaysWhatIsThereInsteadOfAMemoryController) {
  test::make_unified(tree_);
  tree_.write("/sys/fs/cgroup/cgroup.controllers", "cpu io pids\n");
  const Result<CgroupLayout> layout = detect();
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, Errc::kUnsupported);
  EXPECT_EQ(layout.error().message(),
            "no cgroup memory controller: cgroup2 is mounted at /sys/fs/cgroup without it and no "
            "cgroup v1 mount has it; boot with cgroup_enable=memory, or mount cgroup2, or mount -t "
            "cgroup -o memory");
}

TEST_F(LayoutOfFakeTree, SaysThatNothingIsMounted) {
  tree_.write("/proc/self/mountinfo", "27 1 254:0 / / rw - ext4 /dev/vda rw\n");
  const Result<CgroupLayout> layout = detect();
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, Errc::kUnsupported);
  EXPECT_NE(layout.error().message().find("no cgroup2 mount"), std::string::npos);
}

TEST_F(LayoutOfFakeTree, SaysThatProcMayNotBeMounted) {
  const Result<CgroupLayout> layout = detect();
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, Errc::kNotFound);
  EXPECT_NE(layout.error().message().find("is /proc mounted?"), std::string::npos);
}

TEST_F(LayoutOfFakeTree, GivesTheInodeOfTheDirectoryAsId) {
  test::make_hybrid(tree_);
  test::make_v1_cgroup(tree_, "/kubepods/podx");
  const CgroupLayout layout = *detect();
  struct stat status {};
  ASSERT_EQ(::stat(tree_.real("/sys/fs/cgroup/pids/kubepods/podx").c_str(), &status), 0);
  EXPECT_EQ(cgroup_id(root_, *layout.pids(), "/kubepods/podx").value(),
            (CgroupId{8, status.st_ino}));
  EXPECT_EQ(cgroup_id(root_, *layout.pids(), "/none").error().code, Errc::kNotFound);
}

TEST_F(LayoutOfFakeTree, LooksForProcessesInTheWholeV1Subtree) {
  test::make_hybrid(tree_);
  test::make_v1_cgroup(tree_, "/p");
  test::make_v1_cgroup(tree_, "/p/c/d");
  tree_.write("/sys/fs/cgroup/memory/p/c/cgroup.procs", "");
  const CgroupLayout layout = *detect();
  EXPECT_FALSE(is_populated(root_, layout.memory(), "/p").value());
  tree_.write("/sys/fs/cgroup/memory/p/c/d/cgroup.procs", "17\n");
  EXPECT_TRUE(is_populated(root_, layout.memory(), "/p").value());
  EXPECT_EQ(is_populated(root_, layout.memory(), "/q").error().code, Errc::kNotFound);
}

TEST_F(LayoutOfFakeTree, BelievesCgroupEventsOnV2) {
  test::make_unified(tree_);
  test::make_v2_cgroup(tree_, "/p", true);
  const CgroupLayout layout = *detect();
  EXPECT_TRUE(is_populated(root_, layout.memory(), "/p").value());
  test::make_v2_cgroup(tree_, "/p", false);
  EXPECT_FALSE(is_populated(root_, layout.memory(), "/p").value());
  tree_.write("/sys/fs/cgroup/p/cgroup.events", "frozen 0\n");
  EXPECT_EQ(is_populated(root_, layout.memory(), "/p").error().code, Errc::kMalformed);
}

}  // namespace
}  // namespace evictd::sys
