// SPDX-License-Identifier: Apache-2.0
#include "kube/pod_document.h"

#include <gtest/gtest.h>

#include "cluster/pod_json.h"
#include "kube/answers.h"
#include "recorded.h"

namespace evictd::kube {
namespace {

using nlohmann::json;

PodDocument document_of(const json& pod) {
  return pod_document(read_shaped(pod.dump(), pod_shape()).value()).value();
}

TEST(PodDocument, SaysToEvictdWhatTheWholePodSays) {
  for (const char* const file :
       {"kubelet_pods.json", "kubelet_static_pods.json", "kubelet_evicted_pods.json"}) {
    const json items = json::parse(test::recorded(file))["items"];
    for (const json& pod : items) {
      const PodDocument document = document_of(pod);
      ASSERT_TRUE(check_document(document)) << check_document(document).error().message();
      const auto whole = cluster::pod_from_json(pod);
      const auto reduced = cluster::pod_from_json(json::parse(document.text));
      ASSERT_TRUE(whole && reduced);
      EXPECT_EQ(reduced->uid, whole->uid);
      EXPECT_EQ(reduced->name, whole->name);
      EXPECT_EQ(reduced->priority, whole->priority);
      EXPECT_EQ(reduced->phase, whole->phase);
      EXPECT_EQ(reduced->status_qos_class, whole->status_qos_class);
      EXPECT_EQ(reduced->created_at, whole->created_at);
      EXPECT_EQ(reduced->labels, whole->labels);
      EXPECT_EQ(reduced->termination_grace_seconds, whole->termination_grace_seconds);
      ASSERT_EQ(reduced->containers.size(), whole->containers.size());
      EXPECT_EQ(reduced->containers[0].requests, whole->containers[0].requests);
      EXPECT_EQ(reduced->containers[0].limits, whole->containers[0].limits);
      EXPECT_EQ(reduced->container_statuses.size(), whole->container_statuses.size());
      EXPECT_EQ(reduced->volumes.size(), whole->volumes.size());
      EXPECT_EQ(reduced->tolerations.size(), whole->tolerations.size());
    }
  }
}

TEST(PodDocument, IsTheSameWhileNothingChangesThatEvictdReads) {
  json pod = json::parse(test::recorded("kubelet_pods.json"))["items"][0];
  const PodDocument before = document_of(pod);
  pod["metadata"]["resourceVersion"] = "99999";
  pod["status"]["conditions"] = json::array();
  pod["status"]["containerStatuses"][0]["restartCount"] = 1;
  pod["metadata"]["managedFields"] = json::array({json{{"manager", "kubelet"}}});
  EXPECT_EQ(document_of(pod).text, before.text);
  pod["spec"]["priority"] = 8;
  EXPECT_NE(document_of(pod).text, before.text);
}

TEST(PodDocument, AUidThatLeadsElsewhereMakesNone) {
  for (const json& uid :
       {json("../../etc/passwd"), json("a/b"), json(""), json("."), json("UID"), json("a.b"),
        json(std::string(65, 'a')), json(std::string("a\0b", 3)), json("a\nb"), json(5),
        json(nullptr), json::array({"a"}), json::object()}) {
    const auto made = pod_document({{"metadata", {{"uid", uid}}}});
    ASSERT_FALSE(made) << uid;
    EXPECT_EQ(made.error().message().find("passwd"), std::string::npos);
  }
  EXPECT_TRUE(pod_document({{"metadata", {{"uid", std::string(64, 'a')}}}}));
  for (const json& pod :
       {json(), json(5), json::array(), json("pod"), json{{"metadata", 5}}, json::object()}) {
    EXPECT_FALSE(pod_document(pod)) << pod;
  }
}

TEST(PodDocument, ThatEvictdCannotReadIsFound) {
  json pod = json::parse(test::pod_json("1-2"));
  pod["spec"]["containers"][0]["resources"]["requests"]["memory"] = "much";
  EXPECT_FALSE(check_document(document_of(pod)));
  pod["spec"]["containers"] = "none";
  EXPECT_FALSE(check_document(document_of(pod)));
}

}  // namespace
}  // namespace evictd::kube
