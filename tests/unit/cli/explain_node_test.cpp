// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/explain_text.h"

namespace evictd::cli {
namespace {

/// The first sentence of a decision's story.
std::string head_of(const exporting::EvictionRecord& record) {
  Answer answer;
  answer.record = &record;
  return story_of(answer).front();
}

TEST(ExplainNode, TheStoryNamesTheNodeOfTheRecord) {
  exporting::EvictionRecord record;
  record.id = 7;
  record.outcome = "nothing_met";
  EXPECT_EQ(head_of(record),
            "Decision 7 at 1970-01-01T00:00:00.000000Z: nobody was evicted (nothing_met): no "
            "threshold was met any more.")
      << "a record of an older version";
  record.node = "worker-1";
  EXPECT_TRUE(head_of(record).starts_with(
      "Decision 7 at 1970-01-01T00:00:00.000000Z on node worker-1: nobody"))
      << head_of(record);
  record.state = "released";
  EXPECT_TRUE(head_of(record).starts_with(
      "Decision 7 at 1970-01-01T00:00:00.000000Z on node worker-1: pod"))
      << head_of(record);
}

}  // namespace
}  // namespace evictd::cli
