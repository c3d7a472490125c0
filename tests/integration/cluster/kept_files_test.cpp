// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>

#include "real_tree.h"
#include "support/allocation_count.h"
#include "sys/kernel_text.h"
#include "sys/node_files.h"

namespace evictd::sys {
namespace {

using stage::Child;
using stage::StagedPod;

constexpr MonoTime kNow{std::chrono::seconds{1}};

class KeptFilesOfRealTree : public test::RealTree {
 protected:
  [[nodiscard]] CgroupFiles open(const std::string& path,
                                 CgroupFileSet set = CgroupFileSet::kPod) const {
    return CgroupFiles::open(root_, *layout_, path, set).value();
  }
  [[nodiscard]] std::int64_t file_of(const Hierarchy& hierarchy, std::string_view file) const {
    const Result<std::string> text = root_.read(hierarchy.path_of(file));
    EXPECT_TRUE(text) << text.error().message();
    return parse_single_number(*text).value_or(-1);
  }

  ReadBuffer buffer_{};
  CgroupUsage usage_;
};

TEST_F(KeptFilesOfRealTree, CountTheTasksAndBytesOfAPod) {
  const StagedPod pod = add_pod();
  const CgroupFiles files = open(pod.pod);
  ASSERT_EQ(files.read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.tasks, 0);
  const Child child = live_in(pod);
  ASSERT_EQ(files.read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.tasks, 1);
  EXPECT_GE(usage_.usage.value, 0);
  EXPECT_GE(usage_.inactive_file.value, 0);
}

TEST_F(KeptFilesOfRealTree, ReadTheLimitsOfThePodRoot) {
  ASSERT_TRUE(tree_->limit_memory(256_MiB));
  ASSERT_TRUE(tree_->limit_tasks(50));
  const CgroupFiles files = open(join_path(tree_->cgroup_root(), "kubepods"), CgroupFileSet::kRoot);
  ASSERT_EQ(files.read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(usage_.limit, 256_MiB);
  EXPECT_EQ(files.read_max_tasks(buffer_), 50);
}

TEST_F(KeptFilesOfRealTree, SayThatTheCgroupIsGone) {
  const StagedPod pod = add_pod();
  const CgroupFiles files = open(pod.pod);
  ASSERT_TRUE(tree_->remove_pod(pod));
  EXPECT_EQ(files.read(kNow, buffer_, usage_), ReadState::kGone);
  EXPECT_FALSE(usage_.has_memory());
}

TEST_F(KeptFilesOfRealTree, DescribeTheNode) {
  const Result<NodeFiles> files = NodeFiles::open(root_, *layout_);
  ASSERT_TRUE(files) << files.error().message();
  NodeUsage node;
  ASSERT_EQ(files->read(kNow, buffer_, node), ReadState::kRead);
  EXPECT_GT(node.memory_total, 256_MiB);
  EXPECT_GT(node.usage.value, 0);
  EXPECT_LT(node.usage, node.memory_total);
  EXPECT_LE(node.inactive_file, node.usage);
  EXPECT_GT(node.tasks, 1);
  EXPECT_LE(node.max_pid,
            root_.read("/proc/sys/kernel/pid_max")
                .map([](const std::string& text) { return parse_single_number(text).value_or(-1); })
                .value());
}

TEST_F(KeptFilesOfRealTree, AreReadWithoutAllocation) {
  const StagedPod pod = add_pod();
  const CgroupFiles files = open(pod.pod);
  const Child child = live_in(pod);
  const Result<NodeFiles> node_files = NodeFiles::open(root_, *layout_);
  ASSERT_TRUE(node_files);
  NodeUsage node;

  const std::size_t before = test::allocations();
  EXPECT_EQ(files.read(kNow, buffer_, usage_), ReadState::kRead);
  EXPECT_EQ(node_files->read(kNow, buffer_, node), ReadState::kRead);
  EXPECT_EQ(test::allocations(), before);
  EXPECT_EQ(usage_.tasks, 1);
}

TEST_F(KeptFilesOfRealTree, AreFoundGoneWithoutAllocation) {
  const StagedPod pod = add_pod();
  const CgroupFiles files = open(pod.pod);
  ASSERT_TRUE(tree_->remove_pod(pod));
  const std::size_t before = test::allocations();
  EXPECT_EQ(files.read(kNow, buffer_, usage_), ReadState::kGone);
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace evictd::sys
