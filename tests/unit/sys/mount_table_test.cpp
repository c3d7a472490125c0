// SPDX-License-Identifier: Apache-2.0
#include "sys/mount_table.h"

#include <gtest/gtest.h>

#include "support/fake_cgroups.h"

namespace evictd::sys {
namespace {

TEST(MountTable, ReadsTypePointAndSuperOptions) {
  const std::vector<Mount> mounts = parse_mount_table(test::kHybridMounts);
  ASSERT_EQ(mounts.size(), 10U);
  EXPECT_EQ(mounts[5].point, "/sys/fs/cgroup/memory");
  EXPECT_EQ(mounts[5].type, "cgroup");
  EXPECT_EQ(mounts[5].super_options, "rw,memory");
}

TEST(MountTable, SkipsAnyNumberOfOptionalFields) {
  const std::vector<Mount> mounts =
      parse_mount_table("36 35 98:0 / /mnt rw master:1 shared:2 - cgroup2 none rw\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].type, "cgroup2");
}

TEST(MountTable, UndoesTheEscapesOfAMountPoint) {
  const std::vector<Mount> mounts =
      parse_mount_table("36 35 98:0 / /mnt/a\\040b\\134c rw - cgroup2 none rw\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].point, "/mnt/a b\\c");
}

TEST(MountTable, PutsBindMountsOfAPartLast) {
  const std::vector<Mount> mounts = parse_mount_table(
      "36 35 0:5 /part /bound rw - cgroup2 none rw\n"
      "37 35 0:5 / /whole rw - cgroup2 none rw\n");
  ASSERT_EQ(mounts.size(), 2U);
  EXPECT_EQ(mounts[0].point, "/whole");
}

TEST(MountTable, LeavesOutLinesThatAreCut) {
  EXPECT_TRUE(parse_mount_table("36 35 98:0 / /mnt rw - cgroup2\n\n36 35\n").empty());
}

}  // namespace
}  // namespace evictd::sys
