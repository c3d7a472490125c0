// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_json.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace evictd::cluster {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

std::string reading_error(std::string_view text) {
  const Result<eviction::Pod> pod = pod_from_json(Json::parse(text));
  return pod ? "none" : pod.error().context;
}

TEST(PodJson, ReadsWhatEvictionNeeds) {
  const Result<eviction::Pod> pod = pod_from_json(Json::parse(R"({
    "metadata": {"name": "web", "namespace": "shop", "uid": "u1", "deletionTimestamp": null,
                 "creationTimestamp": "2026-11-20T22:21:33Z", "annotations": {"a": "b"}},
    "spec": {"priority": -5, "terminationGracePeriodSeconds": 7, "nodeName": "n",
             "containers": [{"name": "c", "resources": {"requests": {"memory": "1Gi", "cpu": 2}}}],
             "initContainers": [{"name": "i", "restartPolicy": "Always"}],
             "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1M", "medium": "Memory"}},
                         {"name": "w", "hostPath": {"path": "/"}}],
             "tolerations": [{"key": "k", "operator": "Exists"}]},
    "status": {"phase": "Running", "qosClass": "Burstable"}})"));

  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->name + "/" + pod->ns + "/" + pod->uid, "web/shop/u1");
  EXPECT_FALSE(pod->deletion_requested);
  EXPECT_EQ(pod->created_at, wall_time_from_rfc3339("2026-11-20T22:21:33Z").value());
  EXPECT_EQ(pod->priority, -5);
  EXPECT_EQ(pod->termination_grace_seconds, 7);
  EXPECT_EQ(pod->containers.at(0).requests.at("memory").value(), 1 << 30);
  EXPECT_EQ(pod->containers.at(0).requests.at("cpu").value(), 2);
  EXPECT_TRUE(pod->init_containers.at(0).restarts_always);
  EXPECT_EQ(pod->volumes.at(0).empty_dir->size_limit->value(), 1'000'000);
  EXPECT_TRUE(pod->volumes.at(1).host_path);
  EXPECT_EQ(pod->tolerations.at(0).op, "Exists");
  EXPECT_EQ(pod->status_qos_class, "Burstable");
}

TEST(PodJson, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(reading_error("[]"), "document: a list: must be an object");
  EXPECT_EQ(reading_error(R"({"metadata": {"name": 1}})"), "metadata.name: 1: must be a text");
  EXPECT_EQ(
      reading_error(R"({"spec": {"containers": [{}, {"resources": {"limits": {"cpu": "1x"}}}]}})"),
      "spec.containers[1].resources.limits.cpu: \"1x\": quantities must match the regular "
      "expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'; allowed: a quantity such as "
      "64Mi");
  EXPECT_EQ(reading_error(R"({"spec": {"priority": 3000000000}})"),
            "spec.priority: 3000000000: must be a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(reading_error(R"({"spec": {"volumes": {}}})"),
            "spec.volumes: a mapping: must be a list");
  EXPECT_EQ(reading_error(R"({"metadata": {"creationTimestamp": "yesterday"}})"),
            "metadata.creationTimestamp: \"yesterday\": is not a time; allowed: one like "
            "2024-01-31T12:00:00Z");
}

TEST(PodJson, ReadsWhichContainerRunsUnderWhichName) {
  const Result<eviction::Pod> pod = pod_from_json(Json::parse(R"({"status": {
      "initContainerStatuses": [{"name": "mesh", "containerID": "cri-o://bb"}],
      "containerStatuses": [{"name": "app", "containerID": "containerd://aa"},
                            {"name": "waits", "state": {"waiting": {}}},
                            {"name": "begins", "containerID": ""},
                            {"name": "odd", "containerID": "cc"}],
      "ephemeralContainerStatuses": [{"name": "debug", "containerID": "docker://dd"}]}})"));
  ASSERT_TRUE(pod);
  std::string seen;
  for (const eviction::ContainerStatus& status : pod->container_statuses) {
    seen += status.name + "=" + status.id + " ";
  }
  EXPECT_EQ(seen, "app=aa mesh=bb debug=dd ") << "what has no id yet is left out";
}

TEST(PodJson, ShowsAWrongValueInOneLineAndShortened) {
  EXPECT_EQ(
      reading_error(R"({"spec": {"priority": "high\n\u009b"}})"),
      R"(spec.priority: "high\n\u009b": must be a whole number from -2147483648 to 2147483647)");
  EXPECT_EQ(reading_error(R"({"spec": {"priority": ")" + std::string(100, 'x') + "\"}}"),
            "spec.priority: \"" + std::string(63, 'x') +
                "...: must be a whole number from -2147483648 to 2147483647");
}

TEST(PodJson, NamesTheFieldOfAStatusThatIsWrong) {
  EXPECT_EQ(reading_error(R"({"status": {"containerStatuses": {}}})"),
            "status.containerStatuses: a mapping: must be a list");
  EXPECT_EQ(reading_error(R"({"status": {"initContainerStatuses": [{"containerID": 7}]}})"),
            "status.initContainerStatuses[0].containerID: 7: must be a text");
}

TEST(PodJson, TakesNullForAbsent) {
  EXPECT_EQ(reading_error(R"({"metadata": null, "spec": {"containers": null, "overhead": null}})"),
            "none");
  EXPECT_EQ(reading_error(R"({"status": {"containerStatuses": null}})"), "none");
}

TEST(PodJson, TakesNullAsZeroAndIgnoresBlanksAroundAQuantity) {
  const Result<eviction::Pod> pod = pod_from_json(Json::parse(
      R"({"spec": {"containers": [{"resources": {"requests": {"cpu": null, "memory": " 1Gi\n"}}}]}})"));
  ASSERT_TRUE(pod);
  const eviction::ResourceList& requests = pod->containers.at(0).requests;
  EXPECT_EQ(requests.at("cpu").sign(), 0);
  EXPECT_EQ(requests.at("memory").value(), 1 << 30);
}

TEST(Rfc3339, ReadsOffsetsAndFractions) {
  const WallTime noon = wall_time_from_rfc3339("2024-02-29T12:00:00Z").value();
  EXPECT_EQ(wall_time_from_rfc3339("2024-02-29T14:00:00+02:00").value(), noon);
  EXPECT_EQ(wall_time_from_rfc3339("2024-02-29T06:30:00.250-05:30").value(), noon + 250ms);
  EXPECT_EQ(wall_time_from_rfc3339("1970-01-01T00:00:00.000000001Z").value(), WallTime(1ns));
}

TEST(Rfc3339, RefusesWhatIsNoTime) {
  for (const std::string_view text :
       {"", "2024-02-30T12:00:00Z", "2024-01-01", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00",
        "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00+0200", "2024-01-01T00:00:00Zz",
        "0001-01-01T00:00:00Z", "2300-01-01T00:00:00Z"}) {
    EXPECT_FALSE(wall_time_from_rfc3339(text)) << text;
  }
}

TEST(PodJson, RefusesNamesThatWouldForgeALineOfALog) {
  const std::string why =
      ": has a control character; allowed: a name as Kubernetes has them, such as web-0";
  EXPECT_EQ(reading_error(R"({"metadata": {"name": "a\u001b[31m\nX"}})"),
            R"(metadata.name: "a\u001b[31m\nX")" + why);
  EXPECT_EQ(reading_error(R"({"metadata": {"namespace": "a\tb"}})"),
            R"(metadata.namespace: "a\tb")" + why);
  EXPECT_EQ(reading_error(R"({"metadata": {"uid": "a\u007f"}})"),
            R"(metadata.uid: "a\u007f")" + why);
  EXPECT_EQ(reading_error(R"({"metadata": {"uid": "a\u009b2J"}})"),
            R"(metadata.uid: "a\u009b2J")" + why);
  EXPECT_EQ(reading_error(R"({"metadata": {"uid": "\u00e9\u2080"}})"), "none");
  EXPECT_EQ(reading_error(R"({"spec": {"containers": [{"name": "a\n"}]}})"),
            R"(spec.containers[0].name: "a\n")" + why);
  EXPECT_EQ(reading_error(R"({"status": {"containerStatuses": [{"name": "a\n"}]}})"),
            R"(status.containerStatuses[0].name: "a\n")" + why);
  EXPECT_EQ(reading_error(R"({"metadata": {"annotations": {"a": "two\nlines"}}})"), "none");
  for (const std::string key : {"kubernetes.io/config.hash", "kubernetes.io/config.mirror"}) {
    EXPECT_NE(reading_error(R"({"metadata": {"annotations": {")" + key + R"(": "a\nb"}}})"),
              "none");
  }
}

}  // namespace
}  // namespace evictd::cluster
