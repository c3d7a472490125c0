// SPDX-License-Identifier: Apache-2.0
#include "kube/pod_controllers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "recording_sink.h"

namespace evictd::kube {
namespace {

using Json = nlohmann::json;

Json owned(const Json& owners) {
  return {{"metadata",
           {{"name", "web-1"}, {"namespace", "n"}, {"uid", "u1"}, {"ownerReferences", owners}}}};
}

const Json kReplicaSet = {{"apiVersion", "apps/v1"},
                          {"kind", "ReplicaSet"},
                          {"name", "web"},
                          {"uid", "r1"},
                          {"controller", true}};

Json with(const char* member, const Json& value) {
  Json owner = kReplicaSet;
  owner[member] = value;
  return owner;
}

TEST(ControllerOfAPod, IsTheOwnerThatIsMarkedAsIt) {
  const std::optional<Controller> found =
      controller_of(owned(Json::array({with("controller", false), "odd", kReplicaSet})));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (Controller{"apps/v1", "ReplicaSet", "n", "web", "r1"}));
  EXPECT_EQ(controller_from_json(to_json(*found)).value(), *found);
  EXPECT_FALSE(controller_of(owned(Json::array({with("controller", false)}))));
  EXPECT_FALSE(controller_of(owned(Json::object())));
  EXPECT_FALSE(controller_of(Json::object()));
}

TEST(ControllerOfAPod, IsNoNodeAndHasNoNameThatLeadsElsewhere) {
  EXPECT_FALSE(controller_of(owned(Json::array({with("kind", "Node")}))));
  EXPECT_FALSE(controller_of(owned(Json::array({with("name", "../../nodes/x")}))));
  EXPECT_FALSE(controller_of(owned(Json::array({with("uid", "a/b")}))));
  EXPECT_FALSE(controller_of(owned(Json::array({with("kind", "")}))));
  EXPECT_FALSE(controller_of(owned(Json::array({with("apiVersion", "apps v1")}))));
  EXPECT_FALSE(controller_from_json(Json::array()));
}

TEST(ControllerOfAPod, IsNoPartOfItsManifest) {
  const Json pod = owned(Json::array({kReplicaSet}));
  const Result<PodDocument> document = pod_document(pod);
  ASSERT_TRUE(document);
  ASSERT_TRUE(document->controller);
  EXPECT_EQ(document->controller->name, "web");
  EXPECT_EQ(document->text.find("ownerReferences"), std::string::npos);
}

PodDocument pod_of(const std::string& uid, const std::string& controller) {
  PodDocument document{.uid = uid, .text = "t"};
  if (!controller.empty()) {
    document.controller = Controller{"apps/v1", "ReplicaSet", "n", controller, "r-" + controller};
  }
  return document;
}

TEST(PodControllersKnown, AreThoseOfTheSourceAndForAWhileOfPodsThatAreGone) {
  test::RecordingSink sink;
  PodControllers controllers(sink);
  controllers.on_list({pod_of("a", "x"), pod_of("b", "y"), pod_of("c", "")}, MonoTime{});
  EXPECT_EQ(controllers.find("a")->name, "x");
  EXPECT_FALSE(controllers.find("c"));
  controllers.on_pod(pod_of("d", "z"));
  controllers.on_deleted("d");
  EXPECT_EQ(controllers.find("d")->name, "z");
  controllers.on_list({pod_of("b", "y")}, MonoTime{});
  EXPECT_EQ(controllers.find("a")->name, "x");
  EXPECT_EQ(controllers.find("b")->name, "y");
  EXPECT_EQ(sink.lists, 2);
  EXPECT_EQ(sink.uids, std::set<std::string>{"b"});
}

}  // namespace
}  // namespace evictd::kube
