// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace evictd::churn {
namespace {

bool same(const PodPlan& a, const PodPlan& b) {
  return a.spec.name == b.spec.name && a.spec.qos == b.spec.qos &&
         a.spec.priority == b.spec.priority && a.spec.memory_request == b.spec.memory_request &&
         a.work == b.work && a.cap == b.cap && a.rate == b.rate &&
         a.ignore_sigterm == b.ignore_sigterm && a.has_manifest == b.has_manifest &&
         a.pause == b.pause && a.life == b.life && a.ends_laden == b.ends_laden &&
         a.last_signal == b.last_signal && a.moves_after == b.moves_after &&
         a.comes_back == b.comes_back;
}

bool same(const std::vector<PodPlan>& a, const std::vector<PodPlan>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const PodPlan& one, const PodPlan& other) { return same(one, other); });
}

TEST(ChurnPlan, IsTheSameForTheSameSeedAndRoundAndForNoOther) {
  const std::vector<PodPlan> plan = plan_round(7, 3);
  EXPECT_EQ(plan.size(), kPodsOfARound);
  EXPECT_TRUE(same(plan, plan_round(7, 3)));
  EXPECT_FALSE(same(plan, plan_round(8, 3)));
  EXPECT_FALSE(same(plan, plan_round(7, 4)));
}

/// A plain build's, and those of builds in which a child, a program or memory takes many times
/// that.
std::vector<LoadSizes> sizes_of_builds() {
  LoadSizes children;
  children.child = 4_MiB;
  children.child_tasks = 2;
  LoadSizes programs;
  programs.program = 48_MiB;
  programs.program_tasks = 2;
  LoadSizes memory;
  memory.of_a_mebibyte = 4_MiB;
  return {LoadSizes{}, children, programs, memory};
}

TEST(ChurnPlan, HasNoPodThatFindsNoRoomInAnyBuild) {
  for (const LoadSizes& sizes : sizes_of_builds()) {
    const Limits limits = limits_for(sizes);
    for (std::uint64_t round = 0; round < 100; ++round) {
      for (const PodPlan& pod : plan_round(1, round)) {
        EXPECT_LE(pod.most_memory(sizes) + limits.resident_memory, limits.memory) << pod.spec.name;
        EXPECT_LE(pod.most_tasks(sizes) + limits.resident_tasks, limits.tasks) << pod.spec.name;
      }
    }
  }
}

TEST(ChurnLimits, LeaveTheResidentsBelowEveryThresholdInAnyBuild) {
  for (const LoadSizes& sizes : sizes_of_builds()) {
    const Limits limits = limits_for(sizes);
    EXPECT_GT(limits.hard_memory, Bytes{0});
    EXPECT_GT(limits.soft_memory, limits.hard_memory);
    EXPECT_LT(limits.resident_memory, limits.memory - limits.soft_memory);
    EXPECT_LT(limits.resident_tasks, limits.tasks - limits.hard_tasks);
  }
}

TEST(ChurnLimits, AreMetByTwoPodsOfMiddleSizeInAnyBuild) {
  PodPlan middle;
  middle.work = Work::kMemory;
  middle.cap = (64_MiB).value;
  for (const LoadSizes& sizes : sizes_of_builds()) {
    const Limits limits = limits_for(sizes);
    const Bytes used =
        limits.resident_memory + middle.most_memory(sizes) + middle.most_memory(sizes);
    EXPECT_LT(limits.memory - used, limits.hard_memory);
    EXPECT_LT(used, limits.memory);
  }
}

TEST(ChurnPlan, HasPodsOfEveryKindInTenRounds) {
  std::vector<PodPlan> pods;
  for (std::uint64_t round = 0; round < 10; ++round) {
    const std::vector<PodPlan> more = plan_round(1, round);
    pods.insert(pods.end(), more.begin(), more.end());
  }
  const auto some = [&](auto&& condition) {
    return std::any_of(pods.begin(), pods.end(), condition);
  };
  for (const Work work : {Work::kMemory, Work::kForks, Work::kSleep, Work::kNone}) {
    EXPECT_TRUE(some([&](const PodPlan& pod) { return pod.work == work; }));
  }
  EXPECT_TRUE(some([](const PodPlan& pod) { return pod.is_protected() && pod.has_manifest; }));
  EXPECT_TRUE(some([](const PodPlan& pod) { return !pod.has_manifest; }));
  EXPECT_TRUE(some([](const PodPlan& pod) { return !pod.is_protected(); }));
  EXPECT_TRUE(some([](const PodPlan& pod) { return pod.ends_laden; }));
  EXPECT_TRUE(some([](const PodPlan& pod) { return !pod.ends_laden; }));
  EXPECT_TRUE(some([](const PodPlan& pod) { return pod.moves_after.has_value(); }));
  EXPECT_TRUE(some([](const PodPlan& pod) { return pod.comes_back && !pod.moves_after; }));
}

}  // namespace
}  // namespace evictd::churn
