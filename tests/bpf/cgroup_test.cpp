// SPDX-License-Identifier: Apache-2.0
// Pods appear, get tasks, empty and disappear.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "recorder.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::CgroupChange;

class CgroupEvents : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    probe_ = load_probe({.pins = {{probe::Purpose::kCgroups, GetParam()}}});
    ASSERT_NE(probe_, nullptr);
    recorder_.emplace(*probe_);
    const std::array roots = {root_.memory_id()};
    ASSERT_TRUE(probe_->set_roots(roots));
  }

  const KeptChange* find(CgroupChange change, CgroupId id) {
    const auto found = std::find_if(
        recorder_->changes.begin(), recorder_->changes.end(),
        [&](const KeptChange& c) { return c.event.change == change && c.event.cgroup == id; });
    return found == recorder_->changes.end() ? nullptr : &*found;
  }

  bool wait_for(CgroupChange change, CgroupId id) {
    return recorder_->wait_until([&] { return find(change, id) != nullptr; });
  }

  TestCgroup root_ = TestCgroup::create();
  std::unique_ptr<probe::Probe> probe_;
  std::optional<Recorder> recorder_;
};

TEST_P(CgroupEvents, TellWhoWasCreatedAndWhere) {
  const TestCgroup pod = root_.create_child("pod-a");
  const TestCgroup container = pod.create_child("container");
  ASSERT_TRUE(wait_for(CgroupChange::kCreated, container.memory_id()));
  const KeptChange* created = find(CgroupChange::kCreated, pod.memory_id());
  ASSERT_NE(created, nullptr);
  EXPECT_EQ(created->path, pod.path());
  EXPECT_EQ(created->event.depth, 1U);
  EXPECT_EQ(created->event.parent_id, root_.memory_id().id);
  EXPECT_EQ(created->event.root_id, root_.memory_id().id);
  EXPECT_FALSE(created->event.path_cut);
  const KeptChange* inner = find(CgroupChange::kCreated, container.memory_id());
  EXPECT_EQ(inner->event.depth, 2U);
  EXPECT_EQ(inner->event.parent_id, pod.memory_id().id);
  EXPECT_EQ(inner->event.root_id, root_.memory_id().id);
}

TEST_P(CgroupEvents, TellOfTheLifeOfAPod) {
  TestCgroup pod = root_.create_child("pod-a");
  const CgroupId id = pod.memory_id();
  TestChild child(pod);
  ASSERT_TRUE(wait_for(CgroupChange::kPopulated, id));
  child.kill_and_reap();
  ASSERT_TRUE(wait_for(CgroupChange::kEmptied, id));
  pod.remove();
  ASSERT_TRUE(wait_for(CgroupChange::kRemoved, id));
}

TEST_P(CgroupEvents, LeaveOutATaskThatJoinsOthers) {
  const TestCgroup pod = root_.create_child("pod-a");
  const CgroupId id = pod.memory_id();
  const TestChild first(pod);
  ASSERT_TRUE(wait_for(CgroupChange::kPopulated, id));
  const TestChild second(pod);
  // Records come in the order in which they were made: what was told of the task came before this.
  const TestCgroup later = root_.create_child("pod-b");
  ASSERT_TRUE(wait_for(CgroupChange::kCreated, later.memory_id()));
  EXPECT_EQ(std::ranges::count(recorder_->changes, id,
                               [](const KeptChange& change) { return change.event.cgroup; }),
            2)
      << "created and populated";
}

TEST_P(CgroupEvents, LeaveOutOtherHierarchiesAndOtherTrees) {
  const TestCgroup stranger = TestCgroup::create();
  const TestCgroup pod = root_.create_child("pod-a");
  ASSERT_TRUE(wait_for(CgroupChange::kCreated, pod.memory_id()));
  for (const KeptChange& change : recorder_->changes) {
    EXPECT_EQ(change.event.cgroup.hierarchy, root_.memory_id().hierarchy);
    EXPECT_EQ(change.event.root_id, root_.memory_id().id);
    EXPECT_NE(change.event.cgroup.id, stranger.memory_id().id);
  }
}

TEST_P(CgroupEvents, CutAPathThatIsTooLong) {
  const std::string part(120, 'n');
  const TestCgroup one = root_.create_child(part);
  const TestCgroup two = one.create_child(part);
  const TestCgroup three = two.create_child(part);
  const TestCgroup four = three.create_child(part);
  ASSERT_TRUE(wait_for(CgroupChange::kCreated, four.memory_id()));
  const KeptChange* created = find(CgroupChange::kCreated, four.memory_id());
  EXPECT_TRUE(created->event.path_cut);
  EXPECT_EQ(created->path, four.path().substr(0, created->path.size()));
  EXPECT_FALSE(find(CgroupChange::kCreated, one.memory_id())->event.path_cut);
}

TEST_P(CgroupEvents, FollowTheRoots) {
  const TestCgroup second = TestCgroup::create();
  const std::array roots = {second.memory_id()};
  ASSERT_TRUE(probe_->set_roots(roots));
  const TestCgroup old_pod = root_.create_child("pod-a");
  const TestCgroup pod = second.create_child("pod-b");
  ASSERT_TRUE(wait_for(CgroupChange::kCreated, pod.memory_id()));
  EXPECT_EQ(find(CgroupChange::kCreated, old_pod.memory_id()), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Rows, CgroupEvents, testing::Values("tp_btf", "raw_tp"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace evictd::test
