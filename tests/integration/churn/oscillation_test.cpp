// SPDX-License-Identifier: Apache-2.0
#include "oscillation.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::churn {
namespace {

TEST(OscillationCost, IsTheShareOfOneCore) {
  const OscillationCost cost{.took = std::chrono::seconds{10},
                             .cpu = std::chrono::milliseconds{25}};
  EXPECT_DOUBLE_EQ(cost.percent(), 0.25);
  EXPECT_EQ(cost.text(),
            "100 swings of 16 MiB in 10.0 s; evictd used 25.0 ms, which is 0.25 % of a core");
  EXPECT_EQ(OscillationCost{}.percent(), 0.0);
}

}  // namespace
}  // namespace evictd::churn
