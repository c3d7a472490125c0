// SPDX-License-Identifier: Apache-2.0
// Pods outside Kubernetes in the registry: the parents of globs come, go, and may be another
// evictd's.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/pods/pod_registry.h"
#include "daemon/state/instance_lock.h"
#include "pod_registry_on_a_tree.h"
#include "stage/private_tree.h"

namespace evictd::daemon {
namespace {

class PodsOfAGlob : public PodRegistryOnATree {
 protected:
  void start_with_glob() {
    start(kEnoughDescriptors, "podGlobs: [{glob: \"" + parent() + "/*.service\"}]\n");
    take(registry_->rescan());
  }
  [[nodiscard]] std::string parent() const { return tree_->cgroup_root() + "/late.slice"; }
  [[nodiscard]] std::string service() const { return parent() + "/job.service"; }

  void make(const std::string& path) const {
    for (const std::filesystem::path& mount : mounts()) {
      std::filesystem::create_directory(mount.string() + path);
    }
  }
  void remove(const std::string& path) const {
    for (const std::filesystem::path& mount : mounts()) {
      std::filesystem::remove(mount.string() + path);
    }
  }
  [[nodiscard]] CgroupId id_of(const std::string& path) const {
    const sys::Hierarchy& memory = registry_->tree().layout().memory();
    return sys::cgroup_id(*root_, memory, path).value_or(CgroupId{});
  }
  [[nodiscard]] const enforce::KillTarget* target() const {
    const auto found = std::find_if(hot_.begin(), hot_.end(), [&](const auto& item) {
      return item.second->uid == "cgroup:" + service();
    });
    return found == hot_.end() ? nullptr : found->second->target.get();
  }

 private:
  [[nodiscard]] std::vector<std::filesystem::path> mounts() const {
    const stage::Hierarchies& at = tree_->hierarchies();
    return at.unified() ? std::vector{at.memory} : std::vector{at.memory, at.pids};
  }
};

TEST_F(PodsOfAGlob, CanBeSignalledThoughTheirParentCameLate) {
  start_with_glob();
  EXPECT_FALSE(registry_->take_changed_roots()) << "the actuator has those of the start";
  EXPECT_FALSE(registry_->places_changed());
  make(parent());
  make(service());
  EXPECT_TRUE(registry_->places_changed());

  take(registry_->rescan());

  ASSERT_NE(target(), nullptr);
  EXPECT_EQ(target()->id(), id_of(service()));
  const std::optional<std::vector<CgroupId>> roots = registry_->take_changed_roots();
  ASSERT_TRUE(roots);
  EXPECT_EQ(std::count(roots->begin(), roots->end(), id_of(parent())), 1);
  EXPECT_EQ(std::count(roots->begin(), roots->end(), registry_->tree().pod_root_id()), 1);
  EXPECT_FALSE(registry_->places_changed());
  EXPECT_TRUE(registry_->rescan().empty());
  EXPECT_FALSE(registry_->take_changed_roots()) << "told once";
}

TEST_F(PodsOfAGlob, CanBeSignalledThoughTheirParentWasMadeAnew) {
  start();
  make(parent());
  make(service());
  start_with_glob();
  ASSERT_NE(target(), nullptr);
  const CgroupId old_parent = id_of(parent());
  remove(service());
  remove(parent());
  make(parent());
  make(service());
  ASSERT_NE(id_of(parent()), old_parent);

  take(registry_->rescan());

  ASSERT_NE(target(), nullptr);
  EXPECT_EQ(target()->id(), id_of(service()));
  const std::optional<std::vector<CgroupId>> roots = registry_->take_changed_roots();
  ASSERT_TRUE(roots);
  EXPECT_EQ(std::count(roots->begin(), roots->end(), id_of(parent())), 1);
  EXPECT_EQ(std::count(roots->begin(), roots->end(), old_parent), 0)
      << "what is gone lets nobody be signalled";
}

TEST_F(PodsOfAGlob, AreLeftToAnotherEvictdAsLongAsItWatchesTheirParent) {
  start_with_glob();
  make(parent());
  make(service());
  std::optional<InstanceLock> other;
  {
    Result<InstanceLock> lock = lock_of(registry_->tree().layout().memory().path_of(parent()));
    ASSERT_TRUE(lock) << lock.error().message();
    other.emplace(std::move(*lock));
  }

  take(registry_->rescan());

  EXPECT_EQ(target(), nullptr);
  EXPECT_EQ(registry_->table().find("cgroup:" + service()), nullptr);
  EXPECT_FALSE(registry_->take_changed_roots()) << "nobody may be signalled there";
  const std::vector<Error> problems = registry_->problems();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].message().find(parent() +
                                       " is already watched by another evictd, continuing without "
                                       "the pods in it"),
            std::string::npos)
      << problems[0].message();
  EXPECT_TRUE(registry_->places_changed()) << "nothing tells when the other one ends";
  other.reset();

  take(registry_->rescan());

  EXPECT_NE(target(), nullptr);
  EXPECT_TRUE(registry_->take_changed_roots());
  EXPECT_TRUE(registry_->problems().empty());
  EXPECT_FALSE(registry_->places_changed());
}

TEST_F(PodsOfAGlob, DoNotKeepAPodRootThatCameLateFromBeingFollowed) {
  remove_pod_root(tree_->pids_directory());
  remove_pod_root(tree_->memory_directory());
  start_with_glob();
  EXPECT_FALSE(registry_->follow_pod_root());
  EXPECT_TRUE(registry_->problems().empty()) << "the glob may be all that there is";
  std::filesystem::create_directory(tree_->memory_directory());

  take(registry_->rescan());

  EXPECT_TRUE(registry_->follow_pod_root());
  EXPECT_EQ(registry_->tree().pod_root(), tree_->cgroup_root() + "/kubepods");
}

TEST_F(PodsOfAGlob, LoseTheirRootWithTheirParent) {
  start();
  make(parent());
  start_with_glob();
  const CgroupId old_parent = id_of(parent());
  remove(parent());

  take(registry_->rescan());

  const std::optional<std::vector<CgroupId>> roots = registry_->take_changed_roots();
  ASSERT_TRUE(roots);
  EXPECT_EQ(std::count(roots->begin(), roots->end(), old_parent), 0);
  EXPECT_EQ(std::count(roots->begin(), roots->end(), registry_->tree().pod_root_id()), 1);
}

}  // namespace
}  // namespace evictd::daemon
