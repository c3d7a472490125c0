// SPDX-License-Identifier: Apache-2.0
#include "export/json_time.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evictd::exporting {
namespace {

WallTime at(std::chrono::seconds seconds, std::chrono::nanoseconds rest = {}) {
  return WallTime(seconds + rest);
}

TEST(Rfc3339, IsUtcWithSixDigitsOfASecond) {
  EXPECT_EQ(rfc3339(at(std::chrono::seconds(1769860800), std::chrono::microseconds(123))),
            "2026-01-31T12:00:00.000123Z");
}

TEST(Rfc3339, CutsWhatIsLessThanAMicrosecond) {
  EXPECT_EQ(rfc3339(at(std::chrono::seconds(0), std::chrono::nanoseconds(1999))),
            "1970-01-01T00:00:00.000001Z");
}

TEST(Rfc3339, KnowsLeapDays) {
  EXPECT_EQ(rfc3339(at(std::chrono::seconds(1709210096))), "2024-02-29T12:34:56.000000Z");
}

TEST(Rfc3339, CountsBackwardsBeforeTheEpoch) {
  EXPECT_EQ(rfc3339(at(std::chrono::seconds(0), -std::chrono::nanoseconds(1))),
            "1969-12-31T23:59:59.999999Z");
}

}  // namespace
}  // namespace evictd::exporting
