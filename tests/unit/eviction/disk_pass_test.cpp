// SPDX-License-Identifier: Apache-2.0
// Disk pressure: collectors before pods, layouts, local storage limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"
#include "eviction/hold.h"
#include "eviction/message.h"
#include "node.h"

namespace evictd::eviction {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kDiskCapacity = 100'000'000'000;

PassSettings nodefs_10g() {
  PassSettings settings;
  ThresholdTexts texts;
  texts.hard = {{"nodefs.available", "10G"}, {"memory.available", "1Gi"}};
  texts.minimum_reclaim = {{"nodefs.available", "5G"}};
  settings.thresholds = thresholds(texts);
  return settings;
}

Node full_node(DiskLayout layout = {}) {
  Node node(nodefs_10g());
  node.with(pod("web"), 1_MiB);
  node.input().layout = layout;
  node.see(Signal::kNodeFsAvailable, kDiskCapacity / 20, kDiskCapacity);
  return node;
}

Observations nodefs(std::int64_t available) {
  Observations seen;
  seen[Signal::kNodeFsAvailable] = Observation{available, kDiskCapacity, std::nullopt};
  return seen;
}

TEST(Reclaim, RunsCollectorsBeforeAnyPodGoes) {
  Node node = full_node();

  const Decision& decision = node.pass();

  EXPECT_EQ(decision.outcome, Outcome::kReclaiming);
  EXPECT_THAT(std::vector(decision.collectors.begin(), decision.collectors.end()),
              ElementsAre(Collector::kContainers, Collector::kImages));
  EXPECT_EQ(node.victim(), "nobody");
}

TEST(Reclaim, SparesThePodsWhenMinimumReclaimIsReached) {
  Node node = full_node();
  node.pass();
  const Observations enough = nodefs(kDiskCapacity * 15 / 100);

  EXPECT_EQ(node.resume(&enough).outcome, Outcome::kReclaimed);
  EXPECT_EQ(node.victim(), "nobody");
}

TEST(Reclaim, EvictsWhenItFreedTooLittleOrNobodyKnows) {
  const Observations too_little = nodefs(kDiskCapacity * 15 / 100 - 1);
  for (const Observations* const after : {&too_little, static_cast<const Observations*>(nullptr)}) {
    Node node = full_node();
    node.pass();

    EXPECT_EQ(node.resume(after).outcome, Outcome::kEvicted);
    EXPECT_EQ(node.victim(), "web");
  }
}

TEST(Reclaim, DoesNotDelayMemoryWhileCollectorsRun) {
  Node node = full_node();
  EXPECT_EQ(node.pass().outcome, Outcome::kReclaiming);
  node.pass_time(1ms);
  node.see(Signal::kNodeFsAvailable, 0, kDiskCapacity);
  EXPECT_EQ(node.pass_with_memory(2_GiB).reason, Reason::kCollectorsBusy);
  node.pass_time(1ms);

  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);
  EXPECT_EQ(node.resume(nullptr).outcome, Outcome::kEvicted);
}

TEST(Reclaim, HasNothingToRunForNodefsWhenImagesLiveElsewhere) {
  Node node = full_node({.dedicated_image_fs = true, .split_container_fs = false});

  EXPECT_EQ(node.pass().outcome, Outcome::kEvicted);
}

TEST(DiskUsage, NoPodIsChosenByAMeasurementThatIsBeingReplaced) {
  Node node = full_node({.dedicated_image_fs = true, .split_container_fs = false});
  node.input().disk_usage_pending = true;
  EXPECT_EQ(node.pass().outcome, Outcome::kHeld);
  EXPECT_EQ(node.last().reason, Reason::kUsagePending);
  EXPECT_EQ(node.victim(), "nobody");
  node.input().disk_usage_pending = false;
  node.pass_time(1ms);
  EXPECT_EQ(node.pass().outcome, Outcome::kStale) << "the reading is that of the pass before";
  node.pass_time(1ms);
  node.see(Signal::kNodeFsAvailable, kDiskCapacity / 20, kDiskCapacity);
  EXPECT_EQ(node.pass().outcome, Outcome::kEvicted);
}

TEST(DiskUsage, ThatIsBeingMeasuredDelaysNoMemoryEviction) {
  Node node = full_node({.dedicated_image_fs = true, .split_container_fs = false});
  node.input().disk_usage_pending = true;
  EXPECT_EQ(node.pass_with_memory(1_MiB).outcome, Outcome::kEvicted);
}

TEST(DiskUsage, IsAskedForThoughAThresholdBeforeItWaitsToo) {
  ThresholdTexts texts;
  texts.hard = {{"memory.available", "1Gi"}, {"nodefs.available", "10G"}};
  PassSettings settings;
  settings.thresholds = thresholds(texts);
  Node node(settings);
  node.with(pod("web"), 1_GiB);
  node.input().layout = DiskLayout{.dedicated_image_fs = true, .split_container_fs = false};
  Brakes brakes;
  brakes.pauses.by_signal[static_cast<std::size_t>(Signal::kMemoryAvailable)] = node.now() + 1h;
  node.input().brakes = &brakes;
  node.input().disk_usage_pending = true;
  node.see(Signal::kNodeFsAvailable, 1, kDiskCapacity);
  node.pass_with_memory(1_MiB);
  EXPECT_EQ(node.last().reason, Reason::kPaused);
  EXPECT_TRUE(node.last().usage_awaited);
}

TEST(DiskRelease, IsAwaitedThoughTheVictimWroteOnAfterItsMeasure) {
  Node node = full_node();
  ReleasingPod victim;
  victim.killed_at = node.now();
  victim.disk = 1_MiB;
  node.releasing().push_back(victim);
  const Observations fallen = nodefs(0);
  node.see(Signal::kNodeFsAvailable, 0, kDiskCapacity);

  EXPECT_EQ(node.pass().outcome, Outcome::kHeld);
  EXPECT_EQ(node.last().reason, Reason::kReleasePending);

  node.pass_time(kReleaseWait);
  node.see(Signal::kNodeFsAvailable, 0, kDiskCapacity);
  ASSERT_EQ(node.pass().outcome, Outcome::kReclaiming);
  EXPECT_EQ(node.resume(&fallen).outcome, Outcome::kEvicted) << "for 30 s and no longer";
}

TEST(DiskRelease, OfAnotherResourceHoldsNothing) {
  Node node = full_node();
  ReleasingPod victim;
  victim.killed_at = node.now();
  victim.memory = 1_GiB;
  victim.tasks = 3;
  node.releasing().push_back(victim);
  const Observations still_full = nodefs(kDiskCapacity / 20);
  ASSERT_EQ(node.pass().outcome, Outcome::kReclaiming);
  EXPECT_EQ(node.resume(&still_full).outcome, Outcome::kEvicted);
}

TEST(Layout, IsAskedForUntilItIsKnown) {
  Node node = full_node();
  node.input().layout.reset();
  EXPECT_EQ(node.pass().outcome, Outcome::kFailed);
  EXPECT_EQ(node.last().reason, Reason::kNoLayout);

  node.input().layout = DiskLayout{};
  EXPECT_TRUE(node.pass().learnt_layout);
  node.input().layout.reset();
  node.pass_time(1s);
  EXPECT_NE(node.pass().outcome, Outcome::kFailed);
}

TEST(Layout, GivesContainerfsTheThresholdsOfItsFilesystem) {
  Node node = full_node();
  node.pass();

  const ThresholdTable& table = node.manager().thresholds();
  ASSERT_EQ(table.size(), 6U);
  EXPECT_EQ(table[2].signal, Signal::kContainerFsAvailable);
  EXPECT_EQ(to_string(table[2].value), "10G");
  EXPECT_EQ(table[5].signal, Signal::kContainerFsInodesFree);
  EXPECT_EQ(table[5].op, ThresholdOperator::kNone);
}

Volume empty_dir(std::string name, std::string_view limit) {
  Volume volume;
  volume.name = std::move(name);
  volume.empty_dir = EmptyDir{"Memory", amount(limit)};
  return volume;
}

TEST(LocalStorage, EvictsAnyNumberOfPodsAndEndsThePass) {
  PassSettings settings = nodefs_10g();
  settings.local_storage_isolation = true;
  Node node(settings);
  PodStatistics much;
  much.volumes.push_back({"cache", {10'000'001, std::nullopt}});
  PodStatistics little;
  little.volumes.push_back({"cache", {10'000'000, std::nullopt}});
  for (const std::string name : {"a", "b", "c"}) {
    node.with(pod(name).volume(empty_dir("cache", "10M")), 1_MiB);
    node[name].statistics = name == "b" ? &little : &much;
  }
  node.with(pod("critical").priority(kCriticalPriority).volume(empty_dir("cache", "10M")), 1_MiB);
  node["critical"].statistics = &much;

  const Decision& decision = node.pass_with_memory(1_MiB);

  EXPECT_EQ(decision.outcome, Outcome::kEvicted);
  EXPECT_EQ(node.victim(), "nobody");
  EXPECT_EQ(decision.grace, 1s);
  std::vector<std::string> victims;
  for (const LocalStorageVictim& victim : decision.local_victims) {
    victims.push_back(node.name_of(victim.pod));
  }
  EXPECT_THAT(victims, ElementsAre("a", "c"));
  EXPECT_EQ(
      local_storage_text(*node["a"].pod, much, decision.local_victims[0].breach, Compat::k1_32),
      "Usage of EmptyDir volume \"cache\" exceeds the limit \"10M\". ");
}

TEST(LocalStorage, AmountsAreThoseThatTheLimitWasComparedWith) {
  Pod described;
  described.volumes.push_back(empty_dir("cache", "10M"));
  Container& container = described.containers.emplace_back();
  container.name = "main";
  container.limits.emplace("ephemeral-storage", amount("4Ki"));
  PodStatistics statistics;
  statistics.volumes.push_back({"cache", {10'000'001, std::nullopt}});
  statistics.containers.push_back({.name = "main",
                                   .working_set_bytes = std::nullopt,
                                   .rootfs = StorageUse{.bytes = 100, .inodes = std::nullopt},
                                   .logs = StorageUse{.bytes = 5000, .inodes = std::nullopt}});
  statistics.ephemeral_bytes = 10'005'101;
  const auto amounts = [&](LocalLimit limit, DiskLayout layout) {
    return local_storage_amounts(described, statistics, {limit, 0}, layout, Compat::k1_32);
  };
  const DiskLayout one_filesystem{};
  EXPECT_EQ(amounts(LocalLimit::kEmptyDir, one_filesystem),
            (LocalStorageAmounts{"cache", 10'000'001, 10'000'000}));
  EXPECT_EQ(amounts(LocalLimit::kPod, one_filesystem), (LocalStorageAmounts{"", 10'005'101, 4096}));
  EXPECT_EQ(amounts(LocalLimit::kContainer, one_filesystem),
            (LocalStorageAmounts{"main", 5100, 4096}));
  DiskLayout images_apart;
  images_apart.dedicated_image_fs = true;
  EXPECT_EQ(amounts(LocalLimit::kContainer, images_apart),
            (LocalStorageAmounts{"main", 5000, 4096}));
}

}  // namespace
}  // namespace evictd::eviction
