// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/record_builder.h"

#include <gtest/gtest.h>

#include "recorded_pass.h"

namespace evictd::daemon {
namespace {

TEST_F(RecordedPass, APodOutsideThePodRootIsPassedOverForThePodRootsLimit) {
  add({.name = "job", .usage = 80_MiB, .tasks = 90}).facts.below_pod_root = false;
  add({.name = "web", .usage = 10_MiB, .tasks = 10});
  const auto ranked = ranking(eviction::Signal::kAllocatableMemoryAvailable);
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].name, "job");
  EXPECT_EQ(ranked[0].passed_over, "outside_pod_root");
  EXPECT_EQ(ranked[0].reason,
            "outside the pods' cgroup: its end would free nothing of that cgroup's own limit");
  EXPECT_EQ(ranked[1].passed_over, "");
  EXPECT_EQ(ranking(eviction::Signal::kPidAvailable)[0].passed_over, "");
  copy_.pid_scope = eviction::Scope::kPodRoot;
  EXPECT_EQ(ranking(eviction::Signal::kPidAvailable)[0].passed_over, "outside_pod_root");
}

TEST_F(RecordedPass, EveryCandidateHasItsPlaceAndItsReason) {
  add({.name = "within", .usage = 50_MiB, .request = 100_MiB});
  add({.name = "important", .usage = 90_MiB, .request = 1_MiB, .priority = 10});
  add({.name = "small", .usage = 10_MiB});
  add({.name = "hog", .usage = 80_MiB});
  const auto ranked = ranking();
  ASSERT_EQ(ranked.size(), 4U);
  EXPECT_EQ(ranked[0].name, "hog");
  EXPECT_EQ(ranked[0].place, 1U);
  EXPECT_EQ(ranked[0].passed_over, "");
  EXPECT_EQ(ranked[0].reason, "chosen: first in the ranking of pods that may be evicted");
  EXPECT_EQ(ranked[1].name, "small");
  EXPECT_EQ(ranked[1].passed_over, "ranks_later");
  EXPECT_EQ(ranked[1].reason, "ranks later: uses less above its request");
  EXPECT_EQ(ranked[2].name, "important");
  EXPECT_EQ(ranked[2].reason, "ranks later: priority 10 is above 0");
  EXPECT_EQ(ranked[3].name, "within");
  EXPECT_EQ(ranked[3].place, 4U);
  EXPECT_FALSE(ranked[3].exceeds_request);
  EXPECT_EQ(ranked[3].reason, "ranks later: uses no more than it requests");
}

TEST_F(RecordedPass, ProtectedPodsAreRankedAndPassedOver) {
  HotPod& fixed = add({.name = "static", .usage = 90_MiB});
  fixed.facts.is_static = true;
  fixed.facts.is_critical = true;
  add({.name = "hog", .usage = 80_MiB});
  const auto ranked = ranking();
  EXPECT_EQ(ranked[0].name, "static");
  EXPECT_EQ(ranked[0].place, 1U);
  EXPECT_EQ(ranked[0].passed_over, "static");
  EXPECT_EQ(ranked[0].reason, "protected: static pod");
  EXPECT_EQ(ranked[1].passed_over, "");
}

TEST_F(RecordedPass, WhatNoSourceOfPodsKnowsIsListedLastWithoutAPlace) {
  add({.name = "nameless", .usage = 90_MiB});
  copy_.pods[0].pass.standing = eviction::Standing::kUnknown;
  add({.name = "hog", .usage = 80_MiB});
  const auto ranked = ranking();
  EXPECT_EQ(ranked[0].name, "hog");
  EXPECT_EQ(ranked[0].place, 1U);
  EXPECT_EQ(ranked[1].place, 0U);
  EXPECT_EQ(ranked[1].passed_over, "unknown");
  EXPECT_EQ(ranked[1].reason, "protected: no source of pods knows this cgroup");
}

TEST_F(RecordedPass, APodThatWasMerelyRefusedIsNotSaidToBeEvicted) {
  add({.name = "refused", .usage = 90_MiB});
  copy_.pods[0].pass.standing = eviction::Standing::kRefused;
  add({.name = "hog", .usage = 80_MiB});
  const auto ranked = ranking();
  EXPECT_EQ(ranked[0].name, "refused");
  EXPECT_EQ(ranked[0].passed_over, "refused");
  EXPECT_EQ(ranked[0].reason, "its eviction failed: evictd tries again with the next regular pass");
  EXPECT_EQ(ranked[1].passed_over, "") << "the victim";
}

TEST_F(RecordedPass, APodThatHoldsEvictdItselfIsSaidToBeThat) {
  add({.name = "us", .usage = 90_MiB}).protection = enforce::Protection::kOwnProcess;
  copy_.pods[0].pass.standing = eviction::Standing::kUnknown;
  EXPECT_EQ(ranking()[0].passed_over, "own_process");
  EXPECT_EQ(ranking()[0].reason, "protected: own process");
}

TEST_F(RecordedPass, APodThatWasNotReadComesLastWithoutAPlace) {
  add({.name = "unread"});
  copy_.pods[0].pass.reading.state = eviction::ReadingState::kNotReadYet;
  add({.name = "hog", .usage = 80_MiB});
  const auto ranked = ranking();
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[1].name, "unread");
  EXPECT_EQ(ranked[1].place, 0U);
  EXPECT_EQ(ranked[1].reason, "waited for: its statistics were not read yet");
}

TEST_F(RecordedPass, ProcessesDecideAboutProcessIds) {
  add({.name = "big", .usage = 500_MiB, .tasks = 3});
  add({.name = "bomb", .usage = 1_MiB, .tasks = 700});
  const auto ranked = ranking(eviction::Signal::kPidAvailable);
  EXPECT_EQ(ranked[0].name, "bomb");
  EXPECT_EQ(ranked[0].usage, 700);
  EXPECT_EQ(ranked[1].reason, "ranks later: fewer processes");
}

TEST_F(RecordedPass, AReadingCarriesItsAgeAndSource) {
  add({.name = "hog", .usage = 80_MiB, .request = 20_MiB});
  const auto ranked = ranking();
  EXPECT_EQ(ranked[0].reading_age_us, 7);
  EXPECT_EQ(ranked[0].source, "files");
  EXPECT_EQ(ranked[0].usage, (80_MiB).value);
  EXPECT_EQ(ranked[0].request, (20_MiB).value);
  EXPECT_TRUE(ranked[0].exceeds_request);
}

TEST_F(RecordedPass, APodThatWasCountedInPartSaysSoAndHowMuchMoreItMayHave) {
  add({.name = "filler"});
  copy_.pods[0].pass.reading.disk.volume_bytes = (20_MiB).value;
  copy_.pods[0].pass.disk_count = eviction::DiskCount::kPart;
  add({.name = "small"});
  copy_.pods[1].pass.reading.disk.volume_bytes = (8_MiB).value;
  copy_.observations[eviction::Signal::kNodeFsAvailable] = eviction::Observation{
      .available = (50_MiB).value, .capacity = (256_MiB).value, .time = kPassAt};
  const auto ranked = ranking(eviction::Signal::kNodeFsAvailable);
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].name, "filler");
  EXPECT_EQ(ranked[0].counted, "part");
  EXPECT_EQ(ranked[0].error_bound, (186_MiB).value);
  EXPECT_EQ(ranked[1].counted, "whole");
  EXPECT_EQ(ranked[1].error_bound, 0);
  EXPECT_EQ(ranking()[0].counted, "") << "memory is not counted";
}

}  // namespace
}  // namespace evictd::daemon
