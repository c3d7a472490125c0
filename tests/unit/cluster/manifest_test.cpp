// SPDX-License-Identifier: Apache-2.0
#include "cluster/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace evictd::cluster {
namespace {

using testing::HasSubstr;

constexpr std::string_view kPod = R"(apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  uid: 86a66f6e-8c6e-4ee7-8f09-e1e340887540
  creationTimestamp: 2026-11-20T22:21:33Z
spec:
  priority: 1000
  terminationGracePeriodSeconds: 5
  containers:
  - name: c
    resources:
      requests: {memory: 300Mi, cpu: 10m}
      limits: {memory: 400Mi}
)";

std::string sample(const std::string& name) {
  const std::ifstream file(std::string(EVICTD_TEST_DATA) + "/kubelet/" + name);
  EXPECT_TRUE(file) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Result<std::vector<Manifest>> yaml(std::string_view text, ManifestKind kind = ManifestKind::kPods) {
  return parse_manifests(text, "pods/web.yaml", DocumentFormat::kYaml, kind);
}

std::string error_of(std::string_view text, ManifestKind kind = ManifestKind::kPods) {
  const Result<std::vector<Manifest>> manifests = yaml(text, kind);
  EXPECT_FALSE(manifests) << text;
  return manifests ? "" : manifests.error().message();
}

TEST(ParseManifests, ReadsAPod) {
  const Result<std::vector<Manifest>> manifests = yaml(kPod);
  ASSERT_TRUE(manifests) << manifests.error().message();
  ASSERT_EQ(manifests->size(), 1U);
  const Manifest& manifest = manifests->at(0);
  EXPECT_EQ(manifest.cgroup_uid, "86a66f6e-8c6e-4ee7-8f09-e1e340887540");
  EXPECT_EQ(manifest.origin, "pods/web.yaml:1");
  EXPECT_EQ(manifest.pod.name, "web");
  EXPECT_EQ(manifest.pod.priority, 1000);
  EXPECT_FALSE(manifest.pod.from_static_source);
  ASSERT_EQ(manifest.pod.containers.size(), 1U);
  EXPECT_EQ(manifest.pod.containers[0].requests.at("memory").value(), 300LL << 20);
}

TEST(ParseManifests, ReadsSeveralDocumentsAndLists) {
  const std::string list =
      "---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n"
      "  metadata: {uid: b}\n- apiVersion: v1\n  kind: Pod\n"
      "  metadata: {uid: c}\n";
  const Result<std::vector<Manifest>> manifests = yaml(std::string(kPod) + list);
  ASSERT_TRUE(manifests) << manifests.error().message();
  ASSERT_EQ(manifests->size(), 3U);
  EXPECT_EQ(manifests->at(1).cgroup_uid, "b");
  EXPECT_EQ(manifests->at(1).origin, "pods/web.yaml:20");
  EXPECT_EQ(manifests->at(2).origin, "pods/web.yaml:23");
}

TEST(ParseManifests, ReadsWhatAKubeletAnswers) {
  const Result<std::vector<Manifest>> manifests = parse_manifests(
      sample("pods.cgv2.json"), "pods.json", DocumentFormat::kJson, ManifestKind::kPods);
  ASSERT_TRUE(manifests) << manifests.error().message();
  ASSERT_EQ(manifests->size(), 2U);
  EXPECT_EQ(manifests->at(0).pod.name, "calm");
  EXPECT_EQ(manifests->at(0).cgroup_uid, "86a66f6e-8c6e-4ee7-8f09-e1e340887540");
  EXPECT_EQ(manifests->at(1).pod.priority, 2000001000);
}

TEST(ParseManifests, ReadsPodsWithAndWithoutAKindInOneList) {
  const Result<std::vector<Manifest>> manifests = parse_manifests(
      sample("pods.evicted.notif.json"), "pods.json", DocumentFormat::kJson, ManifestKind::kPods);
  ASSERT_TRUE(manifests) << manifests.error().message();
  EXPECT_EQ(manifests->size(), 3U);
}

TEST(ParseManifests, KnowsAStaticPodByTheHashThatIsItsUid) {
  const Result<std::vector<Manifest>> manifests =
      parse_manifests(sample("pods.static.kubelet126.json"), "pods.json", DocumentFormat::kJson,
                      ManifestKind::kPods);
  ASSERT_TRUE(manifests) << manifests.error().message();
  EXPECT_EQ(manifests->at(0).cgroup_uid, "c25f03ca63fc614d347f7a02e501f06b");
  EXPECT_TRUE(manifests->at(0).pod.from_static_source);
}

TEST(ParseManifests, NamesTheCgroupOfAMirrorPodByItsStaticPod) {
  const Result<std::vector<Manifest>> manifests = yaml(
      "apiVersion: v1\nkind: Pod\nmetadata:\n  uid: 86a66f6e-8c6e-4ee7-8f09-e1e340887540\n"
      "  annotations:\n    kubernetes.io/config.mirror: c25f03ca63fc614d347f7a02e501f06b\n");
  ASSERT_TRUE(manifests) << manifests.error().message();
  EXPECT_EQ(manifests->at(0).cgroup_uid, "c25f03ca63fc614d347f7a02e501f06b");
  EXPECT_TRUE(manifests->at(0).pod.from_static_source);
}

TEST(ParseManifests, TakesTheConfigHashWhereThereIsNoUid) {
  const Result<std::vector<Manifest>> manifests = yaml(
      "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n"
      "    kubernetes.io/config.hash: c25f03ca63fc614d347f7a02e501f06b\n");
  ASSERT_TRUE(manifests) << manifests.error().message();
  EXPECT_EQ(manifests->at(0).cgroup_uid, "c25f03ca63fc614d347f7a02e501f06b");
}

TEST(ParseManifests, NeedsAUidButInAStaticDirectory) {
  constexpr std::string_view kText = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n";
  EXPECT_THAT(error_of(kText), HasSubstr("pods/web.yaml:4: metadata: a pod needs metadata.uid"));
  const Result<std::vector<Manifest>> manifests = yaml(kText, ManifestKind::kStatic);
  ASSERT_TRUE(manifests) << manifests.error().message();
  EXPECT_EQ(manifests->at(0).cgroup_uid, "");
  EXPECT_TRUE(manifests->at(0).pod.from_static_source);
}

TEST(ParseManifests, NamesFileLineAndFieldOfABadValue) {
  std::string text(kPod);
  text.replace(text.find("300Mi"), 5, "manyy");
  EXPECT_THAT(error_of(text),
              HasSubstr("pods/web.yaml:14: spec.containers[0].resources.requests.memory: "));
  text = std::string(kPod);
  text.replace(text.find("1000"), 4, "high");
  EXPECT_THAT(error_of(text), HasSubstr("pods/web.yaml:9: spec.priority: "));
}

TEST(ParseManifests, NamesThePlaceInAList) {
  EXPECT_THAT(error_of("apiVersion: v1\nkind: PodList\nitems:\n- metadata: {uid: a}\n"
                       "- metadata: {uid: b}\n  spec:\n    priority: []\n"),
              HasSubstr("pods/web.yaml:7: items[1].spec.priority: "));
}

TEST(ParseManifests, RefusesWhatIsNoPod) {
  EXPECT_EQ(error_of("apiVersion: v1\nkind: Service\n"),
            "pods/web.yaml:2: kind: 'Service'; allowed: Pod, PodList, List");
  EXPECT_EQ(error_of("kind: Pod\napiVersion: v2\n"),
            "pods/web.yaml:2: apiVersion: 'v2'; allowed: v1");
  EXPECT_EQ(error_of("- just\n- a list\n"),
            "pods/web.yaml:1: must be an object with kind and apiVersion");
  EXPECT_EQ(error_of("kind: List\napiVersion: v1\nitems: 3\n"),
            "pods/web.yaml:3: items: must be a list");
  EXPECT_THAT(error_of("kind: List\napiVersion: v1\nitems:\n- {kind: List, apiVersion: v1}\n"),
              HasSubstr("items[0].kind: 'List'; allowed: Pod"));
}

TEST(ParseManifests, NeedsANameOfWhatSomebodyWouldSubmit) {
  const std::string nameless = "apiVersion: v1\nkind: Pod\nmetadata: {uid: a}\n";
  EXPECT_TRUE(yaml(nameless));
  EXPECT_EQ(error_of(nameless, ManifestKind::kSubmitted),
            "pods/web.yaml:1: not a pod: it has no metadata.name");
  EXPECT_EQ(error_of("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n",
                     ManifestKind::kSubmitted),
            "pods/web.yaml:4: items[0]: not a pod: it has no metadata.name");
  EXPECT_TRUE(yaml("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", ManifestKind::kSubmitted));
}

TEST(ParseManifests, RefusesAListOfPodsThatHoldsAListOf129Levels) {
  const std::string deep = std::string(129, '[') + std::string(129, ']');
  EXPECT_EQ(error_of("kind: PodList\napiVersion: v1\nitems:\n- metadata: {uid: a}\n  spec: " +
                     deep + "\n"),
            "pods/web.yaml:5: nested deeper than 64 levels");
  EXPECT_EQ(error_of("kind: List\napiVersion: v1\nitems: " + deep + "\n"),
            "pods/web.yaml:3: nested deeper than 64 levels");
  const auto parsed =
      parse_manifests(R"({"kind": "List", "apiVersion": "v1", "items": )" + deep + "}", "pods.json",
                      DocumentFormat::kJson, ManifestKind::kPods);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message(), "pods.json:1: nested deeper than 64 levels");
}

TEST(ParseManifests, GivesNoPodsForAnEmptyListOrFile) {
  EXPECT_TRUE(yaml("kind: PodList\napiVersion: v1\nitems: []\n")->empty());
  EXPECT_TRUE(yaml("kind: PodList\napiVersion: v1\nitems:\n")->empty());
  EXPECT_TRUE(yaml("")->empty());
}

}  // namespace
}  // namespace evictd::cluster
