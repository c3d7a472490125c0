// SPDX-License-Identifier: Apache-2.0
#include "kube/kubelet_eviction.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/rfc3339.h"
#include "recorded.h"

namespace evictd::kube {
namespace {

using nlohmann::json;

json failed_pod(const std::string& reason, const std::string& message) {
  return {{"metadata", {{"name", "a"}, {"namespace", "n"}}},
          {"status", {{"phase", "Failed"}, {"reason", reason}, {"message", message}}}};
}

TEST(KubeletEvictionTest, IsReadFromTheStatusThatARealKubeletSet) {
  const json items = json::parse(test::recorded("kubelet_evicted_pods.json"))["items"];
  const auto eviction = kubelet_eviction(items[0]);
  ASSERT_TRUE(eviction);
  EXPECT_EQ(eviction->ns, "default");
  EXPECT_EQ(eviction->name, "notif0-1795212427");
  EXPECT_EQ(eviction->time, core::wall_time_from_rfc3339("2026-11-20T22:07:19Z").value());
  const EvictionAmounts amounts = amounts_in(eviction->message);
  EXPECT_EQ(amounts.resource, "memory");
  EXPECT_EQ(amounts.available, 18845152LL * 1024);
  EXPECT_EQ(amounts.usage, 3611468LL * 1024);
  EXPECT_FALSE(kubelet_eviction(items[1])) << "one that runs";
}

TEST(KubeletEvictionTest, IsNoneOfAPodThatWasNotAdmitted) {
  EXPECT_TRUE(kubelet_eviction(failed_pod("Evicted", "The node was low on resource: pids. ")));
  for (const char* const message : {"The node had condition: [MemoryPressure]. ",
                                    "Pod was rejected: The node had condition: [DiskPressure]. "}) {
    EXPECT_FALSE(kubelet_eviction(failed_pod("Evicted", message))) << message;
  }
}

TEST(KubeletEvictionTest, IsNoneOfAPodThatFailedOtherwise) {
  EXPECT_FALSE(kubelet_eviction(failed_pod("NodeShutdown", "")));
  json running = failed_pod("Evicted", "m");
  running["status"]["phase"] = "Running";
  EXPECT_FALSE(kubelet_eviction(running));
  for (const json& pod : {json{{"metadata", 1}, {"status", 2}}, json::object()}) {
    EXPECT_FALSE(kubelet_eviction(pod));
  }
}

TEST(KubeletEvictionTest, WithoutTheConditionHasNoTime) {
  json pod = failed_pod("Evicted", "m");
  EXPECT_EQ(kubelet_eviction(pod)->time, std::nullopt);
  for (const json& conditions :
       {json(7), json{7}, json{{{"type", "DisruptionTarget"}, {"lastTransitionTime", 7}}},
        json{{{"type", "DisruptionTarget"}, {"lastTransitionTime", "2200-01-01T00:00:00Z"}}}}) {
    pod["status"]["conditions"] = conditions;
    EXPECT_EQ(kubelet_eviction(pod)->time, std::nullopt) << conditions;
  }
}

TEST(EvictionAmountsTest, AreOfAKubeletsResourcesOnly) {
  EXPECT_EQ(amounts_in("The node was low on resource: " + std::string(1000, 'x')).resource, "");
}

TEST(EvictionAmountsTest, AreReadFromEachMessageThatAKubeletWrites) {
  const EvictionAmounts old = amounts_in(
      "The node was low on resource: memory. Container c was using 5839940Ki, which exceeds its "
      "request of 0. Container d was using 4Ki, which exceeds its request of 1Ki. ");
  EXPECT_EQ(old.resource, "memory");
  EXPECT_EQ(old.available, std::nullopt);
  EXPECT_EQ(old.usage, 5839944LL * 1024);
  const EvictionAmounts inodes =
      amounts_in("The node was low on resource: inodes. Threshold quantity: 100, available: 42. ");
  EXPECT_EQ(inodes.resource, "inodes");
  EXPECT_EQ(inodes.available, 42);
  EXPECT_EQ(inodes.usage, std::nullopt);
  const EvictionAmounts limit =
      amounts_in("Usage of EmptyDir volume \"v\" exceeds the limit \"1\". ");
  EXPECT_EQ(limit.resource, "");
}

TEST(EvictionAmountsTest, OfNonsenseAreNone) {
  const EvictionAmounts amounts = amounts_in(
      "The node was low on resource: memory. Threshold quantity: 1, available: -3. Container c was "
      "using 9e18, Container c was using 9e18, request is 0. ");
  EXPECT_EQ(amounts.available, std::nullopt);
  EXPECT_EQ(amounts.usage, 0);
  EXPECT_EQ(amounts_in("The node was low on resource: ").resource, "");
}

}  // namespace
}  // namespace evictd::kube
