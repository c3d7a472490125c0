// SPDX-License-Identifier: Apache-2.0
#include "kube/answers.h"

#include <gtest/gtest.h>

#include "recorded.h"

namespace evictd::kube {
namespace {

TEST(PodListAnswer, OfARealKubeletIsRead) {
  const auto list = read_pod_list(test::recorded("kubelet_pods.json"), Answerer::kKubelet, {});
  ASSERT_TRUE(list) << list.error().message();
  ASSERT_EQ(list->pods.size(), 2U);
  EXPECT_EQ(list->pods[0].uid, "86a66f6e-8c6e-4ee7-8f09-e1e340887540");
  EXPECT_EQ(list->refused, 0U);
}

TEST(PodListAnswer, ThatIsNotWholeIsNone) {
  const std::string whole = test::recorded("kubelet_pods.json");
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"), std::string("{}"),
        std::string(R"({"kind":"Status","apiVersion":"v1","items":[]})"),
        std::string(R"({"kind":"PodList","apiVersion":"v2","items":[]})"),
        std::string(R"({"kind":"PodList","apiVersion":"v1","items":{}})"),
        std::string(
            R"({"kind":"PodList","apiVersion":"v1","metadata":{"continue":"x"},"items":[]})"),
        whole.substr(0, whole.size() / 2), whole + "}"}) {
    EXPECT_FALSE(read_pod_list(text, Answerer::kKubelet, {})) << text.substr(0, 80);
  }
}

TEST(PodListAnswer, OfAnApiServerHasItemsAndAVersion) {
  EXPECT_TRUE(read_pod_list(test::list_json({}, "7"), Answerer::kApiServer, {}));
  for (const char* const version : {"", "0", "7&watch=1", "7/../8"}) {
    EXPECT_FALSE(read_pod_list(test::list_json({}, version), Answerer::kApiServer, {})) << version;
  }
  const std::string null_items =
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":null})";
  EXPECT_FALSE(read_pod_list(null_items, Answerer::kApiServer, {}));
  EXPECT_TRUE(read_pod_list(null_items, Answerer::kKubelet, {})) << "so it says that it has none";
}

TEST(PodListAnswer, OnePodThatIsRefusedLeavesTheOthers) {
  const auto list = read_pod_list(
      test::list_json({test::pod_json("../x"), test::pod_json("1-2"), "5", "null"}, "7"),
      Answerer::kKubelet, {});
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_EQ(list->pods.size(), 1U);
  EXPECT_EQ(list->refused, 3U);
  EXPECT_NE(list->first_refusal, "");
}

TEST(PodListAnswer, PodsOfAnotherNodeAreLeftOut) {
  const std::string text = test::list_json({test::pod_json("1-2")}, "7");
  EXPECT_EQ(read_pod_list(text, Answerer::kApiServer, {.node = "node1"})->pods.size(), 1U);
  const auto others = read_pod_list(text, Answerer::kApiServer, {.node = "node2"});
  EXPECT_EQ(others->pods.size(), 0U);
  EXPECT_EQ(others->foreign, 1U);
}

TEST(PodListAnswer, OfMorePodsThanANodeHasIsRefused) {
  const std::string text = test::list_json({test::pod_json("1"), test::pod_json("2")}, "7");
  EXPECT_EQ(read_pod_list(text, Answerer::kKubelet, {.max_pods = 1}).error().code,
            Errc::kExhausted);
}

TEST(WatchLine, OfARealApiServerIsRead) {
  std::vector<std::string> versions;
  for (const std::string& line : test::recorded_lines("api_server_watch.jsonl")) {
    const auto event = read_watch_event(line, {.node = "node1"});
    ASSERT_TRUE(event) << event.error().message();
    EXPECT_EQ(event->kind, WatchEvent::Kind::kChanged);
    versions.push_back(event->resource_version);
  }
  EXPECT_EQ(versions, (std::vector<std::string>{"657", "659", "660", "664"}));
}

TEST(WatchLine, OfEachTypeIsTold) {
  const auto kind_of = [](const std::string& line) {
    const auto event = read_watch_event(line, {.node = "node1"});
    return event ? event->kind : WatchEvent::Kind::kError;
  };
  const std::string pod = test::pod_json("1-2");
  EXPECT_EQ(kind_of(R"({"type":"ADDED","object":)" + pod + "}"), WatchEvent::Kind::kChanged);
  EXPECT_EQ(kind_of(R"({"type":"DELETED","object":)" + pod + "}"), WatchEvent::Kind::kDeleted);
  EXPECT_EQ(kind_of(R"({"type":"ADDED","object":)" + test::pod_json("a/b") + "}"),
            WatchEvent::Kind::kRefused);
  EXPECT_EQ(kind_of(R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",)"
                    R"("metadata":{"resourceVersion":"12"},"spec":{"containers":null}}})"),
            WatchEvent::Kind::kBookmark);
  EXPECT_EQ(kind_of(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
                    R"("status":"Failure","message":"too old","reason":"Expired","code":410}})"),
            WatchEvent::Kind::kGone);
  EXPECT_EQ(kind_of(R"({"type":"ERROR","object":{"kind":"Status","code":500}})"),
            WatchEvent::Kind::kError);
}

TEST(WatchLine, ThatIsNoneIsAnError) {
  for (const char* const line :
       {"", "{}", "garbage", R"({"type":"ADDED"})", R"({"type":"ADDED","object":{"kind":"Node"}})",
        R"({"type":"LOST","object":{"kind":"Pod","metadata":{"resourceVersion":"1"}}})",
        R"({"type":"ADDED","object":{"kind":"Pod","metadata":{}}})"}) {
    EXPECT_FALSE(read_watch_event(line, {})) << line;
  }
}

TEST(Refusal, SaysWhatTheServerSays) {
  EXPECT_EQ(refusal_of(R"({"kind":"Status","message":"pods is\nforbidden","code":403})"),
            "pods is\\x0aforbidden");
  EXPECT_EQ(refusal_of("<html>"), "");
  EXPECT_EQ(refusal_of(R"({"message":5})"), "");
}

}  // namespace
}  // namespace evictd::kube
