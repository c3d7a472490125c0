// SPDX-License-Identifier: Apache-2.0
#include "config/pause.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::config {
namespace {

TEST(Pause, LastsForATimeUpToADay) {
  EXPECT_EQ(parse_pause_length("10m").value(), std::chrono::minutes(10));
  EXPECT_EQ(parse_pause_length("24h").value(), std::chrono::hours(24));
  for (const char* const wrong : {"", "BAD", "10", "0s", "-1s", "25h"}) {
    const Result<Duration> length = parse_pause_length(wrong);
    ASSERT_FALSE(length) << wrong;
    EXPECT_EQ(length.error().message(), "\"" + std::string(wrong) +
                                            "\": no time to pause; allowed: a duration above 0s "
                                            "up to 24h, such as 10m");
  }
}

TEST(Pause, IsOfASignalThatTheCompatibilityHas) {
  EXPECT_EQ(parse_paused_signal("pid.available", eviction::Compat::k1_26).value(),
            eviction::Signal::kPidAvailable);
  EXPECT_TRUE(parse_paused_signal("containerfs.available", eviction::Compat::k1_32));
  EXPECT_FALSE(parse_paused_signal("containerfs.available", eviction::Compat::k1_26));
  const Result<eviction::Signal> unknown = parse_paused_signal("memory", eviction::Compat::k1_32);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message().find("allowed: "), std::string::npos);
}

}  // namespace
}  // namespace evictd::config
