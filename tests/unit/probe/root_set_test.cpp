// SPDX-License-Identifier: Apache-2.0
#include "probe/root_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <vector>

namespace evictd::probe {
namespace {

constexpr CgroupId kFirst{.hierarchy = 4, .id = 10};
constexpr CgroupId kSecond{.hierarchy = 8, .id = 20};
constexpr CgroupId kThird{.hierarchy = 9, .id = 30};
constexpr CgroupId kOther{.hierarchy = 4, .id = 40};

class RootSets : public testing::Test {
 protected:
  /// A map with room for `room_` roots that refuses one of them.
  [[nodiscard]] Result<> replace(const std::vector<CgroupId>& roots) {
    return set_.replace(roots, {.add = [&](CgroupId root) -> Result<> {
                                  if (root == refused_) {
                                    return fail_errno(ENOMEM, "write map roots");
                                  }
                                  if (!has(root) && map_.size() == room_) {
                                    return fail_errno(E2BIG, "write map roots");
                                  }
                                  if (!has(root)) {
                                    map_.push_back(root);
                                  }
                                  return {};
                                },
                                .remove = [&](CgroupId root) { std::erase(map_, root); }});
  }
  [[nodiscard]] bool has(CgroupId root) const {
    return std::find(map_.begin(), map_.end(), root) != map_.end();
  }
  static std::uint64_t bits(const std::vector<std::uint32_t>& hierarchies) {
    std::uint64_t all = 0;
    for (const std::uint32_t hierarchy : hierarchies) {
      all |= std::uint64_t{1} << hierarchy;
    }
    return all;
  }

  RootSet set_;
  std::size_t room_ = 64;
  std::optional<CgroupId> refused_;
  std::vector<CgroupId> map_;
};

TEST_F(RootSets, OneThatCannotBeAddedKeepsNoneOfTheOthersOut) {
  refused_ = kSecond;
  const Result<> set = replace({kFirst, kSecond, kThird});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().sys_errno, ENOMEM);
  EXPECT_EQ(map_, (std::vector{kFirst, kThird}));
  EXPECT_EQ(set_.hierarchies(), bits({4, 9})) << "what is in the map is to be looked at";

  refused_.reset();
  EXPECT_TRUE(replace({kFirst, kSecond, kThird}));
  EXPECT_TRUE(has(kSecond));
  EXPECT_EQ(set_.hierarchies(), bits({4, 8, 9}));
}

TEST_F(RootSets, WhatWasAddedBeforeAFailureIsTakenOutOnceItIsNotWanted) {
  refused_ = kSecond;
  ASSERT_FALSE(replace({kFirst, kSecond}));
  refused_.reset();
  EXPECT_TRUE(replace({kOther, kSecond}));
  EXPECT_EQ(map_, (std::vector{kOther, kSecond}));
}

TEST_F(RootSets, ARootInTheMapStaysKnownThoughItCannotBeWrittenAnew) {
  ASSERT_TRUE(replace({kFirst}));
  refused_ = kFirst;
  EXPECT_FALSE(replace({kFirst}));
  EXPECT_EQ(set_.hierarchies(), bits({4}));
  EXPECT_TRUE(replace({}));
  EXPECT_TRUE(map_.empty());
}

TEST_F(RootSets, AFullMapTakesOthersInPlaceOfThoseThatAreNotWanted) {
  room_ = 2;
  ASSERT_TRUE(replace({kFirst, kSecond}));
  EXPECT_TRUE(replace({kOther, kThird}));
  EXPECT_EQ(map_, (std::vector{kOther, kThird}));
}

}  // namespace
}  // namespace evictd::probe
