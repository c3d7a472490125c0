// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/request.h"

#include <nlohmann/json.hpp>

#include "kube/actions/names.h"
#include "made.h"

namespace evictd::kube::test {
namespace {

using Json = nlohmann::json;

Entry eviction_of(std::int64_t grace) {
  JournalLine line = evicted(5, "u");
  line.grace_seconds = grace;
  return planned(line, {}).entries[0];
}

TEST(ApiRequest, TheGraceThatIsLeftRunsFromTheDecision) {
  const Entry entry = eviction_of(30);
  EXPECT_EQ(grace_left(entry, at("2026-11-20T22:03:11.5Z")), 30);
  EXPECT_EQ(grace_left(entry, at("2026-11-20T22:03:21.4Z")), 21);
  EXPECT_EQ(grace_left(entry, at("2026-11-20T23:00:00Z")), 1);
  EXPECT_EQ(grace_left(entry, at("2026-11-20T01:00:00Z")), 30) << "a clock that was set back";
  EXPECT_EQ(grace_left(eviction_of(0), at("2026-11-20T22:03:11.5Z")), 1);
}

TEST(ApiRequest, ADeletionNamesTheUidToo) {
  Entry entry = eviction_of(0);
  entry.done = 1;
  const Ask ask = make_request(entry, {.node = "node1", .deletes = true}, {});
  EXPECT_EQ(ask.method, Ask::Method::kDelete);
  EXPECT_EQ(ask.path, "/api/v1/namespaces/n/pods/pod-u");
  EXPECT_EQ(Json::parse(ask.body)["preconditions"]["uid"], "u");
}

TEST(ApiRequest, AMessageThatIsNoUtf8IsSentAllTheSame) {
  Entry entry = eviction_of(0);
  entry.message = "\xff";
  EXPECT_TRUE(Json::parse(make_request(entry, {}, {}).body)["status"]["message"].is_string());
}

TEST(ApiRequest, AStatusWithoutAConditionHasNone) {
  Entry entry = eviction_of(0);
  entry.condition.reset();
  const Json body = Json::parse(make_request(entry, {}, {}).body);
  for (const Json& one : body["status"]["conditions"]) {
    EXPECT_NE(one["type"], "DisruptionTarget");
  }
}

TEST(ApiRequest, AnEventIsNamedAsByAKubelet) {
  EXPECT_EQ(event_name("poll0-1795212175", 0x18e9dffa0a1957f3),
            "poll0-1795212175.18e9dffa0a1957f3");
  const std::string longest = event_name(std::string(235, 'a') + "." + std::string(17, 'b'), ~0ULL);
  EXPECT_EQ(longest, std::string(235, 'a') + ".ffffffffffffffff");
  EXPECT_TRUE(is_object_name(longest));
}

}  // namespace
}  // namespace evictd::kube::test
