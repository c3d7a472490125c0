// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/journal_line.h"

#include <gtest/gtest.h>

namespace evictd::kube {
namespace {

TEST(JournalLine, OfADecisionIsRead) {
  const auto line = read_journal_line(
      R"({"schema":1,"kind":"decision","id":3,"time":"2026-11-20T22:03:11.5Z","namespace":"n",)"
      R"("name":"a","uid":"u","outcome":"evicted","state":"killed","dry_run":true,)"
      R"("grace_seconds":30,"message":"m","annotations":{"k":"v","bad":5},)"
      R"("events":[{"on":"node","type":"Warning","reason":"R","message":"e"},7],)"
      R"("pod_conditions":[{"type":"T","status":"True","reason":"r","message":"c"}],)"
      R"("ranking":[{"name":"b","uid":"x"}],"seq":12})");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, JournalLine::Kind::kDecision);
  EXPECT_EQ(line->seq, 12U);
  EXPECT_EQ(line->id, 3U);
  EXPECT_EQ(line->name, "a");
  EXPECT_TRUE(line->is_dry_run);
  EXPECT_EQ(line->grace_seconds, 30);
  EXPECT_EQ(line->annotations, (std::map<std::string, std::string>{{"k", "v"}}));
  ASSERT_EQ(line->events.size(), 1U);
  EXPECT_TRUE(line->events[0].is_on_node);
  ASSERT_TRUE(line->condition);
  EXPECT_EQ(line->condition->message, "c");
}

TEST(JournalLine, OfAGapInMemoryIsRead) {
  const auto line = read_journal_line(
      R"({"kind":"skipped","after":5,"first":9,"conditions":{"PIDPressure":true,"x":1}})");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, JournalLine::Kind::kSkipped);
  EXPECT_EQ(line->first, 9U);
  EXPECT_EQ(line->conditions, (std::map<std::string, bool>{{"PIDPressure", true}}));
}

TEST(JournalLine, OfAnyOtherTypesHarmsNothing) {
  for (const char* const text :
       {R"({})", R"({"kind":[],"seq":"x"})", R"({"kind":"decision","seq":-1,"grace_seconds":-5})",
        R"({"kind":"progress","pod":5,"event":{}})", R"({"kind":"decision","events":{"a":[]}})"}) {
    const auto line = read_journal_line(text);
    ASSERT_TRUE(line) << text;
    EXPECT_EQ(line->seq, 0U);
    EXPECT_TRUE(line->events.empty());
  }
  for (const char* const text : {"", "[]", "5", "{", R"({"seq":1,"seq":2})"}) {
    EXPECT_FALSE(read_journal_line(text)) << text;
  }
}

}  // namespace
}  // namespace evictd::kube
