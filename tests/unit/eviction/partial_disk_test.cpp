// SPDX-License-Identifier: Apache-2.0
// What a pass does for a disk while the pods are being measured.
#include "eviction/partial_disk.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "node.h"

namespace evictd::eviction {
namespace {

/// A nodefs without images that is short, and pods of whose files so much was counted.
class PartlyMeasured : public testing::Test {
 protected:
  explicit PartlyMeasured(DiskLayout layout = {.dedicated_image_fs = true,
                                               .split_container_fs = false})
      : node_(settings()) {
    node_.input().layout = layout;
    node_.input().disk_usage_pending = true;
    node_.input().disk_progress = DiskProgress::kSome;
    node_.see(Signal::kNodeFsAvailable, (1_GiB).value, (100_GiB).value);
  }
  static PassSettings settings() {
    ThresholdTexts texts;
    texts.hard = {{"nodefs.available", "10Gi"}};
    PassSettings settings;
    settings.thresholds = thresholds(texts);
    return settings;
  }
  void add(const Pod& pod, Bytes used, DiskCount count) {
    node_.with(pod, 1_MiB);
    node_[pod.name].reading.disk.volume_bytes = used.value;
    node_[pod.name].disk_count = count;
  }
  void time_is_up() { node_.input().disk_progress = DiskProgress::kTimeIsUp; }
  void expect_wait() {
    EXPECT_EQ(node_.pass().outcome, Outcome::kHeld);
    EXPECT_EQ(node_.last().reason, Reason::kUsagePending);
    EXPECT_TRUE(node_.last().usage_awaited);
    EXPECT_EQ(node_.victim(), "nobody");
  }
  void expect_victim(const std::string& name, DiskBasis basis) {
    EXPECT_EQ(node_.pass().outcome, Outcome::kEvicted);
    EXPECT_EQ(node_.victim(), name);
    EXPECT_EQ(node_.last().disk_basis, basis);
  }

  Node node_;
};

TEST_F(PartlyMeasured, FillerLargerThanAllOthersGoesBeforeItsWalkEnds) {
  add(pod("small"), 8_MiB, DiskCount::kWhole);
  add(pod("filler"), 20_MiB, DiskCount::kPart);
  expect_victim("filler", DiskBasis::kCertain);
}

TEST_F(PartlyMeasured, NobodyGoesWhileAnotherOneMayHaveMore) {
  add(pod("filler"), 20_MiB, DiskCount::kPart);
  add(pod("other"), 10_MiB, DiskCount::kPart);
  expect_wait();
}

TEST_F(PartlyMeasured, OneThatIsImportantEnoughMayHaveWhateverItHas) {
  add(pod("filler"), 20_MiB, DiskCount::kPart);
  add(pod("important").priority(1000), 10_MiB, DiskCount::kNone);
  expect_victim("filler", DiskBasis::kCertain);
}

TEST_F(PartlyMeasured, OneThatHasNotOutgrownItsRequestMayStillDoSo) {
  add(pod("important").priority(1000), 20_MiB, DiskCount::kWhole);
  add(pod("filler").request("ephemeral-storage", "1Gi"), 10_MiB, DiskCount::kPart);
  expect_wait();
}

TEST_F(PartlyMeasured, WhoMayNotBeEvictedIsNotWaitedForNorChosen) {
  add(pod("filler"), 20_MiB, DiskCount::kPart);
  add(pod("critical").priority(kCriticalPriority), 30_MiB, DiskCount::kNone);
  expect_victim("filler", DiskBasis::kCertain);
}

TEST_F(PartlyMeasured, WhenTimeIsUpTheOneWithTheMostThatIsKnownGoes) {
  add(pod("other"), 10_MiB, DiskCount::kPart);
  add(pod("filler"), 20_MiB, DiskCount::kPart);
  add(pod("small"), 15_MiB, DiskCount::kWhole);
  time_is_up();
  expect_victim("filler", DiskBasis::kBestKnown);
}

TEST_F(PartlyMeasured, UnmeasuredFillerMakesNoInnocentPodTheVictim) {
  add(pod("innocent"), 8_MiB, DiskCount::kWhole);
  add(pod("filler"), 0_MiB, DiskCount::kNone);
  time_is_up();
  expect_wait();
}

TEST_F(PartlyMeasured, OneOfMoreThanTheOthersFilesIsNotChosenForAnOlderNumber) {
  add(pod("innocent"), 50_MiB, DiskCount::kNone);
  add(pod("filler"), 20_MiB, DiskCount::kPart);
  time_is_up();
  expect_wait();
}

TEST_F(PartlyMeasured, OneThatWasCountedToItsEndDoesNotGoForOneThatWasNot) {
  add(pod("innocent"), 50_MiB, DiskCount::kWhole);
  add(pod("filler"), 20_MiB, DiskCount::kPart);
  expect_wait();
  time_is_up();
  node_.pass_time(1ms);
  node_.see(Signal::kNodeFsAvailable, 0, (100_GiB).value);
  expect_wait();
}

TEST_F(PartlyMeasured, OnceAllAreMeasuredTheKubeletsChoiceIsMade) {
  add(pod("innocent"), 50_MiB, DiskCount::kWhole);
  add(pod("filler"), 60_MiB, DiskCount::kWhole);
  node_.input().disk_usage_pending = false;
  node_.input().disk_progress = DiskProgress::kNothing;
  expect_victim("filler", DiskBasis::kMeasured);
}

class PartlyMeasuredAfterCollectors : public PartlyMeasured {
 protected:
  PartlyMeasuredAfterCollectors() : PartlyMeasured(DiskLayout{}) {}
};

TEST_F(PartlyMeasuredAfterCollectors, NobodyGoesEitherWhileAnotherOneMayHaveMore) {
  add(pod("filler"), 20_MiB, DiskCount::kPart);
  add(pod("other"), 10_MiB, DiskCount::kPart);
  EXPECT_EQ(node_.pass().outcome, Outcome::kReclaiming);
  EXPECT_EQ(node_.resume(&node_.seen()).reason, Reason::kUsagePending);
  EXPECT_EQ(node_.victim(), "nobody");
}

TEST_F(PartlyMeasuredAfterCollectors, TheFillerGoesAsSoonAsItIsCertain) {
  add(pod("filler"), 20_MiB, DiskCount::kPart);
  add(pod("other"), 10_MiB, DiskCount::kWhole);
  EXPECT_EQ(node_.pass().outcome, Outcome::kReclaiming);
  EXPECT_EQ(node_.resume(&node_.seen()).outcome, Outcome::kEvicted);
  EXPECT_EQ(node_.victim(), "filler");
  EXPECT_EQ(node_.last().disk_basis, DiskBasis::kCertain);
}

}  // namespace
}  // namespace evictd::eviction
