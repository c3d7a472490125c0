// SPDX-License-Identifier: Apache-2.0
#include "stage/private_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "stage/child.h"

namespace evictd::stage {
namespace {

constexpr std::chrono::seconds kDeadline{20};

class PrivateTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root to make cgroups";
    }
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    name_ = "evictd-test-" + std::to_string(::getpid()) + "-" + test;
  }

  [[nodiscard]] bool remains() const {
    const Result<Hierarchies> found = Hierarchies::detect();
    return std::filesystem::exists(found->memory / name_) ||
           std::filesystem::exists(found->pids / name_);
  }

  std::string name_;
};

/// A process that sleeps in the pod's container.
Result<Child> sleeper(const PrivateTree& tree, const StagedPod& pod) {
  Result<Child> child = Child::start({.argv = {"/bin/sleep", "1000"}});
  if (child) {
    const Result<> entered = tree.enter(pod, child->pid());
    EXPECT_TRUE(entered) << entered.error().message();
  }
  return child;
}

TEST_F(PrivateTreeTest, KillsWhatRunsInOnePodAndNothingElse) {
  Result<PrivateTree> tree = PrivateTree::create(name_);
  ASSERT_TRUE(tree) << tree.error().message();
  const Result<StagedPod> one = tree->add_pod({.name = "one"});
  const Result<StagedPod> other = tree->add_pod({.name = "other"});
  ASSERT_TRUE(one && other);
  Result<Child> dies = sleeper(*tree, *one);
  Result<Child> lives = sleeper(*tree, *other);
  ASSERT_TRUE(dies && lives);

  const Result<> killed = tree->kill_pod(*one);

  ASSERT_TRUE(killed) << killed.error().message();
  const Result<ChildExit> end = dies->wait(kDeadline);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_FALSE(lives->wait(Duration{0}));
  EXPECT_TRUE(tree->remove_pod(*one));
}

TEST_F(PrivateTreeTest, HasTheShapeOfAKubeletsTree) {
  Result<PrivateTree> tree = PrivateTree::create(name_);
  ASSERT_TRUE(tree) << tree.error().message();
  const Result<StagedPod> low = tree->add_pod({.name = "low", .qos = QosClass::kBestEffort});
  const Result<StagedPod> high = tree->add_pod({.name = "high", .qos = QosClass::kGuaranteed});
  ASSERT_TRUE(low) << low.error().message();
  ASSERT_TRUE(high) << high.error().message();
  EXPECT_EQ(low->pod, name_ + "/kubepods/besteffort/pod" + low->uid);
  EXPECT_EQ(high->pod, name_ + "/kubepods/pod" + high->uid);
  const Result<Child> child = sleeper(*tree, *low);
  ASSERT_TRUE(child);
  EXPECT_EQ(tree->tasks().value_or(-1), 1);
  EXPECT_EQ(tree->oom_kills().value_or(-1), 0);
  EXPECT_GE(tree->usage().value_or(Bytes{-1}).value, 0);
}

TEST_F(PrivateTreeTest, CountsInAPodRootThatSomeoneElseMadeAndLeavesItThere) {
  Result<PrivateTree> other = PrivateTree::create(name_ + "-other");
  ASSERT_TRUE(other) << other.error().message();
  const Result<StagedPod> pod = other->add_pod({.name = "pod"});
  ASSERT_TRUE(pod);
  const Result<Child> child = sleeper(*other, *pod);
  ASSERT_TRUE(child);
  {
    Result<PrivateTree> tree = PrivateTree::create(name_);
    ASSERT_TRUE(tree) << tree.error().message();
    const Result<> replaced = tree->replace_pod_root(other->cgroup_root() + "/kubepods");
    ASSERT_TRUE(replaced) << replaced.error().message();
    EXPECT_EQ(tree->memory_directory(), other->memory_directory());
    EXPECT_EQ(tree->tasks().value_or(-1), 1);
  }
  EXPECT_FALSE(remains());
  EXPECT_EQ(other->tasks().value_or(-1), 1);
}

TEST_F(PrivateTreeTest, IsGoneWithItsObjectAndSoIsWhatRanInIt) {
  std::optional<Child> child;
  {
    Result<PrivateTree> tree = PrivateTree::create(name_);
    ASSERT_TRUE(tree) << tree.error().message();
    const Result<StagedPod> pod = tree->add_pod({.name = "pod"});
    ASSERT_TRUE(pod);
    Result<Child> started = sleeper(*tree, *pod);
    ASSERT_TRUE(started);
    child = std::move(*started);
    EXPECT_TRUE(remains());
  }
  EXPECT_FALSE(remains());
  const Result<ChildExit> end = child->wait(kDeadline);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
}

TEST_F(PrivateTreeTest, APodCanBeRemovedOnceItIsEmpty) {
  Result<PrivateTree> tree = PrivateTree::create(name_);
  ASSERT_TRUE(tree) << tree.error().message();
  const Result<StagedPod> pod = tree->add_pod({.name = "pod"});
  ASSERT_TRUE(pod);
  const Result<> removed = tree->remove_pod(*pod);
  EXPECT_TRUE(removed) << removed.error().message();
  EXPECT_TRUE(tree->add_pod(pod->spec, pod->uid));
}

TEST_F(PrivateTreeTest, AnExistingCgroupIsNotTouched) {
  Result<PrivateTree> first = PrivateTree::create(name_);
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(PrivateTree::create(name_).error().code, Errc::kBusy);
  EXPECT_TRUE(remains());
}

TEST_F(PrivateTreeTest, IsTakenOverWithItsProgramAndRemoved) {
  Result<PrivateTree> tree = PrivateTree::create(name_);
  ASSERT_TRUE(tree) << tree.error().message();
  const Result<StagedPod> pod = tree->add_pod({.name = "one"});
  ASSERT_TRUE(pod) << pod.error().message();
  Result<Child> inside = sleeper(*tree, *pod);
  ASSERT_TRUE(inside) << inside.error().message();
  tree->keep();
  {
    const Result<PrivateTree> taken = PrivateTree::take_over(name_, "sleep");
    ASSERT_TRUE(taken) << taken.error().message();
  }
  EXPECT_FALSE(remains());
  const Result<ChildExit> end = inside->wait(kDeadline);
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_TRUE(end->killed_by(SIGKILL));
}

TEST_F(PrivateTreeTest, IsNotTakenOverWithAnotherProgramInIt) {
  Result<PrivateTree> tree = PrivateTree::create(name_);
  ASSERT_TRUE(tree) << tree.error().message();
  const Result<StagedPod> pod = tree->add_pod({.name = "one"});
  ASSERT_TRUE(pod) << pod.error().message();
  Result<Child> inside = sleeper(*tree, *pod);
  ASSERT_TRUE(inside) << inside.error().message();

  const Result<PrivateTree> taken = PrivateTree::take_over(name_, "evict-load");

  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Errc::kBusy);
  EXPECT_TRUE(remains());
  EXPECT_FALSE(inside->wait(std::chrono::seconds{0})) << "it lives";
}

TEST_F(PrivateTreeTest, IsNotTakenOverWhereThereIsNone) {
  const Result<PrivateTree> taken = PrivateTree::take_over(name_, "evict-load");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace evictd::stage
