// SPDX-License-Identifier: Apache-2.0
// The registry on private trees of this machine, without a kernel side and without a hot thread.
#include "daemon/pods/pod_registry.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "base/fd.h"
#include "config/config.h"
#include "daemon/pods/pod_look.h"
#include "pod_registry_on_a_tree.h"
#include "stage/private_tree.h"
#include "stage/scratch_directory.h"
#include "stage/text_file.h"

namespace evictd::daemon {
namespace {

std::size_t open_descriptors() {
  // The one that lists them is among them.
  return static_cast<std::size_t>(
             std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                           std::filesystem::directory_iterator())) -
         1;
}

/// This process to the roots of the hierarchies of `directories`, which are those of `pod`.
bool leave(const std::vector<std::filesystem::path>& directories, const stage::StagedPod& pod) {
  return std::all_of(directories.begin(), directories.end(), [&](const auto& directory) {
    const std::string text = directory.string();
    const std::filesystem::path mount = text.substr(0, text.size() - pod.container.string().size());
    return stage::write_kernel_file(mount / "cgroup.procs", std::to_string(::getpid())).has_value();
  });
}

TEST_F(PodRegistryOnATree, UnknownPodsAreKeptUntilEachDirectoryOfManifestsWasRead) {
  const Result<stage::ScratchDirectory> scratch =
      stage::ScratchDirectory::create("evictd-registry-");
  ASSERT_TRUE(scratch) << scratch.error().message();
  const std::filesystem::path fixed = scratch->path() / "static";
  const stage::StagedPod pod = add_pod("etcd");
  const auto state = [&] { return registry_->table().find(pod.uid)->state; };
  start(kEnoughDescriptors, "staticManifestDirectories: [" + fixed.string() + "]\n");
  take(registry_->rescan());
  EXPECT_EQ(state(), cluster::PodState::kUnknown) << "it may be one of those that are to come";

  std::filesystem::create_directory(fixed);
  registry_->queue_changes();
  take(registry_->apply());
  EXPECT_EQ(state(), cluster::PodState::kEmpty) << "evictUnknownPods knows it";

  std::filesystem::remove(fixed);
  registry_->queue_changes();
  take(registry_->apply());
  EXPECT_EQ(state(), cluster::PodState::kEmpty) << "what it said was read";
}

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

TEST_F(PodRegistryOnATree, WhatAnEvictdLeftOnAPodIsFoundThoughNoFileOfThePodIsKept) {
  add_pod("victim");
  const enforce::Intent written{.hard = false,
                                .began_at = MonoTime(std::chrono::seconds(5)),
                                .kill_due_at = MonoTime(std::chrono::seconds(35))};
  start();
  take(registry_->rescan());
  ASSERT_EQ(hot_.size(), 1U);
  ASSERT_TRUE(enforce::write_intent(*hot_.begin()->second->target, written, "here"));

  hot_.clear();
  start(/*descriptor_limit=*/0);
  take(registry_->rescan());
  ASSERT_EQ(hot_.size(), 1U);
  const HotPod& without_files = *hot_.begin()->second;
  ASSERT_EQ(without_files.files.usage_fd(), -1);
  ASSERT_TRUE(without_files.target);
  const std::size_t before = open_descriptors();
  const FoundPod found = inspect_pod(without_files, *registry_, SavedLook::kNone, MonoTime{});

  ASSERT_TRUE(found.intent);
  EXPECT_EQ(found.intent->kill_due_at, written.kill_due_at);
  EXPECT_EQ(found.intent->clock, "here");
  clear_intent_of(without_files, *registry_);
  EXPECT_FALSE(intent_of(without_files, *registry_));
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(PodRegistryOnATree, APodThatDidNotChangeIsNotPlacedAgain) {
  add_pod("one");
  start();
  EXPECT_EQ(registry_->rescan().size(), 1U);

  EXPECT_TRUE(registry_->rescan().empty());
}

TEST_F(PodRegistryOnATree, OwnPodIsReopenedUntilTheRegistryHasLeftIt) {
  const stage::StagedPod home = add_pod("home");
  // Somebody else is in it all the time: that nobody is left would show by itself.
  const pid_t resident = ::fork();
  if (resident == 0) {
    ::pause();
    ::_exit(0);
  }
  const bool settled = tree_->enter(home, resident).has_value();
  start();
  ASSERT_TRUE(settled && tree_->enter(home, ::getpid()));
  std::vector<PodUpdate> inside = registry_->rescan();
  const bool left = leave(tree_->directories_of(home), home);
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_EQ(inside[0].pod->protection_now(), enforce::Protection::kOwnProcess);
  inside.clear();  // As where nobody takes updates: nothing of them is looked at again.
  ASSERT_TRUE(left);

  const std::vector<PodUpdate> outside = registry_->rescan();

  ASSERT_EQ(outside.size(), 1U);
  EXPECT_EQ(outside[0].pod->protection_now(), enforce::Protection::kNone);
  EXPECT_TRUE(registry_->rescan().empty());
  ::kill(resident, SIGKILL);
  ::waitpid(resident, nullptr, 0);
}

TEST_F(PodRegistryOnATree, PodFoundToHoldEvictdAtItsSignalIsReopenedOnce) {
  const stage::StagedPod home = add_pod("home");
  start();
  ASSERT_EQ(registry_->rescan().size(), 1U);

  registry_->mark_own_process(home.uid);
  registry_->mark_own_process("of a pod that is gone");

  EXPECT_EQ(registry_->rescan().size(), 1U);
  EXPECT_TRUE(registry_->rescan().empty()) << "nobody of ours is in it";
}

TEST_F(PodRegistryOnATree, WhatWasLookedAtAheadIsHandedOverAsItWasOpened) {
  constexpr std::size_t kPods = 40;  // Enough for two threads.
  for (std::size_t i = 0; i < kPods; ++i) {
    add_pod("pod-" + std::to_string(i));
  }
  start();
  registry_->open_pods_early();
  const std::size_t ahead = open_descriptors();

  EXPECT_TRUE(take(registry_->rescan()).empty());

  EXPECT_EQ(hot_.size(), kPods);
  EXPECT_EQ(open_descriptors(), ahead) << "nothing was opened twice, nor left open";
  EXPECT_TRUE(std::all_of(hot_.begin(), hot_.end(), [](const auto& item) {
    return item.second->slot == item.first && item.second->target->prepared();
  }));
  EXPECT_EQ(registry_->incomplete(), 0U);
  EXPECT_TRUE(registry_->rescan().empty());
}

TEST_F(PodRegistryOnATree, WhatCameOrWentAfterALookAheadIsAsItIsNow) {
  const stage::StagedPod stays = add_pod("stays");
  const stage::StagedPod goes = add_pod("goes");
  const stage::StagedPod grows = add_pod("grows");
  start();
  registry_->open_pods_early();
  ASSERT_TRUE(tree_->remove_pod(goes));
  const stage::StagedPod comes = add_pod("comes");
  const std::filesystem::path deep =
      tree_->hierarchies().memory / grows.container / "deep";  // No container: not in the join.
  ASSERT_TRUE(std::filesystem::create_directory(deep));
  const sys::Hierarchy& memory = registry_->tree().layout().memory();
  const CgroupId id = sys::cgroup_id(*root_, memory, "/" + (grows.container / "deep").string())
                          .value_or(CgroupId{});

  take(registry_->rescan());

  EXPECT_EQ(hot_.size(), 3U);
  EXPECT_TRUE(slot_of(stays));
  EXPECT_TRUE(slot_of(comes));
  EXPECT_FALSE(slot_of(goes));
  ASSERT_TRUE(slot_of(grows));
  EXPECT_TRUE(hot_.at(*slot_of(grows))->target->holds(id));
  hot_.clear();
}

TEST_F(PodRegistryOnATree, ADeepCgroupThatNobodyToldOfIsFoundByAScan) {
  const stage::StagedPod pod = add_pod("one");
  start();
  take(registry_->rescan());
  const std::filesystem::path deep = tree_->hierarchies().memory / pod.container / "deep";
  ASSERT_TRUE(std::filesystem::create_directory(deep));

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

  registry_->queue_reopening("no such pod");
  registry_->queue_reopening(one.uid);
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

TEST_F(PodRegistryOnATree, PodsWithoutDescriptorsAreCountedAndCompletedLater) {
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

TEST_F(PodRegistryOnATree, APodRootThatGetsItsPidsDirectoryLateIsFollowed) {
  if (tree_->hierarchies().unified()) {
    GTEST_SUCCEED();  // It has one directory for both.
    return;
  }
  remove_pod_root(tree_->pids_directory());
  start();
  take(registry_->rescan());
  EXPECT_FALSE(registry_->follow_pod_root());
  std::filesystem::create_directory(tree_->pids_directory());
  EXPECT_TRUE(registry_->places_changed());

  take(registry_->rescan());

  EXPECT_TRUE(registry_->follow_pod_root());
  EXPECT_FALSE(registry_->follow_pod_root()) << "told once";
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
    start(kEnoughDescriptors, "staticManifestDirectories: [" + manifests().string() + "]\n");
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
  registry_->queue_changes();
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
