// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "daemon/pods/pod_registry.h"
#include "daemon/state/instance_lock.h"
#include "stage/private_tree.h"

namespace evictd::daemon {

/// A registry on a private tree of this machine, without a kernel side; the test is the hot thread.
class PodRegistryOnATree : public testing::Test {
 protected:
  static constexpr std::uint64_t kEnoughDescriptors = 20000;

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

  void start(std::uint64_t descriptor_limit = kEnoughDescriptors,
             const std::string& settings = "") {
    Result<config::Config> config = config::parse(
        "cgroupRoot: " + tree_->cgroup_root() + "\nevictUnknownPods: true\n" + settings, "test",
        {});
    ASSERT_TRUE(config) << config.error().message();
    config_ = std::make_shared<const config::Config>(std::move(*config));
    registry_.reset();  // Two would be two evictds.
    Result<std::unique_ptr<PodRegistry>> registry = PodRegistry::create(
        {.root = &*root_, .config = config_, .descriptor_limit = descriptor_limit});
    ASSERT_TRUE(registry) << registry.error().message();
    registry_ = std::move(*registry);
  }

  /// As another evictd has it.
  [[nodiscard]] static Result<InstanceLock> lock_of(const std::string& directory) {
    struct stat status = {};
    EXPECT_EQ(::stat(directory.c_str(), &status), 0);
    return InstanceLock::acquire({.cgroup = {.id = status.st_ino}, .directory = directory});
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

  /// The deepest first; only what PrivateTree made is there.
  static void remove_pod_root(const std::filesystem::path& directory) {
    for (const char* level : {"burstable", "besteffort"}) {
      std::filesystem::remove(directory / level);
    }
    std::filesystem::remove(directory);
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

}  // namespace evictd::daemon
