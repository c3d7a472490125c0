// SPDX-License-Identifier: Apache-2.0
#include "disk/tree_usage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "base/fd.h"
#include "disk/pod_storage.h"
#include "support/fake_tree.h"
#include "support/few_descriptors.h"

namespace evictd::disk {
namespace {

class TreeUsageOf : public testing::Test {
 protected:
  TreeUsageOf() { pace_.restart(100'000'000); }

  void write(const std::string& path, std::size_t bytes) const {
    const std::filesystem::path file = at(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << std::string(bytes, 'x');
  }
  [[nodiscard]] std::filesystem::path at(const std::string& path) const {
    return std::filesystem::path(tree_.path()) / path;
  }
  [[nodiscard]] TreeUsage measure(const std::string& path) {
    const base::Fd directory(::open(at(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::size_t linked = TreeWalk::kMostLinked;
    return TreeWalk(linked).advance(directory.get(), pace_).value();
  }
  /// Bytes that the filesystem has allocated for one file or directory.
  [[nodiscard]] std::uint64_t allocated(const std::string& path) const {
    struct stat status {};
    EXPECT_EQ(::lstat(at(path).c_str(), &status), 0);
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
  }

  test::FakeTree tree_;
  Pace pace_;
};

TEST_F(TreeUsageOf, CountsBlocksAndInodesTheTopIncluded) {
  write("a/one", 100'000);
  write("a/b/two", 5'000);
  const TreeUsage usage = measure("a");
  EXPECT_TRUE(usage.complete);
  EXPECT_EQ(usage.inodes, 4U);
  EXPECT_EQ(usage.bytes,
            allocated("a") + allocated("a/one") + allocated("a/b") + allocated("a/b/two"));
}

TEST_F(TreeUsageOf, CountsAHardLinkedFileOnce) {
  write("a/one", 100'000);
  const TreeUsage before = measure("a");
  std::filesystem::create_directories(at("a"));
  for (const char* name : {"a/two", "a/three"}) {
    std::filesystem::create_hard_link(at("a/one"), at(name));
  }
  EXPECT_EQ(measure("a").inodes, before.inodes);
  EXPECT_EQ(measure("a").bytes - allocated("a"), before.bytes - allocated("a"));
}

TEST_F(TreeUsageOf, FollowsNoSymbolicLink) {
  write("elsewhere/big", 1'000'000);
  std::filesystem::create_directories(at("a"));
  std::filesystem::create_directory_symlink(at("elsewhere"), at("a/link"));
  const TreeUsage usage = measure("a");
  EXPECT_EQ(usage.inodes, 2U);
  EXPECT_LT(usage.bytes, 1'000'000U);
}

TEST_F(TreeUsageOf, ComesBackUpFromAnyDepth) {
  std::string path = "a";
  for (int depth = 0; depth < 200; ++depth) {
    path += "/d";
  }
  write(path + "/deep", 10'000);
  write("a/beside/it", 10'000);
  const TreeUsage usage = measure("a");
  EXPECT_TRUE(usage.complete);
  EXPECT_EQ(usage.inodes, 204U);
}

TEST_F(TreeUsageOf, SurvivesFilesThatVanish) {
  std::atomic<bool> stop{false};
  write("a/stays", 1);
  std::thread churn([&] {
    for (int n = 0; !stop.load(); ++n) {
      const std::string name = "a/sub" + std::to_string(n % 7) + "/file" + std::to_string(n % 31);
      write(name, 10);
      std::filesystem::remove_all(at("a/sub" + std::to_string((n + 3) % 7)));
    }
  });
  for (int round = 0; round < 300; ++round) {
    EXPECT_GE(measure("a").inodes, 2U);
  }
  stop = true;
  churn.join();
}

TEST_F(TreeUsageOf, GivesUpWhenItIsTold) {
  for (int n = 0; n < 10; ++n) {
    write("a/" + std::to_string(n), 1);
  }
  pace_.cancel();
  EXPECT_FALSE(measure("a").complete);
  pace_.allow();
  EXPECT_TRUE(measure("a").complete);
}

TEST_F(TreeUsageOf, OfAWalkThatIsCutShortWhatItCountedIsTheLeast) {
  for (int n = 0; n < 10; ++n) {
    write("a/" + std::to_string(n), 1);
  }
  write("a/deep/er/file", 1);
  pace_.allow_steps(5);
  const TreeUsage part = measure("a");
  EXPECT_TRUE(part.cut_short);
  EXPECT_FALSE(part.complete);
  EXPECT_EQ(part.inodes, 6U) << "the directory itself and five entries";
  pace_.allow_steps(100);
  const TreeUsage whole = measure("a");
  EXPECT_FALSE(whole.cut_short);
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.inodes, 14U);
}

/// How many descriptors this process has.
std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(TreeUsageOf, GoesOnWhereItWasCutShort) {
  for (int n = 0; n < 100; ++n) {
    write("a/" + std::to_string(n), 1);
    write("a/b/" + std::to_string(n % 5) + "/c/" + std::to_string(n), 5'000);
  }
  const TreeUsage whole = measure("a");
  const base::Fd directory(::open(at("a").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::size_t linked = TreeWalk::kMostLinked;
  TreeWalk walk(linked);
  const std::size_t before = open_descriptors();
  TreeUsage found;
  std::uint64_t calls = 0;
  for (; !walk.done() && calls < whole.inodes; ++calls) {
    pace_.allow_steps(7);
    const Result<TreeUsage> more = walk.advance(directory.get(), pace_);
    ASSERT_TRUE(more);
    EXPECT_LE(more->inodes - found.inodes, 8U) << "seven entries and the directory itself";
    EXPECT_EQ(more->cut_short, !walk.done());
    EXPECT_EQ(open_descriptors(), before) << "it holds none while it waits";
    found = *more;
  }
  EXPECT_TRUE(walk.done());
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.inodes, whole.inodes);
  EXPECT_EQ(found.bytes, whole.bytes);
}

TEST_F(TreeUsageOf, ADirectoryThatWasMovedWhileTheWalkWaitedIsMissing) {
  for (int n = 0; n < 20; ++n) {
    write("a/b/c/" + std::to_string(n), 1);
  }
  const base::Fd directory(::open(at("a").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::size_t linked = TreeWalk::kMostLinked;
  TreeWalk walk(linked);
  pace_.allow_steps(10);
  ASSERT_TRUE(walk.advance(directory.get(), pace_));
  std::filesystem::rename(at("a/b/c"), at("elsewhere"));
  pace_.allow_all_steps();
  const Result<TreeUsage> usage = walk.advance(directory.get(), pace_);
  ASSERT_TRUE(usage);
  EXPECT_TRUE(walk.done());
  EXPECT_FALSE(usage->complete);
  EXPECT_EQ(usage->inodes, 11U);
}

class PodFiles : public TreeUsageOf {
 protected:
  [[nodiscard]] PodStorage storage_of(const std::string& uid) {
    return PodStorageMeter({.kubelet_root = at("kubelet"), .pod_logs = at("logs")}, pace_)
        .measure({.uid = uid, .containers = {}});
  }
};

TEST_F(PodFiles, VolumesAndLogsAreFoundWhereTheKubeletKeepsThem) {
  write("kubelet/pods/u1/volumes/kubernetes.io~empty-dir/cache/file", 50'000);
  write("kubelet/pods/u1/volumes/kubernetes.io~configmap/settings/file", 10);
  write("kubelet/pods/u1/volumes/kubernetes.io~secret/hidden/file", 10);
  write("kubelet/pods/u2/volumes/kubernetes.io~empty-dir/other/file", 50'000);
  write("logs/default_web_u1/main/0.log", 70'000);
  const PodStorage storage = storage_of("u1");
  ASSERT_EQ(storage.statistics.volumes.size(), 2U);
  EXPECT_EQ(storage.statistics.volumes[0].name, "cache");
  EXPECT_GE(storage.statistics.volumes[0].use.bytes.value_or(0), 50'000U);
  EXPECT_EQ(storage.statistics.volumes[0].use.inodes, 2U);
  ASSERT_EQ(storage.statistics.containers.size(), 1U);
  EXPECT_EQ(storage.statistics.containers[0].name, "main");
  EXPECT_GE(storage.statistics.containers[0].logs->bytes.value_or(0), 70'000U);
  EXPECT_EQ(storage.method, StorageMethod::kWalk);
  EXPECT_TRUE(storage.volumes[0].empty_dir);
  EXPECT_TRUE(storage.volumes[1].config_map);
}

TEST_F(PodFiles, AVolumeWithManyFilesDoesNotHideAnother) {
  const std::string volumes = "kubelet/pods/u1/volumes/kubernetes.io~empty-dir/";
  for (int n = 0; n < 1000; ++n) {
    write(volumes + "a/" + std::to_string(n), 1);
  }
  write(volumes + "b/big", 1'000'000);
  PodStorageMeter meter({.kubelet_root = at("kubelet"), .pod_logs = at("logs")}, pace_);
  PodWalk walk = meter.begin({.uid = "u1", .containers = {}});
  pace_.allow_steps(100);
  meter.advance(walk);
  EXPECT_TRUE(walk.storage().cut_short);
  EXPECT_FALSE(walk.storage().complete);
  EXPECT_GE(walk.storage().statistics.volumes.at(1).use.bytes.value_or(0), 1'000'000U);
  EXPECT_LE(walk.storage().statistics.volumes.at(0).use.inodes.value_or(0), 101U);
  pace_.allow_all_steps();
  meter.advance(walk);
  EXPECT_TRUE(walk.done());
  EXPECT_TRUE(walk.storage().complete);
  EXPECT_EQ(walk.storage().statistics.volumes.at(0).use.inodes, 1001U);
}

TEST_F(PodFiles, APodWithoutFilesTakesNothing) {
  const PodStorage storage = storage_of("nobody");
  EXPECT_TRUE(storage.statistics.volumes.empty());
  EXPECT_EQ(storage.method, StorageMethod::kNone);
  EXPECT_TRUE(storage.complete);
}

TEST_F(PodFiles, RemovalLeavesTheVolumeAndWhatALinkPointsTo) {
  const std::string volumes = "kubelet/pods/u1/volumes/";
  write(volumes + "kubernetes.io~empty-dir/cache/a/b/file", 10);
  write(volumes + "kubernetes.io~empty-dir/cache/file", 10);
  write(volumes + "kubernetes.io~configmap/settings/file", 10);
  write("elsewhere/kept", 10);
  std::filesystem::create_directory_symlink(at("elsewhere"),
                                            at(volumes + "kubernetes.io~empty-dir/cache/link"));
  const Result<std::uint64_t> removed = remove_empty_dir_data(at("kubelet"), "u1", pace_);
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(*removed, 5U);
  EXPECT_TRUE(std::filesystem::is_empty(at(volumes + "kubernetes.io~empty-dir/cache")));
  EXPECT_TRUE(std::filesystem::exists(at(volumes + "kubernetes.io~configmap/settings/file")));
  EXPECT_TRUE(std::filesystem::exists(at("elsewhere/kept")));
}

TEST_F(PodFiles, WhatCannotBeLookedAtWasNotRemoved) {
  const std::string file = "kubelet/pods/u1/volumes/kubernetes.io~empty-dir/cache/a/file";
  write(file, 10);
  for (const int free : {1, 2, 3}) {
    const test::FewDescriptors few(free);
    const Result<std::uint64_t> removed = remove_empty_dir_data(at("kubelet"), "u1", pace_);
    ASSERT_FALSE(removed) << free;
    EXPECT_EQ(removed.error().sys_errno, EMFILE) << free;
  }
  EXPECT_TRUE(std::filesystem::exists(at(file)));
}

TEST_F(PodFiles, NothingToRemoveIsNoError) {
  EXPECT_EQ(remove_empty_dir_data(at("kubelet"), "nobody", pace_).value_or(1), 0U);
}

}  // namespace
}  // namespace evictd::disk
