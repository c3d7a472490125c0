// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/pod_slots.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/pods/slot_allocator.h"

namespace evictd::daemon {
namespace {

std::unique_ptr<HotPod> pod(std::int64_t created_at_s, std::uint64_t id, std::string uid) {
  auto made = std::make_unique<HotPod>();
  made->created_at_s = created_at_s;
  made->memory_id = {.hierarchy = 1, .id = id};
  made->uid = std::move(uid);
  return made;
}

std::vector<std::string> uids(const PodSlots& slots) {
  std::vector<std::string> uids;
  for (const std::uint32_t slot : slots.ordered()) {
    uids.push_back(slots.at(slot)->uid);
  }
  return uids;
}

TEST(HotPod, WhatEveryPassReadsLiesInTwoCacheLines) {
  const std::unique_ptr<HotPod> made = pod(0, 1, "a");
  const auto begin = reinterpret_cast<std::uintptr_t>(made.get());
  EXPECT_EQ(begin % 64, 0U);
  EXPECT_LE(reinterpret_cast<std::uintptr_t>(&made->facts + 1) - begin, 128U);
}

TEST(PodSlots, TheNewestComesFirst) {
  PodSlots slots;
  slots.place(1, pod(100, 9, "old"));
  slots.place(2, pod(300, 1, "new"));
  slots.place(3, pod(200, 5, "middle"));
  EXPECT_EQ(uids(slots), (std::vector<std::string>{"new", "middle", "old"}));
}

TEST(PodSlots, TheCgroupIdDecidesWhereNoCreationTimeDoes) {
  PodSlots slots;
  slots.place(1, pod(0, 10, "older"));
  slots.place(2, pod(0, 20, "newer"));
  slots.place(3, pod(5, 1, "dated"));
  EXPECT_EQ(uids(slots), (std::vector<std::string>{"dated", "newer", "older"}));
}

TEST(PodSlots, TheUidDecidesLast) {
  PodSlots slots;
  // Also where their cgroups were made in another order than their names have.
  slots.place(1, pod(7, 4, "b"));
  slots.place(2, pod(7, 3, "a"));
  slots.place(3, pod(7, 5, "c"));
  EXPECT_EQ(uids(slots), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(PodSlots, PlacingGivesBackWhatWasThere) {
  PodSlots slots;
  EXPECT_EQ(slots.place(4, pod(1, 1, "first")), nullptr);
  const std::unique_ptr<HotPod> first = slots.place(4, pod(2, 1, "second"));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->uid, "first");
  EXPECT_EQ(uids(slots), std::vector<std::string>{"second"});
  const std::unique_ptr<HotPod> second = slots.place(4, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(slots.ordered().empty());
  EXPECT_EQ(slots.at(4), nullptr);
}

TEST(PodSlots, ReplacingAPodMovesItToItsPlace) {
  PodSlots slots;
  slots.place(1, pod(1, 1, "a"));
  slots.place(2, pod(2, 2, "b"));
  slots.place(1, pod(3, 1, "a"));
  EXPECT_EQ(uids(slots), (std::vector<std::string>{"a", "b"}));
}

TEST(PodSlots, APodIsFoundByItsCgroupAsLongAsItHasASlot) {
  const auto cgroup = [](std::uint64_t id) { return CgroupId{.hierarchy = 1, .id = id}; };
  PodSlots slots;
  slots.place(1, pod(1, 10, "a"));
  slots.place(2, pod(2, 20, "b"));
  ASSERT_NE(slots.find(cgroup(10)), nullptr);
  EXPECT_EQ(slots.find(cgroup(10))->uid, "a");
  EXPECT_EQ(slots.find(cgroup(20)), slots.at(2));

  slots.place(1, pod(1, 30, "in its place"));
  EXPECT_EQ(slots.find(cgroup(10)), nullptr);
  EXPECT_EQ(slots.find(cgroup(30)), slots.at(1));
  slots.place(2, nullptr);
  EXPECT_EQ(slots.find(cgroup(20)), nullptr);
}

TEST(SlotAllocator, GivesTheLowestFreeSlot) {
  SlotAllocator slots(1, 4);
  EXPECT_EQ(slots.take(), 1U);
  EXPECT_EQ(slots.take(), 2U);
  slots.give_back(1);
  EXPECT_EQ(slots.take(), 1U);
  EXPECT_EQ(slots.take(), 3U);
}

TEST(SlotAllocator, HasNothingWhenAllAreTaken) {
  SlotAllocator slots(1, 2);
  EXPECT_EQ(slots.take(), 1U);
  EXPECT_EQ(slots.take(), std::nullopt);
  slots.give_back(1);
  EXPECT_EQ(slots.take(), 1U);
}

}  // namespace
}  // namespace evictd::daemon
