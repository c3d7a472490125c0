// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evictd::cluster {
namespace {

using testing::ElementsAre;

PlaceRules rules(PlaceOptions options = {}) {
  return *PlaceRules::create(std::move(options));
}

PlaceOptions below(std::string cgroup_root, std::optional<CgroupDriver> driver = std::nullopt) {
  PlaceOptions options;
  options.cgroup_root = std::move(cgroup_root);
  options.driver = driver;
  return options;
}

PlaceOptions with_globs(const std::vector<std::string>& globs,
                        std::optional<Bytes> memory_request = std::nullopt) {
  PlaceOptions options;
  for (const std::string& glob : globs) {
    options.external_pods.push_back({glob, "", 0, memory_request});
  }
  return options;
}

PlaceKind kind_of(const PlaceRules& rules, std::string_view path, std::string_view pod_root = "") {
  return rules.place_of(path, pod_root).kind;
}

TEST(PlaceRules, LookForThePodRootOfEitherDriver) {
  EXPECT_THAT(rules().pod_roots(), ElementsAre("/kubepods", "/kubepods.slice", "/kubelet/kubepods",
                                               "/kubelet.slice/kubelet-kubepods.slice"));
}

TEST(PlaceRules, LookForThePodRootBelowTheCgroupRoot) {
  EXPECT_THAT(
      rules(below("/demo")).pod_roots(),
      ElementsAre("/demo/kubepods", "/demo.slice/demo-kubepods.slice", "/demo/kubepods.slice"));
  EXPECT_THAT(rules(below("/a/b-c/")).pod_roots(),
              ElementsAre("/a/b-c/kubepods", "/a.slice/a-b_c.slice/a-b_c-kubepods.slice",
                          "/a/b-c/kubepods.slice"));
  EXPECT_THAT(
      rules(below("/x.slice")).pod_roots(),
      ElementsAre("/x.slice/kubepods", "/x.slice/x-kubepods.slice", "/x.slice/kubepods.slice"));
}

TEST(PlaceRules, FindPodsOfASystemdThatHasTheCgroupRootForItsRoot) {
  const PlaceRules prefixed = rules(below("/docker/0123", CgroupDriver::kSystemd));
  constexpr std::string_view kRoot = "/docker/0123/kubepods.slice";
  EXPECT_EQ(kind_of(prefixed, "/docker"), PlaceKind::kOnTheWay);
  EXPECT_EQ(kind_of(prefixed, kRoot), PlaceKind::kPodRoot);
  EXPECT_EQ(kind_of(prefixed,
                    "/docker/0123/kubepods.slice/kubepods-burstable.slice/"
                    "kubepods-burstable-podabc.slice",
                    kRoot),
            PlaceKind::kPod);
}

TEST(PlaceRules, TakeACgroupRootThatIsThePodRootItself) {
  EXPECT_THAT(rules(below("/demo/kubepods")).pod_roots(), ElementsAre("/demo/kubepods"));
  EXPECT_THAT(rules(below("/kubepods.slice")).pod_roots(), ElementsAre("/kubepods.slice"));
}

TEST(PlaceRules, KeepToOneDriverWhenTold) {
  EXPECT_THAT(rules(below("/demo", CgroupDriver::kCgroupfs)).pod_roots(),
              ElementsAre("/demo/kubepods"));
  EXPECT_THAT(rules(below("", CgroupDriver::kSystemd)).pod_roots(),
              ElementsAre("/kubepods.slice", "/kubelet.slice/kubelet-kubepods.slice"));
}

TEST(PlaceRules, KnowTheWayToPods) {
  const PlaceRules all = rules();
  EXPECT_EQ(kind_of(all, "/"), PlaceKind::kOnTheWay);
  EXPECT_EQ(kind_of(all, "/kubelet"), PlaceKind::kOnTheWay);
  EXPECT_EQ(kind_of(all, "/kubepods"), PlaceKind::kPodRoot);
  EXPECT_EQ(kind_of(all, "/kubepods/burstable", "/kubepods"), PlaceKind::kOnTheWay);
  EXPECT_EQ(kind_of(all, "/system.slice"), PlaceKind::kNowhere);
  EXPECT_EQ(kind_of(all, "/kubepodsx"), PlaceKind::kNowhere);
}

TEST(PlaceRules, FindPodsOnlyBelowThePodRootThatIsThere) {
  const PlaceRules all = rules();
  EXPECT_EQ(kind_of(all, "/kubepods/podabc", "/kubepods"), PlaceKind::kPod);
  EXPECT_EQ(kind_of(all, "/kubepods/podabc", "/kubepods.slice"), PlaceKind::kNowhere);
  EXPECT_EQ(kind_of(all, "/kubepods/podabc"), PlaceKind::kNowhere);
  EXPECT_EQ(kind_of(all, "/else/kubepods/podabc", "/kubepods"), PlaceKind::kNowhere);
}

TEST(PlaceRules, CountEverythingInAPodAsThePods) {
  const PlaceRules all = rules();
  const std::string id(64, 'a');
  const std::string container = "/kubepods/burstable/podabc/" + id;
  const std::string nested = container + "/kubepods/besteffort/podinner";
  EXPECT_EQ(kind_of(all, container, "/kubepods"), PlaceKind::kContainer);
  EXPECT_EQ(kind_of(all, "/kubepods/burstable/podabc/crio-conmon-" + id, "/kubepods"),
            PlaceKind::kInside);
  const Place place = all.place_of(nested, "/kubepods");
  EXPECT_EQ(place.kind, PlaceKind::kInside);
  EXPECT_EQ(place.pod.uid, "abc");
  EXPECT_EQ(place.pod_path, "/kubepods/burstable/podabc");
}

TEST(PlaceRules, CallCgroupsOutsideKubernetesPodsByGlob) {
  const PlaceRules all = rules(with_globs({"/system.slice/batch-*.service"}, 1_GiB));
  EXPECT_EQ(kind_of(all, "/system.slice"), PlaceKind::kOnTheWay);
  EXPECT_EQ(kind_of(all, "/system.slice/sshd.service"), PlaceKind::kNowhere);
  const Place place = all.place_of("/system.slice/batch-7.service", "");
  EXPECT_EQ(place.kind, PlaceKind::kPod);
  EXPECT_EQ(place.pod.uid, "cgroup:/system.slice/batch-7.service");
  EXPECT_EQ(place.pod.qos, PathQos::kBurstable);
  EXPECT_EQ(place.rule, 0U);
  EXPECT_EQ(kind_of(all, "/system.slice/batch-7.service/inner"), PlaceKind::kInside);
}

TEST(PlaceRules, LetNoStarCrossASlash) {
  const PlaceRules all = rules(with_globs({"/jobs/*"}));
  EXPECT_EQ(kind_of(all, "/jobs/a"), PlaceKind::kPod);
  EXPECT_EQ(all.place_of("/jobs/a/b", "").pod_path, "/jobs/a");
}

TEST(PlaceRules, TakeABackslashOfSystemdForItself) {
  const std::string path = R"(/system.slice/srv-a\x2db.mount)";
  EXPECT_EQ(kind_of(rules(with_globs({path})), path), PlaceKind::kPod);
  EXPECT_EQ(kind_of(rules(with_globs({R"(/system.slice/srv-a\x2d*)"})), path), PlaceKind::kPod);
  EXPECT_EQ(kind_of(rules(with_globs({path})), "/system.slice/srv-ax2db.mount"),
            PlaceKind::kNowhere);
}

TEST(PlaceRules, TakeTheOutermostOfPodsInEachOther) {
  const PlaceRules all = rules(with_globs({"/jobs/*/inner", "/jobs/*"}));
  const Place place = all.place_of("/jobs/a/inner", "");
  EXPECT_EQ(place.kind, PlaceKind::kInside);
  EXPECT_EQ(place.pod_path, "/jobs/a");
  EXPECT_EQ(place.rule, 1U);
}

TEST(PlaceRules, NeverCallThePodRootOrWhatIsAboveItAPod) {
  const PlaceRules all = rules(with_globs({"/*"}));
  EXPECT_EQ(kind_of(all, "/kubepods", "/kubepods"), PlaceKind::kPodRoot);
  EXPECT_EQ(kind_of(all, "/kubelet", "/kubepods"), PlaceKind::kOnTheWay);
  EXPECT_EQ(kind_of(all, "/system.slice", "/kubepods"), PlaceKind::kPod);
}

TEST(PlaceRules, RefusePathsThatAreNone) {
  EXPECT_EQ(PlaceRules::create(below("kubepods")).error().message(),
            "cgroup root 'kubepods': does not begin with '/'; allowed: a path like "
            "/system.slice/x");
  EXPECT_EQ(PlaceRules::create(below("/a/../b")).error().code, Errc::kInvalid);
  EXPECT_EQ(PlaceRules::create(with_globs({"jobs/*"})).error().code, Errc::kInvalid);
  EXPECT_EQ(PlaceRules::create(with_globs({"/"})).error().code, Errc::kInvalid);
  EXPECT_EQ(PlaceRules::create(with_globs({"/a/[b]"})).error().message(),
            "pod glob '/a/[b]': has a '['; allowed: a path in which * and ? are patterns");
}

}  // namespace
}  // namespace evictd::cluster
