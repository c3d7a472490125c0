// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/victim_releases.h"
#include "unit/engine/moments.h"

#include <gtest/gtest.h>

#include <map>

namespace evictd::daemon {
namespace {

using std::chrono::seconds;

constexpr CgroupId kPod{.hierarchy = 0, .id = 7};

class OneVictim : public testing::Test {
 protected:
  void begin(bool removes_data) {
    VictimReleases::Victim victim;
    victim.pod = kPod;
    victim.uid = "u";
    victim.directory = "/kubelet/pods/u";
    victim.killed_at = kNow;
    victim.removes_data = removes_data;
    releases_.begin(std::move(victim));
  }
  void gone(Holding holding) {
    releases_.find(kPod)->gone_at[static_cast<std::size_t>(holding)] = kNow;
  }
  [[nodiscard]] std::map<std::string, std::string> rows() {
    std::map<std::string, std::string> rows;
    for (const auto& row : VictimReleases::rows_of(*releases_.find(kPod))) {
      rows[row.what] = row.state;
    }
    return rows;
  }
  void see_mounts(std::string_view point) {
    releases_.update_mounts(
        sys::parse_mounts("1 0 8:1 / " + std::string(point) + " rw - tmpfs x rw\n"), kNow);
  }

  VictimReleases releases_;
};

TEST_F(OneVictim, WhatIsNotKnownIsSaidToBeUnknown) {
  begin(false);
  EXPECT_EQ(rows(), (std::map<std::string, std::string>{{"processes", "there"},
                                                        {"containers", "unknown"},
                                                        {"volumes", "there"},
                                                        {"cgroup", "there"},
                                                        {"data", "kept"},
                                                        {"memory", "there"}}));
}

TEST_F(OneVictim, IsReleasedWithItsProcessesVolumesAndCgroup) {
  begin(false);
  gone(Holding::kProcesses);
  gone(Holding::kCgroup);
  see_mounts("/kubelet/pods/u/volumes/kubernetes.io~empty-dir/m");
  EXPECT_TRUE(releases_.take_released(kNow).empty());
  see_mounts("/kubelet/pods/u2/volumes/x");
  EXPECT_EQ(rows()["volumes"], "gone");
  EXPECT_EQ(releases_.take_released(kNow).size(), 1U);
  EXPECT_TRUE(releases_.empty());
}

TEST_F(OneVictim, WhoseDataIsRemovedWaitsForNobodyElse) {
  begin(true);
  gone(Holding::kData);
  EXPECT_TRUE(releases_.take_released(kNow).empty()) << "it still has processes";
  gone(Holding::kProcesses);
  EXPECT_EQ(rows()["data"], "removed");
  EXPECT_EQ(releases_.take_released(kNow).size(), 1U);
}

TEST_F(OneVictim, WithUnremovedDataIsAwaitedForVolumesAndCgroup) {
  begin(true);
  releases_.find(kPod)->data_error = "Operation not permitted";
  gone(Holding::kProcesses);
  EXPECT_EQ(rows()["data"], "failed");
  EXPECT_TRUE(releases_.take_released(kNow).empty()) << "nothing was freed";
  gone(Holding::kCgroup);
  see_mounts("/kubelet/pods/u/volumes/kubernetes.io~empty-dir/data/m");
  EXPECT_TRUE(releases_.take_released(kNow).empty()) << "something is mounted in its volume";
  see_mounts("/elsewhere");
  EXPECT_EQ(releases_.take_released(kNow).size(), 1U);
}

TEST_F(OneVictim, WithUnremovedDataIsAwaitedThirtySecondsAtMost) {
  begin(true);
  releases_.find(kPod)->data_error = "Device or resource busy";
  gone(Holding::kProcesses);
  see_mounts("/kubelet/pods/u/volumes/kubernetes.io~empty-dir/data/m");
  EXPECT_TRUE(releases_.take_released(kNow + seconds(29)).empty());
  EXPECT_EQ(releases_.take_released(kNow + seconds(30)).size(), 1U);
}

TEST_F(OneVictim, WithAwaitedLayersIsHeldUntilItsCgroupIsGoneToo) {
  begin(true);
  releases_.find(kPod)->awaits_layers = true;
  gone(Holding::kProcesses);
  gone(Holding::kData);
  see_mounts("/elsewhere");
  EXPECT_TRUE(releases_.take_released(kNow).empty()) << "its runtime may be removing them";
  gone(Holding::kCgroup);
  EXPECT_EQ(releases_.take_released(kNow).size(), 1U);
}

TEST_F(OneVictim, IsNotAwaitedForLongerThanThirtySecondsAfterItsKill) {
  begin(false);
  releases_.find(kPod)->killed_at = kNow + seconds(60);
  EXPECT_TRUE(releases_.take_released(kNow + seconds(89)).empty()) << "a grace is not counted";
  releases_.find(kPod)->killed_at = kNow;
  EXPECT_TRUE(releases_.take_released(kNow + seconds(29)).empty());
  EXPECT_EQ(releases_.take_released(kNow + seconds(30)).size(), 1U);
}

TEST_F(OneVictim, WhoseMemoryStaysChargedIsToldOfAfterThirtySeconds) {
  begin(false);
  gone(Holding::kProcesses);
  VictimReleases::Victim& victim = *releases_.find(kPod);
  VictimReleases::set_charged(victim, 64_MiB, kNow);
  EXPECT_EQ(rows()["memory"], "there");
  EXPECT_FALSE(VictimReleases::kept_memory(victim, kNow + seconds(29)));
  EXPECT_EQ(VictimReleases::kept_memory(victim, kNow + seconds(30)), 64_MiB);
  VictimReleases::set_charged(victim, 1_MiB, kNow);
  EXPECT_EQ(rows()["memory"], "gone");
  EXPECT_FALSE(VictimReleases::kept_memory(victim, kNow + seconds(30)));
}

}  // namespace
}  // namespace evictd::daemon
