// SPDX-License-Identifier: Apache-2.0
#include "engine/slot_index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/pods.h"

namespace evictd::engine {
namespace {

/// An index with its owner's ids.
class Indexed : public testing::Test {
 protected:
  void put(std::uint32_t slot, CgroupId id) {
    index_.add(id, slot);
    ids_[slot] = id;
  }
  void take(std::uint32_t slot) {
    index_.remove(ids_[slot], slot);
    ids_[slot] = {};
  }
  [[nodiscard]] std::optional<std::uint32_t> find(CgroupId id) const {
    return index_.find(id, [this](std::uint32_t slot) { return ids_[slot]; });
  }
  static CgroupId id_of(std::uint64_t number) { return {.hierarchy = 0, .id = number + 1}; }

  SlotIndex index_;
  std::vector<CgroupId> ids_{std::vector<CgroupId>(kMaxPods)};
};

TEST_F(Indexed, EveryPodOfAFullNodeIsFoundAndNoOther) {
  for (std::uint32_t slot = 0; slot < kMaxPods; ++slot) {
    put(slot, id_of(slot));
  }
  for (std::uint32_t slot = 0; slot < kMaxPods; ++slot) {
    ASSERT_EQ(find(id_of(slot)), slot);
  }
  EXPECT_EQ(find(id_of(kMaxPods)), std::nullopt);
  EXPECT_EQ(find({.hierarchy = 1, .id = 1}), std::nullopt) << "of another hierarchy";
}

TEST_F(Indexed, OthersAreFoundAfterSomeWereTakenOut) {
  for (std::uint32_t slot = 0; slot < kMaxPods; ++slot) {
    put(slot, id_of(slot));
  }
  for (std::uint32_t slot = 0; slot < kMaxPods; slot += 3) {
    take(slot);
  }
  for (std::uint32_t slot = 0; slot < kMaxPods; ++slot) {
    ASSERT_EQ(find(id_of(slot)), slot % 3 == 0 ? std::nullopt : std::optional(slot));
  }
  for (std::uint32_t slot = 0; slot < kMaxPods; slot += 3) {
    put(slot, id_of(kMaxPods + slot));
  }
  for (std::uint32_t slot = 0; slot < kMaxPods; slot += 3) {
    ASSERT_EQ(find(id_of(kMaxPods + slot)), slot);
  }
}

TEST_F(Indexed, OfTwoSlotsOfACgroupTheOlderIsFound) {
  put(7, id_of(1));
  put(3, id_of(1));
  EXPECT_EQ(find(id_of(1)), 7U);
  take(7);
  EXPECT_EQ(find(id_of(1)), 3U);
  take(3);
  EXPECT_EQ(find(id_of(1)), std::nullopt);
}

TEST(Pods, AReplacedPodIsFoundByItsOwnCgroupOnly) {
  Pods pods;
  pods.place({.slot = 4, .id = {.hierarchy = 0, .id = 10}});
  pods.place({.slot = 4, .id = {.hierarchy = 0, .id = 11}});
  EXPECT_EQ(pods.find({.hierarchy = 0, .id = 10}), nullptr);
  ASSERT_NE(pods.find({.hierarchy = 0, .id = 11}), nullptr);
  pods.place({.slot = 4, .id = {.hierarchy = 0, .id = 11}, .has_target = true});
  ASSERT_NE(pods.find({.hierarchy = 0, .id = 11}), nullptr);
  EXPECT_TRUE(pods.find({.hierarchy = 0, .id = 11})->has_target);
  pods.remove(4);
  EXPECT_EQ(pods.find({.hierarchy = 0, .id = 11}), nullptr);
}

}  // namespace
}  // namespace evictd::engine
