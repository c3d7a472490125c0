// SPDX-License-Identifier: Apache-2.0
#include "real_tree.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

namespace evictd::cluster {
namespace {

using stage::Child;
using stage::QosClass;
using stage::StagedPod;

constexpr std::chrono::seconds kDeadline{20};

class RealCgroupTree : public test::RealTree {};

TEST_F(RealCgroupTree, IsScannedWithIdsAndContainers) {
  const StagedPod best_effort = add_pod(QosClass::kBestEffort);
  const StagedPod guaranteed = add_pod(QosClass::kGuaranteed);
  const CgroupTree tree = scanned();
  ASSERT_EQ(tree.pods().size(), 2U);
  EXPECT_EQ(tree.pods()[0]->uid, best_effort.uid) << "oldest first";
  const PodCgroup* pod = tree.find(best_effort.uid);
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->qos, PathQos::kBestEffort);
  EXPECT_EQ(pod->path, "/" + best_effort.pod.string());
  EXPECT_EQ(pod->memory_id, memory_id(best_effort.pod));
  EXPECT_EQ(pod->pids_id, pids_id(best_effort.pod));
  ASSERT_EQ(pod->containers.size(), 1U);
  EXPECT_EQ(pod->containers[0].memory_id, memory_id(best_effort.container));
  EXPECT_EQ(tree.find(guaranteed.uid)->qos, PathQos::kGuaranteed);
  EXPECT_EQ(tree.pod_root_id().id, tree_->memory_id().value());
}

TEST_F(RealCgroupTree, KnowsWhoLivesThereAndWhoHasDied) {
  const StagedPod pod = add_pod();
  EXPECT_FALSE(scanned().find(pod.uid)->populated);
  Child child = live_in(pod);
  EXPECT_TRUE(scanned().find(pod.uid)->populated);
  child.signal(SIGKILL);
  ASSERT_TRUE(child.wait(kDeadline));
  EXPECT_FALSE(scanned().find(pod.uid)->populated) << "answered anew, not from the kernel's list";
}

TEST_F(RealCgroupTree, FollowedByEventsIsTheSameAsScanned) {
  const StagedPod first = add_pod();
  CgroupTree tree = scanned();
  const StagedPod second = add_pod(QosClass::kGuaranteed);
  const std::string parent = second.pod.parent_path();
  EXPECT_EQ(
      tree.created(memory_id(second.pod), memory_id(parent), second.pod.filename().string()).change,
      TreeChange::kPodAdded);
  EXPECT_EQ(tree.created(memory_id(second.container), memory_id(second.pod),
                         second.container.filename().string())
                .change,
            TreeChange::kContainerAdded);
  const CgroupId first_id = memory_id(first.pod);
  ASSERT_TRUE(tree_->remove_pod(first));
  EXPECT_EQ(tree.removed(first_id).change, TreeChange::kPodRemoved);

  const CgroupTree fresh = scanned();
  ASSERT_EQ(tree.pods().size(), 1U);
  ASSERT_EQ(fresh.pods().size(), 1U);
  EXPECT_EQ(tree.pods()[0]->memory_id, fresh.pods()[0]->memory_id);
  EXPECT_EQ(tree.pods()[0]->pids_id, fresh.pods()[0]->pids_id);
  EXPECT_EQ(tree.pods()[0]->containers, fresh.pods()[0]->containers);
}

TEST_F(RealCgroupTree, IgnoresTheEventOfAPodThatIsGoneAgain) {
  CgroupTree tree = scanned();
  const StagedPod pod = add_pod(QosClass::kGuaranteed);
  const CgroupId id = memory_id(pod.pod);
  const CgroupId parent = memory_id(pod.pod.parent_path());
  ASSERT_TRUE(tree_->remove_pod(pod));
  EXPECT_EQ(tree.created(id, parent, pod.pod.filename().string()).change, TreeChange::kIrrelevant);
  EXPECT_TRUE(tree.pods().empty());
}

TEST_F(RealCgroupTree, TakesAPodThatWasMadeAnewForAnotherCgroup) {
  const StagedPod pod = add_pod(QosClass::kGuaranteed);
  CgroupTree tree = scanned();
  const CgroupId before = memory_id(pod.pod);
  ASSERT_TRUE(tree_->remove_pod(pod));
  const Result<StagedPod> again = tree_->add_pod(pod.spec, pod.uid);
  ASSERT_TRUE(again) << again.error().message();
  const CgroupId after = memory_id(pod.pod);
  ASSERT_NE(before, after);
  EXPECT_EQ(tree.removed(before).change, TreeChange::kPodRemoved);
  EXPECT_EQ(
      tree.created(after, memory_id(pod.pod.parent_path()), pod.pod.filename().string()).change,
      TreeChange::kPodAdded);
  EXPECT_EQ(tree.find(pod.uid)->memory_id, after);
}

}  // namespace
}  // namespace evictd::cluster
