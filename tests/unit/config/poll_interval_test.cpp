// SPDX-License-Identifier: Apache-2.0
#include "config/poll_interval.h"

#include <gtest/gtest.h>

namespace evictd::config {
namespace {

TEST(PollInterval, OfACommandLineHasTheBoundsOfTheKey) {
  EXPECT_EQ(parse_poll_interval("10ms").value(), kPollIntervals.min);
  EXPECT_EQ(parse_poll_interval("1h").value(), kPollIntervals.max);
  for (const std::string text : {"9.999ms", "1h0m1s", "0", "-10s", "10", "soon", ""}) {
    const std::string problem = poll_interval_problem(text);
    EXPECT_EQ(problem,
              "\"" + text + "\": not allowed; allowed: a duration from 10ms to 1h, such as 10s");
  }
  EXPECT_EQ(poll_interval_problem("1m30s"), "");
}

}  // namespace
}  // namespace evictd::config
