// SPDX-License-Identifier: Apache-2.0
#include "core/leading_zero.h"

#include <gtest/gtest.h>

namespace evictd::core {
namespace {

TEST(LeadingZero, IsSeenBeforeDigitsOnly) {
  for (const std::string_view text : {"00", "010", "-08", "+07", "007Mi", "01.5"}) {
    EXPECT_TRUE(has_leading_zero(text)) << text;
  }
  for (const std::string_view text : {"", "0", "-0", "0.5", "0s", "0x10", "10", "1010", "Mi"}) {
    EXPECT_FALSE(has_leading_zero(text)) << text;
  }
}

TEST(LeadingZero, OfAnOptionIsNamedWithTheValue) {
  EXPECT_EQ(leading_zero_problem("010"),
            "\"010\": a leading zero, which makes it octal to some readers; allowed: decimal "
            "digits without one");
  EXPECT_EQ(leading_zero_problem("10"), "");
}

}  // namespace
}  // namespace evictd::core
