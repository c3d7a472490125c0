// SPDX-License-Identifier: Apache-2.0
#include "engine/refused_pods.h"

#include <gtest/gtest.h>

#include "unit/engine/moments.h"

namespace evictd::engine {
namespace {

PodView pod_in_slot(std::uint32_t slot, std::uint64_t cgroup) {
  PodView pod;
  pod.slot = slot;
  pod.id = {.hierarchy = 0, .id = cgroup};
  return pod;
}

/// Tries it without a pause until it is given up.
void put_off_until_given_up(RefusedPods& refused, const PodView& pod) {
  const MonoTime end = kNow + kLeastTimeToEnd;
  for (MonoTime at = kNow; at < end; at += RefusedPods::kTryPause) {
    EXPECT_NE(refused.put_off(pod, at), RefusedPods::Try::kLast);
  }
  EXPECT_EQ(refused.put_off(pod, end), RefusedPods::Try::kLast);
}

TEST(RefusedPods, AreRememberedByTheirCgroupUntilForgotten) {
  RefusedPods refused;
  const PodView pod = pod_in_slot(7, 70);
  EXPECT_TRUE(refused.empty());
  refused.add(pod);
  refused.add(pod);
  EXPECT_TRUE(refused.has(pod));
  EXPECT_FALSE(refused.has(pod_in_slot(8, 70)));
  EXPECT_FALSE(refused.has(pod_in_slot(7, 71))) << "another pod in its slot";
  refused.forget(pod_in_slot(7, 71));
  EXPECT_TRUE(refused.has(pod));
  refused.forget(pod);
  EXPECT_FALSE(refused.has(pod));
  EXPECT_TRUE(refused.empty());
}

TEST(RefusedPods, OneThatIsPutOffIsTriedAgainUntilItWasForTwoSeconds) {
  using Try = RefusedPods::Try;
  RefusedPods refused;
  const PodView pod = pod_in_slot(7, 70);
  EXPECT_FALSE(refused.next_try());
  EXPECT_EQ(refused.put_off(pod, kNow), Try::kFirst);
  EXPECT_EQ(refused.next_try(), kNow + kTryAgain);
  EXPECT_FALSE(refused.take_try(kNow));
  EXPECT_TRUE(refused.take_try(kNow + kTryAgain));
  EXPECT_FALSE(refused.next_try()) << "told of twice";
  EXPECT_EQ(refused.put_off(pod, kNow + kTryAgain), Try::kAgain);
  refused.forget_put_off();
  put_off_until_given_up(refused, pod);
  EXPECT_FALSE(refused.next_try());
  EXPECT_EQ(refused.put_off(pod, kNow + 6 * kLeastTimeToEnd), Try::kLast)
      << "others would wait for it time and again";
  EXPECT_FALSE(refused.has(pod)) << "whoever asks decides on that";
}

TEST(RefusedPods, OneThatWasSignalledOrNeedNotGoHasAllTheTimeOfItsOwn) {
  using Try = RefusedPods::Try;
  constexpr MonoTime kLater = kNow + 2 * kLeastTimeToEnd;
  RefusedPods refused;
  const PodView first = pod_in_slot(7, 70);
  const PodView second = pod_in_slot(8, 80);
  EXPECT_EQ(refused.put_off(first, kNow), Try::kFirst);
  put_off_until_given_up(refused, second);
  refused.stop_putting_off(first);
  refused.stop_putting_off(first);
  EXPECT_EQ(refused.put_off(first, kLater), Try::kFirst);
  EXPECT_EQ(refused.put_off(second, kLater), Try::kLast);
  refused.forget_put_off();
  EXPECT_FALSE(refused.next_try());
  EXPECT_EQ(refused.put_off(second, kLater), Try::kFirst);
}

TEST(RefusedPods, OneThatFailsAgainLaterHasAllTheTimeOfItsOwn) {
  using Try = RefusedPods::Try;
  constexpr MonoTime kLater = kNow + 2 * kLeastTimeToEnd;
  RefusedPods refused;
  const PodView pod = pod_in_slot(7, 70);
  EXPECT_EQ(refused.put_off(pod, kNow), Try::kFirst);
  EXPECT_EQ(refused.put_off(pod, kLater), Try::kFirst) << "another pod would go";
  EXPECT_EQ(refused.next_try(), kLater + kTryAgain);
  EXPECT_EQ(refused.put_off(pod, kLater + kTryAgain), Try::kAgain);
}

TEST(RefusedPods, NothingIsKeptOfThoseThatAreGone) {
  using Try = RefusedPods::Try;
  RefusedPods refused;
  for (std::uint32_t i = 1; i <= Victims::kCapacity; ++i) {
    EXPECT_EQ(refused.put_off(pod_in_slot(i, i), kNow), Try::kFirst);
    refused.add(pod_in_slot(i, i));
  }
  for (std::uint32_t i = 1; i <= Victims::kCapacity; ++i) {
    refused.forget_all(pod_in_slot(i, i));
  }
  EXPECT_TRUE(refused.empty());
  EXPECT_FALSE(refused.next_try());
  EXPECT_EQ(refused.put_off(pod_in_slot(100, 100), kNow), Try::kFirst);
}

TEST(RefusedPods, OneMoreThanCanBeEvictedAtATimeIsNotPutOff) {
  using Try = RefusedPods::Try;
  RefusedPods refused;
  for (std::uint32_t i = 1; i <= Victims::kCapacity; ++i) {
    EXPECT_EQ(refused.put_off(pod_in_slot(i, i), kNow), Try::kFirst);
  }
  EXPECT_EQ(refused.put_off(pod_in_slot(100, 100), kNow), Try::kLast);
  EXPECT_EQ(refused.put_off(pod_in_slot(1, 1), kNow), Try::kAgain);
}

}  // namespace
}  // namespace evictd::engine
