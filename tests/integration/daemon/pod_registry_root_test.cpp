// SPDX-License-Identifier: Apache-2.0
// The cgroup of all pods comes, goes and is made anew under the registry.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/pods/pod_registry.h"
#include "daemon/state/instance_lock.h"
#include "pod_registry_on_a_tree.h"
#include "stage/private_tree.h"

namespace evictd::daemon {
namespace {

class AnAwaitedPodRoot : public PodRegistryOnATree {
 protected:
  void remove_root() const { ASSERT_TRUE(tree_->remove_pod_root()); }
  void make_root() const { ASSERT_TRUE(tree_->make_pod_root()); }
  /// What an event loop does once one of the descriptors is readable; a failure if none is.
  void follow_when_told() {
    std::vector<pollfd> ready;
    for (const int fd : registry_->descriptors()) {
      ready.push_back({.fd = fd, .events = POLLIN, .revents = 0});
    }
    EXPECT_GE(::poll(ready.data(), ready.size(), 0), 1) << "no event";
    registry_->queue_reports();
    take(registry_->apply());
  }
  [[nodiscard]] std::string problem() const {
    const std::vector<Error> problems = registry_->problems();
    return problems.size() == 1 ? problems[0].message() : std::to_string(problems.size());
  }
  void expect_one_missing_root() const {
    EXPECT_NE(problem().find("no pod root for cgroupRoot \"" + tree_->cgroup_root() + "\": "),
              std::string::npos)
        << problem();
    EXPECT_NE(problem().find(": evictd waits for it, continuing without its "
                             "pods"),
              std::string::npos)
        << problem();
  }
};

TEST_F(AnAwaitedPodRoot, ThatIsNotThereAtTheStartIsToldAndThenUsed) {
  remove_root();
  start();
  take(registry_->rescan());
  expect_one_missing_root();
  EXPECT_FALSE(registry_->follow_pod_root());

  make_root();
  follow_when_told();

  EXPECT_TRUE(registry_->follow_pod_root());
  EXPECT_TRUE(registry_->problems().empty());
  const stage::StagedPod pod = add_pod("first");
  take(registry_->rescan());
  ASSERT_TRUE(slot_of(pod));
  EXPECT_NE(hot_.at(*slot_of(pod))->target, nullptr);
}

TEST_F(AnAwaitedPodRoot, ThatIsRemovedAndMadeAnewIsFollowed) {
  start();
  take(registry_->rescan());
  for (int round = 0; round < 2; ++round) {
    const CgroupId old = registry_->tree().pod_root_id();
    remove_root();
    follow_when_told();
    EXPECT_TRUE(registry_->follow_pod_root());
    expect_one_missing_root();
    EXPECT_TRUE(registry_->take_changed_roots()) << "nobody may be signalled below it";

    make_root();
    follow_when_told();

    EXPECT_TRUE(registry_->follow_pod_root());
    EXPECT_TRUE(registry_->problems().empty());
    EXPECT_NE(registry_->tree().pod_root_id(), old);
    const std::optional<std::vector<CgroupId>> roots = registry_->take_changed_roots();
    ASSERT_TRUE(roots);
    EXPECT_EQ(std::count(roots->begin(), roots->end(), registry_->tree().pod_root_id()), 1);
    EXPECT_EQ(std::count(roots->begin(), roots->end(), old), 0);
    const stage::StagedPod pod = add_pod("of the new one");
    take(registry_->rescan());
    ASSERT_TRUE(slot_of(pod));
    EXPECT_NE(hot_.at(*slot_of(pod))->target, nullptr);
    ASSERT_TRUE(tree_->remove_pod(pod));
    take(registry_->rescan());
  }
}

TEST_F(AnAwaitedPodRoot, ThatWasReplacedBetweenTwoLooksIsAnotherOne) {
  start();
  take(registry_->rescan());
  remove_root();
  make_root();

  follow_when_told();

  EXPECT_TRUE(registry_->follow_pod_root());
  EXPECT_TRUE(registry_->problems().empty());
}

TEST_F(AnAwaitedPodRoot, ThatAnotherEvictdHasByThenIsLeftToIt) {
  remove_root();
  start();
  take(registry_->rescan());
  make_root();
  const Result<InstanceLock> other = lock_of(tree_->memory_directory());
  ASSERT_TRUE(other) << other.error().message();
  add_pod("of the other");

  follow_when_told();

  EXPECT_TRUE(hot_.empty());
  EXPECT_NE(problem().find("already watched by another evictd, continuing without the pods in it"),
            std::string::npos)
      << problem();
}

TEST_F(AnAwaitedPodRoot, IsFoundAtAnotherPlaceThanBefore) {
  start();
  take(registry_->rescan());
  remove_root();
  const std::vector<std::string>& places = registry_->tree().rules().pod_roots();
  const auto other = std::find_if(places.begin(), places.end(), [&](const std::string& path) {
    return path.ends_with("/kubepods.slice");
  });
  ASSERT_NE(other, places.end());
  const std::filesystem::path directory = tree_->hierarchies().memory.string() + *other;
  std::filesystem::create_directory(directory);

  follow_when_told();

  EXPECT_EQ(registry_->tree().pod_root(), *other);
  EXPECT_TRUE(registry_->follow_pod_root());
  const std::optional<std::vector<CgroupId>> roots = registry_->take_changed_roots();
  ASSERT_TRUE(roots);
  EXPECT_EQ(std::count(roots->begin(), roots->end(), registry_->tree().pod_root_id()), 1);
  std::filesystem::remove(directory);
}

}  // namespace
}  // namespace evictd::daemon
