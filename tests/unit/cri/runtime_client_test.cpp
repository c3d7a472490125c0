// SPDX-License-Identifier: Apache-2.0
#include "cri/runtime_client.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/cri/fake_runtime.h"
#include "support/temporary_directory.h"

namespace evictd::cri {
namespace {

class RuntimeSocket : public testing::Test {
 protected:
  [[nodiscard]] std::string socket() const { return (directory_.path() / "cri.sock").string(); }
  [[nodiscard]] RuntimeClient::Options options() const { return {.channel = {.socket = socket()}}; }

  evictd::test::TemporaryDirectory directory_;
};

class RuntimeClientOf : public RuntimeSocket, public testing::WithParamInterface<const char*> {};

class RuntimeClientTest : public RuntimeSocket {
 protected:
  test::FakeRuntime runtime_{socket()};
  RuntimeClient client_{options()};
};

TEST_P(RuntimeClientOf, EachVersionOfTheInterfaceReadsTheSame) {
  test::FakeRuntime runtime(socket(), {GetParam()});
  runtime.change([](test::RuntimeState& state) {
    state.sandboxes = {test::sandbox("s1", "u1", wire::SANDBOX_READY, 5),
                       test::sandbox("s2", "u2", wire::SANDBOX_NOTREADY)};
    state.containers = {test::container("c1", "s1", "u1", "main", wire::CONTAINER_RUNNING, 7)};
  });
  RuntimeClient client(options());
  const auto version = client.version();
  ASSERT_TRUE(version) << version.error().message();
  EXPECT_EQ(version->api, GetParam());
  EXPECT_EQ(version->name, "fake");
  const auto sandboxes = client.list_sandboxes("u1");
  ASSERT_TRUE(sandboxes) << sandboxes.error().message();
  ASSERT_EQ(sandboxes->size(), 1U);
  EXPECT_EQ(sandboxes->front().id, "s1");
  EXPECT_EQ(sandboxes->front().state, SandboxState::kReady);
  EXPECT_EQ(sandboxes->front().created.time_since_epoch().count(), 5);
  const auto containers = client.list_containers();
  ASSERT_TRUE(containers) << containers.error().message();
  ASSERT_EQ(containers->size(), 1U);
  EXPECT_EQ(containers->front().name, "main");
  EXPECT_EQ(containers->front().pod_uid, "u1");
  EXPECT_EQ(containers->front().state, ContainerState::kRunning);
}

INSTANTIATE_TEST_SUITE_P(Api, RuntimeClientOf, testing::Values("v1", "v1alpha2"),
                         [](const testing::TestParamInfo<const char*>& api) {
                           return std::string(api.param);
                         });

TEST_F(RuntimeClientTest, ARuntimeThatHangsIsLeftAtTheDeadline) {
  runtime_.set_fault("ListContainers", test::Fault::kHang);
  RuntimeClient::Options hasty = options();
  hasty.deadline = std::chrono::milliseconds(50);
  RuntimeClient client(hasty);
  // The version may itself be late on a busy machine.
  Result<std::vector<Container>> listed = client.list_containers();
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, Errc::kTimedOut) << listed.error().message();
}

TEST_F(RuntimeClientTest, ACallUnderWayEndsWhenItIsCancelled) {
  runtime_.set_fault("StopPodSandbox", test::Fault::kHang);
  std::thread other([&] {
    while (runtime_.calls("StopPodSandbox") == 0) {
      std::this_thread::yield();
    }
    client_.cancel();
  });
  const Result<> stopped = client_.stop_sandbox("s1");
  other.join();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::kBusy) << stopped.error().message();
  EXPECT_EQ(client_.list_images().error().code, Errc::kBusy);
}

TEST_F(RuntimeClientTest, AnAnswerBeyondTheLimitIsRefused) {
  runtime_.set_fault("ListImages", test::Fault::kHuge);
  RuntimeClient::Options narrow = options();
  narrow.channel.max_answer_bytes = 1024;
  RuntimeClient client(narrow);
  const auto listed = client.list_images();
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, Errc::kExhausted) << listed.error().message();
}

TEST_F(RuntimeClientTest, GarbageIsAnErrorThatNamesTheMethod) {
  runtime_.set_fault("ListPodSandbox", test::Fault::kGarbage);
  const auto listed = client_.list_sandboxes();
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, Errc::kMalformed);
  EXPECT_NE(listed.error().message().find("ListPodSandbox"), std::string::npos);
}

TEST_F(RuntimeClientTest, AMissingMethodIsToldApartFromAMissingVersion) {
  const auto version = client_.version();
  ASSERT_TRUE(version) << version.error().message();
  runtime_.set_fault("ListContainerStats", test::Fault::kUnimplemented);
  EXPECT_EQ(client_.list_layers().error().code, Errc::kUnsupported);
  EXPECT_TRUE(client_.list_containers());
}

TEST_F(RuntimeClientTest, ThePlacesOfImagesAndLayersAreTheFirstOnes) {
  runtime_.change([](test::RuntimeState& state) {
    state.image_place = "/images";
    state.container_place = "/layers";
  });
  const auto places = client_.places();
  ASSERT_TRUE(places) << places.error().message();
  EXPECT_EQ(places->images, "/images");
  EXPECT_EQ(places->containers, "/layers");
}

TEST_F(RuntimeSocket, ARuntimeThatCameBackInAnotherVersionIsAsked) {
  RuntimeClient client(options());
  EXPECT_EQ(client.version().error().code, Errc::kIo);
  {
    const test::FakeRuntime runtime(socket(), {"v1"});
    Result<RuntimeVersion> version = client.version();
    while (!version) {
      version = client.version();
    }
    EXPECT_EQ(version->api, "v1");
  }
  const test::FakeRuntime runtime(socket(), {"v1alpha2"});
  Result<RuntimeVersion> version = client.version();
  while (!version) {
    version = client.version();
  }
  EXPECT_EQ(version->api, "v1alpha2");
}

}  // namespace
}  // namespace evictd::cri
