// SPDX-License-Identifier: Apache-2.0
#include "demo/eviction_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evictd::demo {
namespace {

TEST(DemoEvictionRecord, TakesWhatEvictdSaysOfAnEviction) {
  const auto records = parse_evictions(R"([{
      "id": 1, "pod": "default/besteffort-hog", "uid": "u-1", "grace_seconds": 0,
      "timeline": {"hook_ns": 1000, "wake_ns": 2000, "observe_ns": 3000, "decide_ns": 4000,
                   "first_signal_ns": 4500, "signal_ns": 5000, "killed_ns": 5000, "exited_ns": null, "freed_ns": null},
      "ranking": [{"place": 1, "name": "besteffort-hog", "reason": "chosen"},
                  {"place": 0, "name": "static", "reason": "protected"}],
      "hooks": {"charge": "tp_btf/mod_memcg_state", "fork": "tp_btf/task_newtask",
                "exit": "tp_btf/task_newtask"}}])");
  ASSERT_TRUE(records) << records.error().message();
  ASSERT_EQ(records->size(), 1U);
  const EvictionRecord& record = records->front();
  EXPECT_EQ(record.uid, "u-1");
  EXPECT_EQ(record.hook, MonoTime{Duration{1000}});
  EXPECT_EQ(record.kill, MonoTime{Duration{4500}}) << "without a grace, the first SIGKILL";
  EXPECT_FALSE(record.freed);
  EXPECT_THAT(record.hooks,
              testing::UnorderedElementsAre("tp_btf/mod_memcg_state", "tp_btf/task_newtask"));
  ASSERT_EQ(record.ranking.size(), 1U);
  EXPECT_EQ(record.ranking[0].reason, "chosen");
}

TEST(DemoEvictionRecord, AnAnswerThatIsNoListIsAnError) {
  EXPECT_EQ(parse_evictions(R"({"error":"unknown op"})").error().code, Errc::kMalformed);
  EXPECT_EQ(parse_evictions("").error().code, Errc::kMalformed);
  EXPECT_EQ(parse_evictions("[3]").error().code, Errc::kMalformed);
}

}  // namespace
}  // namespace evictd::demo
