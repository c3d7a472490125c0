// SPDX-License-Identifier: Apache-2.0
#include "real_tree.h"

#include <unistd.h>

#include <utility>

namespace evictd::test {

void RealTree::SetUp() {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to make cgroups";
  }
  Result<sys::CgroupLayout> layout = sys::CgroupLayout::detect(root_);
  ASSERT_TRUE(layout) << layout.error().message();
  layout_ = std::move(*layout);
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  Result<stage::PrivateTree> tree =
      stage::PrivateTree::create("evictd-test-" + std::to_string(::getpid()) + "-" + test);
  ASSERT_TRUE(tree) << tree.error().message();
  tree_.emplace(std::move(*tree));
}

stage::StagedPod RealTree::add_pod(stage::QosClass qos) {
  Result<stage::StagedPod> pod = tree_->add_pod({.name = "pod", .qos = qos});
  EXPECT_TRUE(pod) << pod.error().message();
  return *pod;
}

stage::Child RealTree::live_in(const stage::StagedPod& pod) const {
  Result<stage::Child> child = stage::Child::start({.argv = {"/bin/sleep", "1000"}});
  EXPECT_TRUE(child) << child.error().message();
  const Result<> entered = tree_->enter(pod, child->pid());
  EXPECT_TRUE(entered) << entered.error().message();
  return std::move(*child);
}

cluster::CgroupTree RealTree::scanned() const {
  cluster::PlaceOptions options;
  options.cgroup_root = tree_->cgroup_root();
  Result<cluster::CgroupTree> made =
      cluster::CgroupTree::create(root_, *layout_, std::move(options));
  EXPECT_TRUE(made) << made.error().message();
  const auto scanned = made->scan();
  EXPECT_TRUE(scanned) << scanned.error().message();
  return std::move(*made);
}

CgroupId RealTree::memory_id(const std::string& path) const {
  return sys::cgroup_id(root_, layout_->memory(), path).value_or(CgroupId{});
}

CgroupId RealTree::pids_id(const std::string& path) const {
  return sys::cgroup_id(root_, *layout_->pids(), path).value_or(CgroupId{});
}

}  // namespace evictd::test
