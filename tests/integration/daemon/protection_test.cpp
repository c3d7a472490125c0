// SPDX-License-Identifier: Apache-2.0
#include <csignal>

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
  EXPECT_EQ(listed["memory_rank"] == 0, one.spared == Spared::kWithoutManifest) << seen.dump(1);
  EXPECT_TRUE(spared.alive());
  EXPECT_EQ(seen["counters"]["evictions"], 1);
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
