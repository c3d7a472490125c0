// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include "arena.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

enum class Spared { kWithoutManifest, kCritical, kMirror, kStatic };

struct Case {
  Spared spared;
  /// What status shows.
  const char* protection;
  const char* name;
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.name;
}

class Protection : public Arena, public testing::WithParamInterface<std::tuple<Case, Source>> {
 protected:
  /// The pod that must live although it uses by far the most.
  Actor& add_spared(Spared kind) {
    // 32 hexadecimal digits: the hash of a static manifest.
    const std::string uid =
        kind == Spared::kStatic ? "0123456789abcdef0123456789abcdef" : stage::random_uid();
    stage::PodSpec spec{.name = "spared"};
    spec.priority = kind == Spared::kCritical ? 2'000'000'000 : 0;
    const stage::StagedPod pod = make_pod(spec, uid);
    Json manifest = Json::parse(stage::manifest(spec, uid));
    if (kind == Spared::kMirror) {
      manifest["metadata"]["annotations"]["kubernetes.io/config.mirror"] = uid;
    }
    if (kind == Spared::kCritical || kind == Spared::kMirror) {
      write_manifest("spared", manifest.dump());
    }
    return start_hog(pod, kPastThreshold);
  }
};

std::string name_of_case(const testing::TestParamInfo<std::tuple<Case, Source>>& info) {
  const auto& [one, source] = info.param;
  return std::string(one.name) + (source == Source::kEvents ? "Events" : "Polling");
}

INSTANTIATE_TEST_SUITE_P(
    Pods, Protection,
    testing::Combine(testing::Values(Case{Spared::kWithoutManifest, "unknown", "WithoutManifest"},
                                     Case{Spared::kCritical, "critical", "Critical"},
                                     Case{Spared::kMirror, "mirror", "Mirror"},
                                     Case{Spared::kStatic, "static", "Static"}),
                     testing::Values(Source::kEvents, Source::kPolling)),
    name_of_case);

TEST_P(Protection, ThePodLivesThoughItUsesTheMost) {
  const auto& [one, source] = GetParam();
  Actor& ordinary = add({.name = "ordinary"}, kModest);
  Actor& spared = add_spared(one.spared);
  limit_memory();
  start_daemon(memory_config(source));

  spared.load.go();
  const auto end = ordinary.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  // Nobody is left who may be evicted; without the dead pod, nobody at all but the unknown one.
  const Json seen = await_status([](const Json& now) {
    const Json& pass = now["last_pass"];
    return pass.is_object() &&
           (pass["outcome"] == "all_protected" || pass["outcome"] == "no_candidates");
  });
  const Json listed = pod_in(seen, spared.pod.uid);
  EXPECT_EQ(listed["protection"], one.protection) << seen.dump(1);
  const bool has_manifest = one.spared == Spared::kCritical || one.spared == Spared::kMirror;
  EXPECT_EQ(listed["state"] == "unknown", !has_manifest) << seen.dump(1);
  EXPECT_EQ(listed["memory_rank"] == 0, !has_manifest) << seen.dump(1);
  EXPECT_TRUE(spared.alive());
  EXPECT_EQ(seen["counters"]["evictions"], 1);
}

enum class Entered { kBeforeTheStart, kLater };
std::ostream& operator<<(std::ostream& out, Entered entered) {
  return out << (entered == Entered::kLater ? "Later" : "BeforeTheStart");
}

class PodOfEvictd : public Arena, public testing::WithParamInterface<Entered> {
 protected:
  /// evictd in the same cgroups as the pod's own process, by one way or the other.
  void start_daemon_in(const stage::StagedPod& pod, const Json& config) {
    if (GetParam() == Entered::kBeforeTheStart) {
      // One hierarchy is enough. It is the last, as a sanitizer's memory would not fit the first.
      const std::filesystem::path procs = tree_->directories_of(pod).back() / "cgroup.procs";
      const std::string script = "echo $$ > " + procs.string() + " && exec \"$0\" \"$@\"";
      start_daemon(config, {"/bin/sh", "-c", script});
      return;
    }
    start_daemon(config);
    enter(pod);
  }
  void enter(const stage::StagedPod& pod) {
    for (const std::filesystem::path& directory : tree_->directories_of(pod)) {
      const auto entered =
          stage::write_kernel_file(directory / "cgroup.procs", std::to_string(daemon_->pid()));
      ASSERT_TRUE(entered) << entered.error().message();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Entered, PodOfEvictd,
                         testing::Values(Entered::kBeforeTheStart, Entered::kLater),
                         testing::PrintToStringParamName());

TEST_P(PodOfEvictd, IsShownAsThatAndAnotherGoes) {
  Actor& ordinary = add({.name = "ordinary", .priority = 7}, kModest);
  Actor& home = add_hog({.name = "home"});
  limit_memory();
  start_daemon_in(home.pod, memory_config(Source::kEvents));

  home.load.go();
  const auto end = ordinary.await_end();

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  const Json record = await_record(ordinary);
  EXPECT_TRUE(home.alive());
  const auto own = std::find_if(record["ranking"].begin(), record["ranking"].end(),
                                [](const Json& one) { return one["name"] == "home"; });
  ASSERT_NE(own, record["ranking"].end()) << record.dump(1);
  EXPECT_EQ((*own)["passed_over"], "own_process") << record.dump(1);
  EXPECT_EQ((*own)["reason"], "protected: own process");
  const Json seen =
      await_status([&](const Json& now) { return pod_in(now, home.pod.uid)["memory_rank"] == 0; });
  EXPECT_EQ(pod_in(seen, home.pod.uid)["protection"], "own_process") << seen.dump(1);
}

TEST_P(PodOfEvictd, IsRankedAgainOnceEvictdHasLeftIt) {
  stage::StagedPod aside{
      .spec = {.name = "aside"}, .uid = stage::random_uid(), .pod = {}, .container = {}};
  aside.pod = std::filesystem::path(tree_->cgroup_root().substr(1)) / "aside";
  aside.container = aside.pod / "evictd";
  for (const std::filesystem::path& directory : tree_->directories_of(aside)) {
    std::filesystem::create_directories(directory);
  }
  Actor& ordinary = add({.name = "ordinary", .priority = 7}, kModest);
  Actor& home = add_hog({.name = "home"});
  limit_memory();
  Json config = memory_config(Source::kEvents);
  config["pollInterval"] = "100ms";
  start_daemon_in(home.pod, config);
  home.load.go();
  ASSERT_TRUE(ordinary.await_end());

  enter(aside);

  const auto end = home.await_end();
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
}

class Outside : public ArenaBySource {};
INSTANTIATE_TEST_SUITE_P(BySource, Outside, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(Outside, APodsNameAndManifestMakeNoPodBesideThePodRoot) {
  stage::StagedPod beside{
      .spec = {.name = "beside"}, .uid = stage::random_uid(), .pod = {}, .container = {}};
  const std::string tree = tree_->cgroup_root().substr(1);
  beside.pod = std::filesystem::path(tree) / ("pod" + beside.uid);
  beside.container = beside.pod / std::string(64, 'a');
  for (const std::filesystem::path& directory : tree_->directories_of(beside)) {
    std::filesystem::create_directories(directory);
  }
  write_manifest(beside);
  Actor& outsider = start_hog(beside, 3 * kPastThreshold);
  outsider.load.go();
  ASSERT_TRUE(outsider.load.await_holding(kPatience));
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));
  const Json listed = pod_in(status(), beside.uid);
  EXPECT_TRUE(listed.is_null() || listed["cgroup"].is_null()) << listed.dump();

  hog.load.go();
  ASSERT_TRUE(hog.await_end());
  await_record(hog);
  EXPECT_TRUE(outsider.alive());
}

}  // namespace
}  // namespace evictd::daemon::test
