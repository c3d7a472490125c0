// SPDX-License-Identifier: Apache-2.0
#include "cri/reclaim.h"

#include <gtest/gtest.h>

#include "support/cri/fake_runtime.h"
#include "support/temporary_directory.h"

namespace evictd::cri {
namespace {

using Changes = std::vector<std::string>;

class ReclaimTest : public testing::Test {
 protected:
  void add_images(const std::vector<std::string>& ids) {
    runtime_.change([&](test::RuntimeState& state) {
      for (const std::string& id : ids) {
        state.images.emplace_back().set_id(id);
        state.images.back().set_size(100);
        question_.idleness[id] = {.known = std::chrono::hours(1), .unused = {}};
      }
    });
  }
  [[nodiscard]] std::string socket() const { return (directory_.path() / "cri.sock").string(); }

  evictd::test::TemporaryDirectory directory_;
  test::FakeRuntime runtime_{socket()};
  RuntimeClient client_{{.channel = {.socket = socket()}}};
  /// 20 % are to be free.
  Space space_{.available_bytes = 50, .capacity_bytes = 1000, .inodes_free = 0, .inodes = 0};
  std::string asked_;
  ImageQuestion question_{
      .policy = {}, .idleness = {}, .read_space = [this](const std::string& place) {
        asked_ = place;
        return Result<Space>(space_);
      }};
};

TEST_F(ReclaimTest, DeadContainersGoAndThenTheirSandboxes) {
  runtime_.change([](test::RuntimeState& state) {
    state.sandboxes = {test::sandbox("s1", "u1", wire::SANDBOX_NOTREADY, 1),
                       test::sandbox("s2", "u1", wire::SANDBOX_READY, 2),
                       test::sandbox("s3", "u2", wire::SANDBOX_NOTREADY, 1)};
    state.containers = {test::container("c1", "s1", "u1", "x", wire::CONTAINER_EXITED, 1),
                        test::container("c2", "s2", "u1", "x", wire::CONTAINER_EXITED, 2),
                        test::container("c3", "s2", "u1", "x", wire::CONTAINER_RUNNING, 3),
                        test::container("c4", "s3", "u2", "x", wire::CONTAINER_EXITED, 1)};
  });
  const auto sum = reclaim_containers(
      client_, {}, [](const std::string& uid) { return uid == "u2"; },
      WallTime(std::chrono::hours(1)));
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(sum->containers, 2U);
  EXPECT_EQ(sum->sandboxes, 2U);
  EXPECT_EQ(runtime_.changes(), (Changes{"RemoveContainer c4", "RemoveContainer c1",
                                         "RemovePodSandbox s1", "RemovePodSandbox s3"}));
}

TEST_F(ReclaimTest, APodWithASandboxLivesWhateverItsManifestSays) {
  runtime_.change([](test::RuntimeState& state) {
    state.sandboxes = {test::sandbox("s1", "u1", wire::SANDBOX_READY)};
    state.containers = {test::container("done", "s1", "u1", "x", wire::CONTAINER_EXITED),
                        test::container("runs", "s1", "u1", "y", wire::CONTAINER_RUNNING)};
  });
  const auto sum = reclaim_containers(
      client_, {}, [](const std::string&) { return true; }, WallTime(std::chrono::hours(1)));
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(runtime_.changes(), Changes{});
}

TEST_F(ReclaimTest, OneThatCannotBeRemovedHoldsUpNoOther) {
  runtime_.change([](test::RuntimeState& state) {
    state.sandboxes = {test::sandbox("s1", "u1", wire::SANDBOX_NOTREADY)};
    state.containers = {test::container("c1", "s2", "u1", "x", wire::CONTAINER_EXITED)};
  });
  runtime_.set_fault("RemoveContainer", test::Fault::kUnavailable);
  const auto sum = reclaim_containers(
      client_, {}, [](const std::string&) { return true; }, WallTime(std::chrono::hours(1)));
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(sum->failures, 1U);
  EXPECT_NE(sum->first_failure.find("RemoveContainer"), std::string::npos);
  EXPECT_EQ(sum->sandboxes, 1U);
}

TEST_F(ReclaimTest, ImagesGoUntilTheLowThresholdIsReachedByTheirSizes) {
  add_images({"a", "b", "c"});
  const auto sum = reclaim_images(client_, question_);
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(sum->images, 2U);
  EXPECT_EQ(sum->image_bytes, 200U);
  EXPECT_EQ(asked_, "/");
}

TEST_F(ReclaimTest, ImagesGoUntilThereAreInodesEnough) {
  add_images({"a", "b", "c"});
  space_ = {.available_bytes = 900, .capacity_bytes = 1000, .inodes_free = 1, .inodes = 1000};
  const auto sum = reclaim_images(client_, question_);
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(sum->images, 3U);
}

TEST_F(ReclaimTest, NoImageGoesWhereThereIsRoom) {
  add_images({"a"});
  space_.available_bytes = 200;
  const auto sum = reclaim_images(client_, question_);
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(runtime_.changes(), Changes{});
}

TEST_F(ReclaimTest, TheImageOfSandboxesStaysByTheRuntimesOwnConfiguration) {
  add_images({"a", "b"});
  runtime_.change(
      [](test::RuntimeState& state) { state.images[0].add_repo_tags("registry/sandbox:1"); });
  const auto sum = reclaim_images(client_, question_);
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(runtime_.changes(), Changes{"RemoveImage b"});
}

TEST_F(ReclaimTest, NoImageGoesWhereContainersCannotBeListed) {
  add_images({"a"});
  runtime_.set_fault("ListContainers", test::Fault::kUnavailable);
  EXPECT_FALSE(reclaim_images(client_, question_));
  EXPECT_EQ(runtime_.changes(), Changes{});
}

}  // namespace
}  // namespace evictd::cri
