// SPDX-License-Identifier: Apache-2.0
#include "sys/cgroup_files.h"

#include <gtest/gtest.h>

#include "support/fake_cgroups.h"
#include "sys/kernel_text.h"

namespace evictd::sys {
namespace {

constexpr MonoTime kNow{Duration{1234}};

class FilesOfFakeTree : public testing::Test {
 protected:
  [[nodiscard]] Result<CgroupFiles> open(std::string_view path,
                                         CgroupFileSet set = CgroupFileSet::kPod) const {
    return CgroupFiles::open(root_, *CgroupLayout::detect(root_), path, set);
  }

  test::FakeTree tree_;
  Root root_ = *Root::open(tree_.path());
  ReadBuffer buffer_{};
  CgroupUsage usage_;
};

TEST_F(FilesOfFakeTree, ReadV1WithTheTotalsOfTheSubtree) {
  test::make_hybrid(tree_);
  test::make_v1_cgroup(tree_, "/p");
  ASSERT_EQ(open("/p")->read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.usage, Bytes{1048576});
  EXPECT_EQ(usage_.inactive_file, Bytes{4096}) << "total_inactive_file, not inactive_file";
  EXPECT_EQ(usage_.tasks, 3);
  EXPECT_EQ(usage_.limit, Bytes{-1}) << "only read for the pod root";
  EXPECT_EQ(usage_.read_at, kNow);
  EXPECT_EQ(usage_.source, UsageSource::kCgroupFiles);
}

TEST_F(FilesOfFakeTree, AreTheSameBelowAnOpenDirectory) {
  test::make_hybrid(tree_);
  test::make_v1_cgroup(tree_, "/kubepods/burstable/p");
  const Directory memory = *Directory::open(root_, "/sys/fs/cgroup/memory/kubepods");
  const Directory pids = *Directory::open(root_, "/sys/fs/cgroup/pids/kubepods");
  const CgroupFiles::Above above{
      .memory = memory.fd(), .version = CgroupVersion::kV1, .pids = pids.fd()};
  const Result<CgroupFiles> files = CgroupFiles::open_below(above, "burstable/p");
  ASSERT_TRUE(files);
  ASSERT_EQ(files->read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.usage, Bytes{1048576});
  EXPECT_EQ(usage_.inactive_file, Bytes{4096});
  EXPECT_EQ(usage_.tasks, 3);
  EXPECT_EQ(CgroupFiles::open_below(above, "burstable/q").error().code, Errc::kNotFound);
}

TEST_F(FilesOfFakeTree, BelowAnOpenDirectoryNeedNoPidsCgroup) {
  test::make_hybrid(tree_);
  test::make_v1_cgroup(tree_, "/kubepods/p");
  const Directory memory = *Directory::open(root_, "/sys/fs/cgroup/memory/kubepods");
  tree_.remove("/sys/fs/cgroup/pids/kubepods/p");
  const Directory pids = *Directory::open(root_, "/sys/fs/cgroup/pids/kubepods");
  for (const int fd : {pids.fd(), -1}) {
    const Result<CgroupFiles> files = CgroupFiles::open_below(
        {.memory = memory.fd(), .version = CgroupVersion::kV1, .pids = fd}, "p");
    ASSERT_TRUE(files);
    ASSERT_EQ(files->read(kNow, buffer_, usage_), ReadState::kRead);
    EXPECT_EQ(usage_.tasks, -1);
  }
}

TEST_F(FilesOfFakeTree, ReadV2) {
  test::make_unified(tree_);
  test::make_v2_cgroup(tree_, "/p");
  const Result<CgroupFiles> files = open("/p", CgroupFileSet::kRoot);
  ASSERT_EQ(files->read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.usage, Bytes{2097152});
  EXPECT_EQ(usage_.inactive_file, Bytes{512});
  EXPECT_EQ(usage_.limit, Bytes{kNoLimit});
  EXPECT_EQ(usage_.tasks, 5);
  EXPECT_EQ(files->read_max_tasks(buffer_), 100);
}

TEST_F(FilesOfFakeTree, ReadTheLimitOfTheRootOnly) {
  test::make_hybrid(tree_);
  test::make_v1_cgroup(tree_, "/kubepods");
  tree_.write("/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes", "536870912\n");
  ASSERT_EQ(open("/kubepods", CgroupFileSet::kRoot)->read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.limit, 512_MiB);
  EXPECT_EQ(open("/kubepods")->read_max_tasks(buffer_), -1);
}

TEST_F(FilesOfFakeTree, CountNoTasksWhereOnlyMemoryIsAskedFor) {
  test::make_unified(tree_);
  test::make_v2_cgroup(tree_, "/p");
  ASSERT_EQ(open("/p", CgroupFileSet::kMemory)->read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.working_set(), Bytes{2097152 - 512});
  EXPECT_EQ(usage_.tasks, -1);
}

TEST_F(FilesOfFakeTree, CountNoTasksWithoutAPidsCgroup) {
  test::make_hybrid(tree_);
  test::make_v1_cgroup(tree_, "/p");
  tree_.remove("/sys/fs/cgroup/pids/p");
  ASSERT_EQ(open("/p")->read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.tasks, -1);
}

TEST_F(FilesOfFakeTree, AreNotFoundWithoutTheMemoryCgroup) {
  test::make_hybrid(tree_);
  EXPECT_EQ(open("/none").error().code, Errc::kNotFound);
}

TEST_F(FilesOfFakeTree, FailOnTextThatIsNoNumberAndLeaveNoMemoryReading) {
  test::make_hybrid(tree_);
  test::make_v1_cgroup(tree_, "/p");
  tree_.write("/sys/fs/cgroup/memory/p/memory.stat", "total_cache 5\n");
  EXPECT_EQ(open("/p")->read(kNow, buffer_, usage_), ReadState::kFailed);
  EXPECT_FALSE(usage_.has_memory());
  tree_.write("/sys/fs/cgroup/memory/p/memory.usage_in_bytes", "many\n");
  EXPECT_EQ(open("/p")->read(kNow, buffer_, usage_), ReadState::kFailed);
  EXPECT_FALSE(usage_.has_memory());
}

TEST_F(FilesOfFakeTree, ReadOnlyUsageAndTasksWhenAskedForLiveValues) {
  test::make_unified(tree_);
  test::make_v2_cgroup(tree_, "/p");
  ASSERT_EQ(open("/p")->read_live(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.usage, Bytes{2097152});
  EXPECT_EQ(usage_.tasks, 5);
  EXPECT_EQ(usage_.inactive_file, Bytes{-1});
}

TEST_F(FilesOfFakeTree, ReadTheUsageWhateverTheOtherFilesHave) {
  test::make_unified(tree_);
  test::make_v2_cgroup(tree_, "/p");
  tree_.write("/sys/fs/cgroup/p/pids.current", "many\n");
  tree_.write("/sys/fs/cgroup/p/memory.stat", "");
  EXPECT_EQ(open("/p")->read_usage(buffer_), Bytes{2097152});
  tree_.write("/sys/fs/cgroup/p/memory.current", "many\n");
  EXPECT_EQ(open("/p")->read_usage(buffer_), Bytes{-1});
  EXPECT_EQ(CgroupFiles().read_usage(buffer_), Bytes{-1});
}

}  // namespace
}  // namespace evictd::sys
