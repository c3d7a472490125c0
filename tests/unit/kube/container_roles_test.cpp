// SPDX-License-Identifier: Apache-2.0
#include "kube/container_roles.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kube/known_pods.h"
#include "kube/pod_document.h"

namespace evictd::kube {
namespace {

constexpr const char* kPod = R"({
  "metadata": {"name": "p", "namespace": "n", "uid": "u-1"},
  "spec": {
    "containers": [{"name": "web"}, {"name": "cache", "restartPolicy": "Always"}],
    "initContainers": [{"name": "migrate"}, {"name": "proxy", "restartPolicy": "Always"},
                       {"name": "once", "restartPolicy": "OnFailure"}]},
  "status": {"phase": "Running",
             "ephemeralContainerStatuses": [{"name": "debugger", "containerID": "c://1"}]}})";

const ContainerRoles kRoles{
    {"web", ContainerRole::kMain},      {"cache", ContainerRole::kMain},
    {"migrate", ContainerRole::kInit},  {"once", ContainerRole::kInit},
    {"proxy", ContainerRole::kSidecar}, {"debugger", ContainerRole::kEphemeral}};

TEST(ContainerRoles, ASidecarIsAnInitContainerThatIsAlwaysRestarted) {
  EXPECT_EQ(container_roles(kPod), kRoles);
}

TEST(ContainerRoles, WhatIsNoPodHasNone) {
  for (const char* const text :
       {"", "[]", "{", R"({"spec":[]})", R"({"spec":{"containers":{}}})",
        R"({"spec":{"containers":[1,{},{"name":1}]},"status":{"ephemeralContainerStatuses":1}})"}) {
    EXPECT_TRUE(container_roles(text).empty()) << text;
  }
}

TEST(ContainerRoles, AreKnownOfPodsThatASourceToldAndOfThoseInTheDirectory) {
  const PodDocument document = pod_document(nlohmann::json::parse(kPod)).value();
  KnownPods told(10);
  static_cast<void>(told.take_pod(document));
  EXPECT_EQ(told.roles_in("u-1"), kRoles);
  KnownPods found(10);
  found.adopt(document);
  EXPECT_EQ(found.roles_in("u-1"), kRoles);
  EXPECT_TRUE(found.roles_in("u-2").empty());
}

}  // namespace
}  // namespace evictd::kube
