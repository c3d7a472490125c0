// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_loop.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::cli {
namespace {

nlohmann::ordered_json status() {
  return nlohmann::ordered_json::parse(
      R"({"actions": {"loops": {"damped_until": "2026-11-20T22:15:00.000000Z",
    "controllers": [{"kind": "ReplicaSet", "namespace": "n", "name": "web", "loops": 1,
      "looped_at": "2026-11-20T22:10:00.000000Z",
      "evictions": [{"id": 7, "uid": "u7"}, {"id": 8, "uid": "u8"}, {"id": 9, "uid": "u9"}]}]}}})");
}

exporting::EvictionRecord record(std::uint64_t id, const std::string& uid) {
  exporting::EvictionRecord record;
  record.id = id;
  record.uid = uid;
  return record;
}

TEST(LoopText, NamesTheControllerAndItsEvictions) {
  EXPECT_EQ(loop_text(status(), record(8, "u8")),
            "Its controller ReplicaSet n/web is in a loop of evictions: three of its pods were "
            "evicted from this node within ten minutes, 1 time; the last time at "
            "2026-11-20T22:10:00.000000Z. Decisions about its pods: 7, 8, 9. New pods are kept off "
            "the node until 2026-11-20T22:15:00.000000Z.");
}

TEST(LoopText, IsEmptyForEveryOtherRecordAndForAnotherStatus) {
  EXPECT_EQ(loop_text(status(), record(8, "u9")), "") << "of an earlier start of evictd";
  EXPECT_EQ(loop_text(status(), record(10, "u10")), "");
  EXPECT_EQ(loop_text(nlohmann::ordered_json(), record(8, "u8")), "");
  EXPECT_EQ(loop_text(nlohmann::ordered_json{{"actions", nullptr}}, record(8, "u8")), "");
}

}  // namespace
}  // namespace evictd::cli
