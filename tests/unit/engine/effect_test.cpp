// SPDX-License-Identifier: Apache-2.0
#include "engine/effect.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <variant>

namespace evictd::engine {
namespace {

TEST(Effects, KeepAsManyAsThereMayBeInTheirOrder) {
  Effects effects;
  EXPECT_TRUE(effects.empty());
  for (std::size_t i = 0; i < Effects::kMost; ++i) {
    effects.add(ScanPods{.round = i});
  }
  ASSERT_EQ(effects.size(), Effects::kMost);
  std::size_t next = 0;
  for (const Effect& effect : effects) {
    EXPECT_EQ(std::get<ScanPods>(effect).round, next++);
  }
  EXPECT_EQ(next, Effects::kMost);
}

TEST(Effects, OfAnEventAreNotThoseOfTheOneBefore) {
  for (const std::size_t pod : {std::size_t{3}, std::size_t{5}}) {
    Effects effects;
    effects.add(Signal{.pod = pod, .local = std::nullopt});
    effects.add(Wait{.at_once = true});
    ASSERT_EQ(effects.size(), 2U);
    EXPECT_EQ(std::get<Signal>(*effects.begin()).pod, pod);
    EXPECT_TRUE(std::get<Wait>(*(effects.begin() + 1)).at_once);
  }
}

}  // namespace
}  // namespace evictd::engine
