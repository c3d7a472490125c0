// SPDX-License-Identifier: Apache-2.0
#include "sys/node_files.h"

#include <gtest/gtest.h>

#include "support/fake_cgroups.h"

namespace evictd::sys {
namespace {

constexpr MonoTime kReadAt{Duration{99}};

class NodeOfFakeTree : public testing::Test {
 protected:
  NodeOfFakeTree() {
    tree_.write("/proc/meminfo",
                "MemTotal:        1000 kB\nMemFree:          300 kB\nInactive(file):    20 kB\n");
    tree_.write("/proc/loadavg", "0.08 0.03 0.01 3/94 6780\n");
    tree_.write("/proc/sys/kernel/pid_max", "32768\n");
    tree_.write("/proc/sys/kernel/threads-max", "192730\n");
  }
  [[nodiscard]] Result<NodeFiles> open() const {
    return NodeFiles::open(root_, *CgroupLayout::detect(root_));
  }

  test::FakeTree tree_;
  Root root_ = *Root::open(tree_.path());
  ReadBuffer buffer_{};
  NodeUsage usage_;
};

TEST_F(NodeOfFakeTree, TakesRootUsageOnV1) {
  test::make_hybrid(tree_);
  tree_.write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "500000\n");
  tree_.write("/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 8192\n");
  const Result<NodeFiles> files = open();
  ASSERT_TRUE(files) << files.error().message();
  ASSERT_EQ(files->read(kReadAt, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.memory_total, 1000_KiB);
  EXPECT_EQ(usage_.usage, Bytes{500000});
  EXPECT_EQ(usage_.inactive_file, Bytes{8192});
  EXPECT_EQ(usage_.tasks, 94);
  EXPECT_EQ(usage_.max_pid, 32768) << "the smaller of pid_max and threads-max";
  EXPECT_EQ(usage_.read_at, kReadAt);
  EXPECT_EQ(to_string(files->memory_source()), "root memory.usage_in_bytes");
}

TEST_F(NodeOfFakeTree, AddsAnonAndFileOfTheRootOnV2) {
  test::make_unified(tree_);
  tree_.write("/sys/fs/cgroup/memory.stat", "anon 1000\nfile 200\nkernel 7\ninactive_file 30\n");
  const Result<NodeFiles> files = open();
  ASSERT_EQ(files->read(kReadAt, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.usage, Bytes{1200});
  EXPECT_EQ(usage_.inactive_file, Bytes{30});
  EXPECT_EQ(files->memory_source(), NodeMemorySource::kRootStat);
}

TEST_F(NodeOfFakeTree, FallsBackToMemFreeWhereTheRootHasNoStatistics) {
  test::make_unified(tree_);
  const Result<NodeFiles> files = open();
  ASSERT_EQ(files->read(kReadAt, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.usage, 700_KiB);
  EXPECT_EQ(usage_.inactive_file, 20_KiB);
  EXPECT_EQ(to_string(files->memory_source()), "MemTotal-MemFree");
}

TEST_F(NodeOfFakeTree, NamesTheFileThatIsNotThere) {
  test::make_unified(tree_);
  tree_.remove("/proc/loadavg");
  const Result<NodeFiles> files = open();
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().message().find("/proc/loadavg"), std::string::npos);
}

TEST_F(NodeOfFakeTree, LeavesOutWhatCannotBeReadAndKeepsTheRest) {
  test::make_unified(tree_);
  tree_.write("/proc/loadavg", "what\n");
  EXPECT_EQ(open()->read(kReadAt, buffer_, usage_), ReadState::kFailed);
  EXPECT_EQ(usage_.tasks, -1);
  EXPECT_EQ(usage_.usage, 700_KiB);
}

TEST_F(NodeOfFakeTree, AddsPagesOfMeminfoAsTheNodesCountThem) {
  test::make_unified(tree_);
  tree_.write("/proc/meminfo",
              "Buffers: 1 kB\nCached: 20 kB\nSwapCached: 300 kB\nInactive(file): 7 kB\n"
              "AnonPages: 4000 kB\n");
  open()->read_meminfo_pages(buffer_, usage_);
  EXPECT_EQ(usage_.usage, 4321_KiB);
  EXPECT_EQ(usage_.inactive_file, 7_KiB);
  tree_.write("/proc/meminfo", "Buffers: 1 kB\nCached: 20 kB\n");
  open()->read_meminfo_pages(buffer_, usage_);
  EXPECT_EQ(usage_.usage, Bytes{-1});
  EXPECT_EQ(usage_.inactive_file, Bytes{-1});
}

}  // namespace
}  // namespace evictd::sys
