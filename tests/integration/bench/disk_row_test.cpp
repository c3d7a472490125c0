// SPDX-License-Identifier: Apache-2.0
#include "disk/row.h"

#include <gtest/gtest.h>

#include <set>

#include "config/config.h"
#include "disk/trial.h"

namespace evictd::bench {
namespace {

const DiskGround& ground() {
  static const DiskGround at{.cgroup_root = "/bench",
                             .directory = "/run/bench",
                             .node = "/run/bench/node/disk",
                             .image = "/run/bench/image/disk"};
  return at;
}

TEST(DiskRows, CoverBothFilesystemsAndResourcesInBothModes) {
  std::set<std::string> titles;
  for (const DiskRow& row : disk_rows()) {
    titles.insert(row.title());
  }
  EXPECT_EQ(titles.size(), 8U);
  EXPECT_TRUE(titles.contains("evictd nodefs bytes"));
  EXPECT_TRUE(titles.contains("evictd-poll imagefs inodes"));
}

TEST(DiskRows, HaveAValidConfigurationAndAReachableThreshold) {
  for (const DiskRow& row : disk_rows()) {
    const Result<config::Config> config =
        config::parse(disk_config(row, ground()), "evictd.yaml", {});
    ASSERT_TRUE(config) << row.title() << ": " << config.error().message();
    EXPECT_EQ(config->settings().event_source, row.mode == EvictdMode::kPoll
                                                   ? config::EventSource::kPoll
                                                   : config::EventSource::kBpf);
    EXPECT_GT(row.amount(), 0);
    EXPECT_LT(row.amount(), row.resource == FilledResource::kBytes ? kDiskSize.value : kDiskInodes);
  }
}

TEST(DiskRows, NameTheSignalOfTheirFilesystem) {
  EXPECT_EQ((DiskRow{EvictdMode::kBpf, FilledFilesystem::kImage, FilledResource::kBytes}).signal(),
            "imagefs.available");
  EXPECT_EQ((DiskRow{EvictdMode::kBpf, FilledFilesystem::kNode, FilledResource::kInodes}).signal(),
            "nodefs.inodesFree");
}

TEST(FillOutcome, IsWonByAKillBeforeTheDiskIsFullThatTouchesNobodyElse) {
  FillOutcome outcome;
  EXPECT_FALSE(outcome.won());
  outcome.killed = true;
  EXPECT_TRUE(outcome.won());
  outcome.filled_up = true;
  EXPECT_FALSE(outcome.won());
  outcome.filled_up = false;
  outcome.others_touched = true;
  EXPECT_FALSE(outcome.won());
}

}  // namespace
}  // namespace evictd::bench
