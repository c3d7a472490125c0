// SPDX-License-Identifier: Apache-2.0
#include "cluster/cgroup_name.h"

#include <gtest/gtest.h>

#include "cgroup_path.h"

namespace evictd::cluster {
namespace {

constexpr std::string_view kUid = "86a66f6e-8c6e-4ee7-8f09-e1e340887540";
constexpr std::string_view kStaticUid = "668d3602e8d079a5546392fe80611e6c";
constexpr std::string_view kId = "5bc7cd12f68404d18088e45ee1f3a8625bc7cd12f68404d18088e45ee1f3a862";

std::string id_named(std::string_view before, std::string_view after = "") {
  return std::string(before) + std::string(kId) + std::string(after);
}

struct PathCase {
  std::string path;
  std::string_view uid;
  PathQos qos;
  CgroupDriver driver;
  bool in_container;
};

class PodPaths : public testing::TestWithParam<PathCase> {};

TEST_P(PodPaths, AreReadFromTheLeaf) {
  const PathCase& expected = GetParam();
  const std::optional<PathMeaning> meaning = parse_cgroup_path(expected.path);
  ASSERT_TRUE(meaning) << expected.path;
  EXPECT_EQ(meaning->pod.uid, expected.uid);
  EXPECT_EQ(meaning->pod.qos, expected.qos);
  EXPECT_EQ(meaning->pod.driver, expected.driver);
  EXPECT_EQ(meaning->container_id, expected.in_container ? kId : "");
}

INSTANTIATE_TEST_SUITE_P(
    OfBothDrivers, PodPaths,
    testing::Values(
        PathCase{"/kubepods/pod86a66f6e-8c6e-4ee7-8f09-e1e340887540", kUid, PathQos::kGuaranteed,
                 CgroupDriver::kCgroupfs, false},
        PathCase{"/kubepods/burstable/pod86a66f6e-8c6e-4ee7-8f09-e1e340887540", kUid,
                 PathQos::kBurstable, CgroupDriver::kCgroupfs, false},
        PathCase{id_named("/kubepods/besteffort/pod86a66f6e-8c6e-4ee7-8f09-e1e340887540/"), kUid,
                 PathQos::kBestEffort, CgroupDriver::kCgroupfs, true},
        PathCase{"/kubepods/burstable/pod668d3602e8d079a5546392fe80611e6c", kStaticUid,
                 PathQos::kBurstable, CgroupDriver::kCgroupfs, false},
        PathCase{id_named("/a/b/kubepods/burstable/pod86a66f6e-8c6e-4ee7-8f09-e1e340887540/crio-"),
                 kUid, PathQos::kBurstable, CgroupDriver::kCgroupfs, true},
        PathCase{"/kubepods.slice/kubepods-pod86a66f6e_8c6e_4ee7_8f09_e1e340887540.slice", kUid,
                 PathQos::kGuaranteed, CgroupDriver::kSystemd, false},
        PathCase{id_named("/kubepods.slice/kubepods-burstable.slice/"
                          "kubepods-burstable-pod86a66f6e_8c6e_4ee7_8f09_e1e340887540.slice/"
                          "cri-containerd-",
                          ".scope"),
                 kUid, PathQos::kBurstable, CgroupDriver::kSystemd, true},
        PathCase{id_named("/kubepods.slice/kubepods-besteffort.slice/"
                          "kubepods-besteffort-pod668d3602e8d079a5546392fe80611e6c.slice/crio-",
                          ".scope/container"),
                 kStaticUid, PathQos::kBestEffort, CgroupDriver::kSystemd, true},
        PathCase{id_named("/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
                          "kubelet-kubepods-besteffort-pod86a66f6e_8c6e_4ee7_8f09_e1e340887540"
                          ".slice/docker-",
                          ".scope"),
                 kUid, PathQos::kBestEffort, CgroupDriver::kSystemd, true},
        PathCase{id_named("/kubepods/burstable/pod86a66f6e-8c6e-4ee7-8f09-e1e340887540/"
                          "crio-conmon-"),
                 kUid, PathQos::kBurstable, CgroupDriver::kCgroupfs, false}));

TEST(ParseCgroupPath, TakesTheInnermostOfNestedPods) {
  const std::optional<PathMeaning> meaning = parse_cgroup_path(
      id_named("/kubepods/pod11111111-1111-1111-1111-111111111111/",
               "/kubelet/kubepods/burstable/pod22222222-2222-2222-2222-222222222222"));
  ASSERT_TRUE(meaning);
  EXPECT_EQ(meaning->pod.uid, "22222222-2222-2222-2222-222222222222");
  EXPECT_EQ(meaning->pod.qos, PathQos::kBurstable);
  EXPECT_EQ(meaning->container_id, "");
}

TEST(ParseCgroupPath, SaysWhichPartNamesThePod) {
  constexpr std::string_view kPath =
      "/kubepods/pod86a66f6e-8c6e-4ee7-8f09-e1e340887540/monitor/deeper";
  const std::optional<PathMeaning> meaning = parse_cgroup_path(kPath);
  ASSERT_TRUE(meaning);
  EXPECT_EQ(kPath.substr(0, meaning->pod_path_length),
            "/kubepods/pod86a66f6e-8c6e-4ee7-8f09-e1e340887540");
}

TEST(ParseCgroupPath, FindsNoPodElsewhere) {
  for (const char* path :
       {"", "/", "/system.slice/sshd.service", "/kubepods", "/kubepods/burstable",
        "/kubepods.slice/kubepods-burstable.slice", "/podman/pod1", "/user.slice/pods.slice",
        "/kubepods/burstable/notpod", "/kubepods/burstable/pod", "/burst/podabc",
        "/kubepods/burstable/pod..", "/kubepods/pod a",
        "/kubepods.slice/kubepods-burstable.slice/kubepods-besteffort-podabc.slice",
        "/kubepods.slice/kubepods-podabc.scope"}) {
    EXPECT_FALSE(parse_cgroup_path(path)) << path;
  }
}

TEST(ParseContainerName, KnowsTheRuntimes) {
  for (const char* before : {"", "cri-containerd-", "crio-", "docker-", "libpod-", "pouch-"}) {
    EXPECT_EQ(parse_container_name(id_named(before)), kId) << before;
    EXPECT_EQ(parse_container_name(id_named(before, ".scope")), kId) << before;
  }
}

TEST(ParseContainerName, RefusesMonitorsAndWhatHasNoId) {
  EXPECT_FALSE(parse_container_name(id_named("crio-conmon-")));
  EXPECT_FALSE(parse_container_name(id_named("crio-conmon-", ".scope")));
  EXPECT_FALSE(parse_container_name(id_named("other-")));
  EXPECT_FALSE(parse_container_name(kId.substr(1)));
  EXPECT_FALSE(parse_container_name(id_named("0")));
  EXPECT_FALSE(parse_container_name("init.scope"));
  EXPECT_FALSE(parse_container_name(""));
}

TEST(IsStaticUid, IsTheHashOfAManifest) {
  EXPECT_TRUE(is_static_uid(kStaticUid));
  EXPECT_FALSE(is_static_uid(kUid));
  EXPECT_FALSE(is_static_uid("668D3602E8D079A5546392FE80611E6C"));
  EXPECT_FALSE(is_static_uid(""));
}

}  // namespace
}  // namespace evictd::cluster
