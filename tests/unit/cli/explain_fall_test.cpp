// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/explain_text.h"

namespace evictd::cli {
namespace {

/// The sentences on the signal and its threshold.
std::string signal_story(const exporting::EvictionRecord& record) {
  Answer answer;
  answer.record = &record;
  return story_of(answer).at(1);
}

TEST(ExplainFall, TheStorySaysHowFastTheSignalFellAndWhy) {
  exporting::EvictionRecord record;
  record.outcome = "in_grace";
  record.signal = "memory.available";
  record.threshold = "100Mi";
  EXPECT_THAT(signal_story(record), testing::Not(testing::HasSubstr("fell")));
  record.rate = std::int64_t{300} << 20;
  EXPECT_THAT(signal_story(record), testing::EndsWith("is 100Mi. It fell by 300.0Mi a second."));
  record.because_of =
      exporting::RecordedCause{.ns = "shop", .name = "cart", .uid = "u2", .rate = 1};
  EXPECT_THAT(signal_story(record),
              testing::EndsWith("It fell by 300.0Mi a second, because of shop/cart."));
}

}  // namespace
}  // namespace evictd::cli
