// SPDX-License-Identifier: Apache-2.0
#include "kube/evicted_event.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/rfc3339.h"
#include "kube/answers.h"

namespace evictd::kube {
namespace {

using Json = nlohmann::json;

const AnswerRules kRules{.node = "node1", .listed = Listed::kEvictedEvents};

Json event(const std::string& host = "node1") {
  return {
      {"kind", "Event"},
      {"apiVersion", "v1"},
      {"metadata", {{"name", "a.1"}, {"namespace", "n"}, {"resourceVersion", "9"}}},
      {"involvedObject", {{"kind", "Pod"}, {"namespace", "n"}, {"name", "a"}, {"uid", "u1"}}},
      {"reason", "Evicted"},
      {"message", "The node was low on resource: memory. Threshold quantity: 9, available: 5. "},
      {"source", {{"component", "kubelet"}, {"host", host}}},
      {"firstTimestamp", "2026-11-20T22:07:19Z"},
      {"count", 1}};
}

std::string list_of(const Json& items) {
  return Json{{"kind", "EventList"},
              {"apiVersion", "v1"},
              {"metadata", {{"resourceVersion", "9"}}},
              {"items", items}}
      .dump();
}

std::string line_of(const std::string& type, const Json& object) {
  return Json{{"type", type}, {"object", object}}.dump();
}

TEST(EvictedEvent, NamesThePodAndTheMoment) {
  const Result<PodList> list =
      read_pod_list(list_of({event(), event("node2")}), Answerer::kApiServer, kRules);
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_EQ(list->foreign, 1U);
  ASSERT_EQ(list->pods.size(), 1U);
  EXPECT_EQ(list->pods[0].uid, "u1");
  ASSERT_TRUE(list->pods[0].evicted);
  EXPECT_EQ(list->pods[0].evicted->name, "a");
  EXPECT_EQ(list->pods[0].evicted->time_source, "event");
  EXPECT_EQ(list->pods[0].evicted->time,
            core::wall_time_from_rfc3339("2026-11-20T22:07:19Z").value());
}

TEST(EvictedEvent, IsTheKubeletsOwnAlone) {
  Json ours = event();
  ours["source"]["component"] = "evictd";
  const Result<WatchEvent> read = read_watch_event(line_of("ADDED", ours), kRules);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->kind, WatchEvent::Kind::kForeign);
  EXPECT_EQ(read->resource_version, "9");
  EXPECT_EQ(read_watch_event(line_of("ADDED", event()), kRules)->kind, WatchEvent::Kind::kChanged);
}

TEST(EvictedEvent, OfAPodThatWasNotAdmittedIsNoEviction) {
  Json other = event();
  other["message"] = "The node had condition: [MemoryPressure]. ";
  EXPECT_FALSE(evicted_pod_of(other)->evicted);
  other = event();
  other["reason"] = "Killing";
  EXPECT_FALSE(evicted_pod_of(other)->evicted);
  other = event();
  other["firstTimestamp"] = nullptr;
  EXPECT_FALSE(evicted_pod_of(other)->evicted) << "nobody knows when it was";
  other["eventTime"] = "2026-11-20T22:07:19.5Z";
  EXPECT_TRUE(evicted_pod_of(other)->evicted);
}

TEST(EvictedEvent, WithAUidThatNamesNoFileIsRefused) {
  Json other = event();
  other["involvedObject"]["uid"] = "../x";
  EXPECT_FALSE(evicted_pod_of(other));
  EXPECT_FALSE(evicted_pod_of(Json::array()));
  EXPECT_EQ(read_watch_event(line_of("ADDED", other), kRules)->kind, WatchEvent::Kind::kRefused);
}

TEST(EvictedEvent, APodIsNoEventAndAnEventIsNoPod) {
  Json pod = event();
  pod["kind"] = "Pod";
  EXPECT_FALSE(read_watch_event(line_of("ADDED", pod), kRules));
  EXPECT_FALSE(read_watch_event(line_of("ADDED", event()), {.node = "node1"}));
  EXPECT_FALSE(read_pod_list(list_of(Json::array()), Answerer::kApiServer, {.node = "node1"}));
}

}  // namespace
}  // namespace evictd::kube
