// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_defaults.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cluster/manifest.h"
#include "eviction/pod_facts.h"

namespace evictd::cluster {
namespace {

/// The pod of a manifest with this spec, as a file of this kind gives it.
eviction::Pod pod_with_spec(std::string_view spec, ManifestKind kind = ManifestKind::kPods) {
  const std::string text = R"({"apiVersion": "v1", "kind": "Pod",
      "metadata": {"name": "web", "uid": "u1"}, "spec": )" +
                           std::string(spec) + "}";
  const auto manifests = parse_manifests(text, "web.json", DocumentFormat::kJson, kind);
  EXPECT_TRUE(manifests) << text;
  return manifests && manifests->size() == 1 ? manifests->front().pod : eviction::Pod();
}

eviction::Pod pod_with_resources(std::string_view resources) {
  return pod_with_spec(R"({"containers": [{"name": "c", "resources": )" + std::string(resources) +
                       "}]}");
}

TEST(PodDefaults, RequestWhatAContainerOnlyLimits) {
  const eviction::Pod pod = pod_with_resources(
      R"({"limits": {"memory": "1Gi", "cpu": "500m", "ephemeral-storage": "2Gi"}})");
  EXPECT_EQ(eviction::effective_request(pod, "memory").value(), 1LL << 30);
  EXPECT_EQ(eviction::effective_request(pod, "cpu").milli_value(), 500);
  EXPECT_EQ(eviction::effective_request(pod, "ephemeral-storage").value(), 2LL << 30);
  EXPECT_EQ(eviction::computed_qos(pod), eviction::QosClass::kGuaranteed);
  const eviction::PodFacts facts = eviction::facts_of(pod, eviction::Compat::k1_32);
  EXPECT_EQ(facts.memory_request_nanos, eviction::Wide{1LL << 30} * 1'000'000'000);
}

TEST(PodDefaults, KeepEachRequestThatIsThereEvenOneOfZero) {
  const eviction::Pod pod = pod_with_resources(
      R"({"requests": {"memory": "300Mi", "cpu": 0}, "limits": {"memory": "1Gi", "cpu": 1}})");
  EXPECT_EQ(eviction::effective_request(pod, "memory").value(), 300LL << 20);
  EXPECT_EQ(eviction::effective_request(pod, "cpu").sign(), 0);
  EXPECT_EQ(eviction::computed_qos(pod), eviction::QosClass::kBurstable);
}

TEST(PodDefaults, RequestWhatAnInitContainerOnlyLimits) {
  const eviction::Pod pod = pod_with_spec(
      R"({"containers": [{"name": "c"}],
          "initContainers": [{"name": "i", "resources": {"limits": {"memory": "1Gi"}}}]})");
  EXPECT_EQ(eviction::effective_request(pod, "memory").value(), 1LL << 30);
}

TEST(PodDefaults, LeaveAPodWithoutRequestsAndLimitsBestEffort) {
  EXPECT_EQ(eviction::computed_qos(pod_with_resources("{}")), eviction::QosClass::kBestEffort);
}

TEST(PodDefaults, GiveTheGraceAndTheNamespaceOfTheApiServer) {
  for (const ManifestKind kind :
       {ManifestKind::kPods, ManifestKind::kStatic, ManifestKind::kSubmitted}) {
    const eviction::Pod pod = pod_with_spec("{}", kind);
    EXPECT_EQ(pod.termination_grace_seconds, 30);
    EXPECT_EQ(pod.ns, "default");
  }
}

TEST(PodDefaults, LeaveWhatTheManifestSays) {
  eviction::Pod pod;
  pod.termination_grace_seconds = 0;
  pod.ns = "shop";
  apply_pod_defaults(pod);
  EXPECT_EQ(pod.termination_grace_seconds, 0);
  EXPECT_EQ(pod.ns, "shop");
}

}  // namespace
}  // namespace evictd::cluster
