// SPDX-License-Identifier: Apache-2.0
// Victims whose files in memory stay charged to their cgroups after their death: nobody else goes
// for what they still hold.
#include <csignal>
#include <list>
#include <string>

#include "arena.h"
#include "must.h"
#include "stage/loop_filesystem.h"
#include "stage/memory_filesystem.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

/// What the victim writes: past the threshold, and past the floor, which is half of it.
constexpr std::int64_t kPastFloor = kRunUp + kHeadroom * 9 / 16;
/// More than half of what is left then, and not all of it.
constexpr std::int64_t kGrowth = kHeadroom * 5 / 16;

class TmpfsPod : public ArenaBySource {
 protected:
  void SetUp() override {
    Arena::SetUp();
    if (!IsSkipped()) {
      must(stage::own_mount_namespace());
    }
  }

  /// A pod with an emptyDir of medium Memory, which it fills on go(). It ignores SIGTERM.
  Actor& add_filler(const stage::PodSpec& spec, std::int64_t bytes) {
    stage::PodSpec with_volume = spec;
    with_volume.empty_dir = true;
    const stage::StagedPod pod = make_pod(with_volume);
    write_manifest(pod);
    volumes_.push_back(
        must(stage::MemoryFilesystem::create(kubelet() / "pods" / pod.uid / "volumes" /
                                             "kubernetes.io~empty-dir" / stage::kEmptyDirName)));
    stage::LoadOptions load;
    load.binary = EVICT_LOAD;
    load.directory = scratch_->path();
    load.kind = load::LoadKind::kFileBytes;
    load.cap = bytes;
    load.ignore_sigterm = true;
    load.fill_directory = volumes_.back().path();
    actors_.push_back({pod, must(stage::LoadProcess::start(*tree_, pod, load))});
    return actors_.back();
  }
  /// One that goes first by its rank, and one that has all it uses by right.
  void add_bystanders() {
    first_ = &add({.name = "first"}, kModest);
    rightful_ = &add({.name = "rightful",
                      .qos = stage::QosClass::kBurstable,
                      .priority = -1,
                      .memory_request = Bytes{8 * kModest}},
                     kModest);
  }
  [[nodiscard]] std::filesystem::path kubelet() const { return scratch_->path() / "kubelet"; }
  [[nodiscard]] Json tmpfs_config() const {
    Json config = memory_config(GetParam());
    config["hardEvictionGracePeriodSeconds"] = 1;
    // A grace that is cut would end the filler before it is past the floor.
    config["hardEvictionGracePolicy"] = "kubelet";
    config["kubeletRootDirectory"] = kubelet().string();
    config["pollInterval"] = "20ms";
    return config;
  }
  /// Until so many passes have looked since, each of which could have evicted.
  void await_passes(int more) {
    const auto regular = [](const Json& seen) {
      return seen["counters"]["passes"]["regular"].get<std::int64_t>();
    };
    const std::int64_t enough = regular(status()) + more;
    await_status([&](const Json& seen) { return regular(seen) >= enough; });
  }
  /// What the pod's cgroup is charged with, by the test's own reading.
  [[nodiscard]] std::int64_t charged(const Actor& actor) const {
    for (const std::filesystem::path& directory : tree_->directories_of(actor.pod)) {
      const std::filesystem::path file = directory / tree_->hierarchies().usage_file();
      if (std::filesystem::exists(file)) {
        return std::stoll(must(stage::read_text(file)));
      }
    }
    return 0;
  }

  const Actor* first_ = nullptr;
  const Actor* rightful_ = nullptr;
  std::list<stage::MemoryFilesystem> volumes_;
};
INSTANTIATE_TEST_SUITE_P(BySource, TmpfsPod, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(TmpfsPod, NobodyElseDiesForWhatTheDeadOneStillHolds) {
  add_bystanders();
  Actor& filler = add_filler({.name = "filler", .priority = -2}, kPastFloor);
  limit_memory();
  start_daemon(tmpfs_config());

  filler.load.go();
  const auto end = filler.await_end();
  ASSERT_TRUE(end) << log();
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  static_cast<void>(await_record(filler));
  await_passes(50);

  const Json seen =
      await_status([](const Json& now) { return now["last_pass"]["reason"] == "release_pending"; });
  EXPECT_GT(charged(filler), kRunUp) << "nothing was left charged: the test shows nothing";
  EXPECT_TRUE(first_->alive()) << log();
  EXPECT_TRUE(rightful_->alive()) << log();
  EXPECT_EQ(seen["counters"]["evictions"], 1);

  // As a kubelet does once the pod's containers are gone.
  volumes_.front().unmount();
  await_status([](const Json& now) { return now["last_pass"]["outcome"] == "nothing_met"; });
  EXPECT_TRUE(first_->alive());
  EXPECT_TRUE(rightful_->alive());
  EXPECT_EQ(status()["counters"]["evictions"], 1);
}

TEST_P(TmpfsPod, WhoGrowsMeanwhileGoesNotWhoRanksNext) {
  add_bystanders();
  Actor& filler = add_filler({.name = "filler", .priority = -2}, kPastFloor);
  Actor& grows = add_hog({.name = "grows", .priority = 1}, kGrowth);
  limit_memory();
  start_daemon(tmpfs_config());
  filler.load.go();
  ASSERT_TRUE(filler.await_end()) << log();
  static_cast<void>(await_record(filler));
  await_passes(5);
  ASSERT_TRUE(grows.alive()) << log();

  grows.load.go();

  ASSERT_TRUE(grows.await_end()) << log();
  const Json record = await_record(grows);
  EXPECT_TRUE(first_->alive()) << log();
  EXPECT_TRUE(rightful_->alive()) << log();
  for (const Json& row : record["ranking"]) {
    if (row["name"] == "first") {
      EXPECT_EQ(row["passed_over"], "spared") << record["ranking"].dump(1);
    }
  }
}

TEST_P(TmpfsPod, WhatItWroteIsRemovedWhereEvictdMayRemoveIt) {
  add_bystanders();
  Actor& filler = add_filler({.name = "filler", .priority = -2}, kPastFloor);
  limit_memory();
  Json config = tmpfs_config();
  config["evictedPodData"] = "removeEmptyDirs";
  start_daemon(config);

  filler.load.go();
  ASSERT_TRUE(filler.await_end()) << log();

  await_status([&](const Json& now) {
    return now["counters"]["storage"]["removals"] == 1 &&
           now["last_pass"]["outcome"] == "nothing_met";
  });
  EXPECT_LT(charged(filler), 4 * kMiB);
  EXPECT_TRUE(std::filesystem::is_empty(volumes_.front().path()));
  EXPECT_TRUE(first_->alive()) << log();
  EXPECT_TRUE(rightful_->alive()) << log();
  EXPECT_EQ(status()["counters"]["evictions"], 1);
}

TEST_P(TmpfsPod, ADryRunRemovesNothingOfWhatAnEvictdBeforeItEvicted) {
  add_bystanders();
  Actor& filler = add_filler({.name = "filler", .priority = -2}, kPastFloor);
  limit_memory();
  start_daemon(tmpfs_config());
  filler.load.go();
  ASSERT_TRUE(filler.await_end()) << log();
  static_cast<void>(await_record(filler));
  await_passes(5);
  ASSERT_EQ(::kill(daemon_->pid(), SIGKILL), 0);
  daemon_.reset();

  Json config = tmpfs_config();
  config["evictedPodData"] = "removeEmptyDirs";
  config["dryRun"] = true;
  start_daemon(config);

  await_passes(20);
  EXPECT_EQ(status()["counters"]["storage"]["removals"], 0);
  EXPECT_FALSE(std::filesystem::is_empty(volumes_.front().path()));
}

TEST_P(TmpfsPod, ARestartedEvictdWaitsForItToo) {
  add_bystanders();
  Actor& filler = add_filler({.name = "filler", .priority = -2}, kPastFloor);
  limit_memory();
  start_daemon(tmpfs_config());
  filler.load.go();
  ASSERT_TRUE(filler.await_end()) << log();
  static_cast<void>(await_record(filler));
  await_passes(5);
  ASSERT_EQ(::kill(daemon_->pid(), SIGKILL), 0);
  daemon_.reset();

  start_daemon(tmpfs_config());

  await_passes(20);
  await_status([](const Json& now) { return now["last_pass"]["reason"] == "release_pending"; });
  EXPECT_TRUE(first_->alive()) << log();
  EXPECT_TRUE(rightful_->alive()) << log();
  EXPECT_EQ(status()["counters"]["evictions"], 0) << "it was begun by the one before";
}

}  // namespace
}  // namespace evictd::daemon::test
