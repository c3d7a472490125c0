// SPDX-License-Identifier: Apache-2.0
#include "load/memory_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace evictd::load {
namespace {

TEST(MixedPage, IsTwoFifthsRandomAndTheRestZero) {
  const std::vector<char> page = mixed_page();
  ASSERT_EQ(page.size(), kSmallPageBytes);
  constexpr std::size_t kRandom = kSmallPageBytes * 2 / 5;
  EXPECT_TRUE(std::all_of(page.begin() + kRandom, page.end(), [](char c) { return c == 0; }));
  std::array<int, 256> seen{};
  for (std::size_t i = 0; i < kRandom; ++i) {
    ++seen[static_cast<std::uint8_t>(page[i])];
  }
  // Of each byte about six: nothing that could be said more shortly.
  EXPECT_LT(*std::max_element(seen.begin(), seen.end()), 25);
  EXPECT_EQ(mixed_page(), page);
}

}  // namespace
}  // namespace evictd::load
