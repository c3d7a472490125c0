// SPDX-License-Identifier: Apache-2.0
// The registry on private trees of this machine, without a kernel side and without a hot thread.
#include "daemon/pod_registry.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "base/fd.h"
#include "config/config.h"
#include "stage/private_tree.h"
#include "stage/scratch_directory.h"

namespace evictd::daemon {
namespace {

constexpr std::uint64_t kEnough = 20000;

std::size_t open_descriptors() {
  // The one that lists them is among them.
  return static_cast<std::size_t>(
             std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                           std::filesystem::directory_iterator())) -
         1;
}

class PodRegistryOnATree : public testing::Test {
 protected:
  void SetUp() override {
    Result<stage::PrivateTree> tree =
        stage::PrivateTree::create("evictd-registry-" + std::to_string(::getpid()));
    if (!tree && tree.error().code == Errc::kUnsupported) {
      GTEST_SKIP() << tree.error().message();
    }
    ASSERT_TRUE(tree) << tree.error().message();
    tree_.emplace(std::move(*tree));
    root_.emplace(std::move(*sys::Root::open()));
  }

  stage::StagedPod add_pod(const std::string& name) {
    Result<stage::StagedPod> pod = tree_->add_pod({.name = name});
    EXPECT_TRUE(pod) << pod.error().message();
    return *pod;
  }

  void start(std::uint64_t descriptor_limit = kEnough, const std::string& settings = "") {
    Result<config::Config> config = config::parse(
        "cgroupRoot: " + tree_->cgroup_root() + "\nevictUnknownPods: true\n" + settings, "test",
        {});
    ASSERT_TRUE(config) << config.error().message();
    config_ = std::make_shared<const config::Config>(std::move(*config));
    Result<std::unique_ptr<PodRegistry>> registry = PodRegistry::create(
        {.root = &*root_, .config = config_, .descriptor_limit = descriptor_limit});
    ASSERT_TRUE(registry) << registry.error().message();
    registry_ = std::move(*registry);
  }

  /// What the hot thread does with updates. Answers the slots that it would hand back, emptied.
  std::vector<std::uint32_t> take(std::vector<PodUpdate> updates) {
    std::vector<std::uint32_t> emptied;
    for (PodUpdate& update : updates) {
      if (update.pod == nullptr) {
        emptied.push_back(update.slot);
        hot_.erase(update.slot);
      } else {
        hot_[update.slot] = std::move(update.pod);
      }
    }
    return emptied;
  }

  std::optional<std::uint32_t> slot_of(const stage::StagedPod& pod) const {
    const auto found = std::find_if(hot_.begin(), hot_.end(),
                                    [&](const auto& item) { return item.second->uid == pod.uid; });
    return found == hot_.end() ? std::nullopt : std::optional(found->first);
  }

  std::optional<stage::PrivateTree> tree_;
  std::optional<sys::Root> root_;
  std::shared_ptr<const config::Config> config_;
  std::unique_ptr<PodRegistry> registry_;
  std::map<std::uint32_t, std::unique_ptr<HotPod>> hot_;
};

TEST_F(PodRegistryOnATree, APodWithOneContainerKeepsAtMostEightDescriptors) {
  constexpr std::size_t kPods = 20;
  for (std::size_t i = 0; i < kPods; ++i) {
    add_pod("pod-" + std::to_string(i));
  }
  start();
  const std::size_t before = open_descriptors();

  take(registry_->rescan());

  ASSERT_EQ(hot_.size(), kPods);
  EXPECT_LE(open_descriptors() - before, 8 * kPods);
  EXPECT_EQ(registry_->incomplete(), 0U);
  EXPECT_TRUE(std::all_of(hot_.begin(), hot_.end(),
                          [](const auto& item) { return item.second->target->prepared(); }));
  hot_.clear();
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(PodRegistryOnATree, APodThatDidNotChangeIsNotPlacedAgain) {
  add_pod("one");
  start();
  EXPECT_EQ(registry_->rescan().size(), 1U);

  EXPECT_TRUE(registry_->rescan().empty());
}

TEST_F(PodRegistryOnATree, APodMadeAnewKeepsItsSlotAndGetsOtherDescriptors) {
  const stage::StagedPod one = add_pod("one");
  add_pod("two");
  start();
  take(registry_->rescan());
  const std::optional<std::uint32_t> slot = slot_of(one);
  ASSERT_TRUE(slot);

  registry_->make_anew("no such pod");
  registry_->make_anew(one.uid);
  std::vector<PodUpdate> updates = registry_->apply();

  ASSERT_EQ(updates.size(), 1U);
  EXPECT_EQ(updates[0].slot, slot);
  ASSERT_NE(updates[0].pod, nullptr);
  EXPECT_NE(updates[0].pod->target, hot_[*slot]->target);
  EXPECT_TRUE(updates[0].pod->target->prepared());
}

TEST_F(PodRegistryOnATree, ASlotIsGivenToAnotherPodOnlyOnceTheHotThreadHasLetItGo) {
  const stage::StagedPod first = add_pod("first");
  start();
  take(registry_->rescan());
  const std::optional<std::uint32_t> slot = slot_of(first);
  ASSERT_TRUE(slot);
  ASSERT_TRUE(tree_->remove_pod(first));
  const stage::StagedPod second = add_pod("second");

  const std::vector<std::uint32_t> emptied = take(registry_->rescan());

  EXPECT_EQ(emptied, std::vector{*slot});
  ASSERT_TRUE(slot_of(second));
  EXPECT_NE(slot_of(second), slot);
  registry_->retired(*slot);
  const stage::StagedPod third = add_pod("third");
  take(registry_->rescan());
  EXPECT_EQ(slot_of(third), slot);
}

TEST_F(PodRegistryOnATree, APodThatCameBackWithItsUidIsAnotherPod) {
  const stage::StagedPod first = add_pod("first");
  start();
  take(registry_->rescan());
  const CgroupId old = hot_.begin()->second->memory_id;
  ASSERT_TRUE(tree_->remove_pod(first));
  ASSERT_TRUE(tree_->add_pod({.name = "first"}, first.uid));

  const std::vector<std::uint32_t> emptied = take(registry_->rescan());

  EXPECT_EQ(emptied.size(), 1U);
  ASSERT_EQ(hot_.size(), 1U);
  EXPECT_NE(hot_.begin()->second->memory_id, old);
}

TEST_F(PodRegistryOnATree, WithoutDescriptorsPodsArePlacedAndCountedAndCompletedOnceThereAreSome) {
  const stage::StagedPod pod = add_pod("one");
  add_pod("two");
  std::vector<base::Fd> others(100);
  for (base::Fd& other : others) {
    other.reset(::dup(STDIN_FILENO));
  }
  // All shares of the limit are used up by the others, and not without them.
  start(static_cast<std::uint64_t>(others.back().get()));

  take(registry_->rescan());

  ASSERT_EQ(hot_.size(), 2U);
  EXPECT_EQ(registry_->incomplete(), 2U);
  const HotPod& hot = *hot_.at(*slot_of(pod));
  ASSERT_NE(hot.target, nullptr);
  EXPECT_FALSE(hot.target->prepared());
  EXPECT_EQ(registry_->counters().open_failures, 0U);
  EXPECT_TRUE(registry_->rescan().empty()) << "there is still no room";

  others.clear();
  take(registry_->rescan());

  EXPECT_EQ(registry_->incomplete(), 0U);
  EXPECT_TRUE(hot_.at(*slot_of(pod))->target->prepared());
}

/// The deepest first; only what PrivateTree made is there.
void remove_pod_root(const std::filesystem::path& directory) {
  for (const char* level : {"burstable", "besteffort"}) {
    std::filesystem::remove(directory / level);
  }
  std::filesystem::remove(directory);
}

TEST_F(PodRegistryOnATree, APodRootThatGetsItsPidsDirectoryLateIsAnotherOne) {
  if (tree_->hierarchies().unified()) {
    GTEST_SUCCEED();  // It has one directory for both.
    return;
  }
  remove_pod_root(tree_->pids_directory());
  start();
  take(registry_->rescan());
  EXPECT_FALSE(registry_->pod_root_was_replaced());
  std::filesystem::create_directory(tree_->pids_directory());
  EXPECT_TRUE(registry_->places_changed());

  take(registry_->rescan());

  EXPECT_TRUE(registry_->pod_root_was_replaced());
}

TEST_F(PodRegistryOnATree, APodRootThatIsGoneIsNoOtherOneUntilItIsThereAgain) {
  start();
  take(registry_->rescan());
  remove_pod_root(tree_->pids_directory());
  take(registry_->rescan());
  EXPECT_FALSE(registry_->pod_root_was_replaced()) << "no longer there, which is no other";
  remove_pod_root(tree_->memory_directory());
  take(registry_->rescan());
  EXPECT_FALSE(registry_->pod_root_was_replaced());
  std::filesystem::create_directory(tree_->memory_directory());

  take(registry_->rescan());

  EXPECT_TRUE(registry_->pod_root_was_replaced());
}

class PodsOfAGlob : public PodRegistryOnATree {
 protected:
  void start_with_glob() {
    start(kEnough, "podGlobs: [{glob: \"" + parent() + "/*.service\"}]\n");
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

TEST_F(PodsOfAGlob, DoNotHideThatThePodRootCameLate) {
  remove_pod_root(tree_->pids_directory());
  remove_pod_root(tree_->memory_directory());
  start_with_glob();
  EXPECT_FALSE(registry_->pod_root_was_replaced());
  std::filesystem::create_directory(tree_->memory_directory());

  take(registry_->rescan());

  EXPECT_TRUE(registry_->pod_root_was_replaced());
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

class AReloadOfStaticManifests : public PodRegistryOnATree {
 protected:
  void SetUp() override {
    PodRegistryOnATree::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    Result<stage::ScratchDirectory> scratch = stage::ScratchDirectory::create("evictd-registry-");
    ASSERT_TRUE(scratch) << scratch.error().message();
    scratch_.emplace(std::move(*scratch));
    std::filesystem::create_directory(manifests());
    pod_ = add_pod("etcd");
    text_ = stage::manifest(pod_.spec, pod_.uid);
    std::ofstream(manifests() / "etcd.json") << text_;
    start(kEnough, "staticManifestDirectories: [" + manifests().string() + "]\n");
    take(registry_->rescan());
    ASSERT_EQ(protection(), enforce::Protection::kStatic);
  }

  [[nodiscard]] std::filesystem::path manifests() const { return scratch_->path() / "static"; }
  [[nodiscard]] enforce::Protection protection() const {
    const std::optional<std::uint32_t> slot = slot_of(pod_);
    return slot ? hot_.at(*slot)->protection : enforce::Protection::kNone;
  }

  std::optional<stage::ScratchDirectory> scratch_;
  stage::StagedPod pod_;
  std::string text_;
};

TEST_F(AReloadOfStaticManifests, KeepsThePodOfAFileThatTurnedBad) {
  std::ofstream(manifests() / "etcd.json") << "{\"kind\": \"Po";
  registry_->note_manifests();
  take(registry_->apply());
  ASSERT_EQ(registry_->problems().size(), 1U);
  ASSERT_EQ(protection(), enforce::Protection::kStatic);

  take(registry_->reload(config_));

  EXPECT_EQ(protection(), enforce::Protection::kStatic);
  EXPECT_EQ(registry_->problems().size(), 1U) << "it is bad still";
}

TEST_F(AReloadOfStaticManifests, DoesNotTakeAHalfWrittenFileForAWholeOne) {
  std::ofstream writer(manifests() / "etcd.json");
  writer << text_.substr(0, text_.size() / 2) << std::flush;

  take(registry_->reload(config_));

  EXPECT_EQ(protection(), enforce::Protection::kStatic);
  EXPECT_TRUE(registry_->problems().empty());
}

TEST_F(AReloadOfStaticManifests, KeepsThePodsOfADirectoryThatIsGone) {
  std::filesystem::rename(manifests(), scratch_->path() / "elsewhere");

  take(registry_->reload(config_));

  EXPECT_EQ(protection(), enforce::Protection::kStatic);
  EXPECT_EQ(registry_->problems().size(), 1U);
}

}  // namespace
}  // namespace evictd::daemon
