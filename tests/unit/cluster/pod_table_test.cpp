// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "eviction/pod_facts.h"

namespace evictd::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kMirroredUid = "c25f03ca63fc614d347f7a02e501f06b";

/// Collects what is joined; every cgroup gets the next higher id.
class Inputs {
 public:
  PodCgroup& cgroup(std::string_view uid, PathQos qos = PathQos::kBurstable) {
    PodCgroup& added = *cgroups_.emplace_back(std::make_unique<PodCgroup>());
    added.uid = uid;
    added.qos = qos;
    added.path = "/kubepods/pod" + std::string(uid);
    added.memory_id = {4, cgroups_.size()};
    added.populated = true;
    return added;
  }
  Manifest& manifest(std::string_view uid) {
    Manifest& added = *manifests_.emplace_back(std::make_unique<Manifest>());
    added.cgroup_uid = uid;
    added.pod.uid = uid;
    added.pod.name = "name-of-" + std::string(uid);
    added.origin = "m.yaml:" + std::to_string(manifests_.size());
    return added;
  }
  [[nodiscard]] PodTable join(PodSources sources, UnknownPods unknown = UnknownPods::kNeverEvict,
                              std::span<const ExternalPodRule> rules = {}) const {
    std::vector<const PodCgroup*> cgroups;
    for (const auto& cgroup : cgroups_) {
      cgroups.push_back(cgroup.get());
    }
    std::vector<const Manifest*> manifests;
    for (const auto& manifest : manifests_) {
      manifests.push_back(manifest.get());
    }
    return join_pods({cgroups, manifests, sources, unknown, rules});
  }

 private:
  std::vector<std::unique_ptr<PodCgroup>> cgroups_;
  std::vector<std::unique_ptr<Manifest>> manifests_;
};

std::vector<std::string> uids(const PodTable& table) {
  std::vector<std::string> uids;
  for (const PodEntry& entry : table.entries) {
    uids.push_back(entry.uid);
  }
  return uids;
}

WallTime at_second(int second) {
  return WallTime{std::chrono::seconds{second}};
}

TEST(JoinPods, DescribesACgroupByItsManifest) {
  Inputs inputs;
  inputs.cgroup("a");
  inputs.manifest("a").pod.priority = 7;
  const PodTable table = inputs.join(PodSources::kConfigured);
  ASSERT_EQ(table.entries.size(), 1U);
  const PodEntry& entry = table.entries[0];
  EXPECT_EQ(entry.state, PodState::kActive);
  EXPECT_EQ(entry.origin, PodOrigin::kManifest);
  EXPECT_EQ(entry.pod.priority, 7);
  EXPECT_EQ(entry.manifest_origin, "m.yaml:1");
  EXPECT_EQ(entry.cgroup->path, "/kubepods/poda");
}

TEST(JoinPods, NeverRanksACriticalPodWhoseManifestIsMissing) {
  Inputs inputs;
  inputs.cgroup("critical", PathQos::kBestEffort);
  inputs.cgroup("known");
  inputs.manifest("known");
  for (const UnknownPods unknown : {UnknownPods::kNeverEvict, UnknownPods::kEvict}) {
    const PodTable table = inputs.join(PodSources::kConfigured, unknown);
    EXPECT_EQ(table.find("critical")->state, PodState::kUnknown);
    EXPECT_EQ(table.find("known")->state, PodState::kActive);
    EXPECT_EQ(table.count(PodState::kUnknown), 1U);
  }
}

TEST(JoinPods, KnowsNobodyWhenTheConfiguredSourceHasNoPodAtAll) {
  Inputs inputs;
  inputs.cgroup("a");
  EXPECT_EQ(inputs.join(PodSources::kConfigured, UnknownPods::kEvict).find("a")->state,
            PodState::kUnknown);
}

TEST(JoinPods, EvictsByPathAloneOnlyWhenToldTo) {
  Inputs inputs;
  inputs.cgroup("a", PathQos::kBestEffort);
  EXPECT_EQ(inputs.join(PodSources::kTreeOnly).find("a")->state, PodState::kUnknown);
  const PodTable table = inputs.join(PodSources::kTreeOnly, UnknownPods::kEvict);
  EXPECT_EQ(table.find("a")->state, PodState::kActive);
  EXPECT_EQ(table.find("a")->origin, PodOrigin::kPath);
  EXPECT_EQ(table.find("a")->pod.qos_from_cgroup, eviction::QosClass::kBestEffort);
}

TEST(JoinPods, TakesAUidThatIsAHashForStatic) {
  Inputs inputs;
  inputs.cgroup(kMirroredUid);
  const PodTable table = inputs.join(PodSources::kTreeOnly, UnknownPods::kEvict);
  EXPECT_TRUE(table.find(kMirroredUid)->pod.from_static_source);
}

TEST(JoinPods, CountsPodsThatHaveEndedAsTerminated) {
  Inputs inputs;
  inputs.cgroup("failed");
  inputs.manifest("failed").pod.phase = "Failed";
  inputs.cgroup("succeeded");
  inputs.manifest("succeeded").pod.phase = "Succeeded";
  inputs.manifest("deleted").pod.deletion_requested = true;
  const PodTable table = inputs.join(PodSources::kConfigured);
  EXPECT_EQ(table.count(PodState::kTerminated), 3U);
}

TEST(JoinPods, KeepsAPodActiveThatStillRunsAfterItsDeletionWasAsked) {
  Inputs inputs;
  PodCgroup& cgroup = inputs.cgroup("a");
  inputs.manifest("a").pod.deletion_requested = true;
  EXPECT_EQ(inputs.join(PodSources::kConfigured).find("a")->state, PodState::kActive);
  cgroup.populated = false;
  EXPECT_EQ(inputs.join(PodSources::kConfigured).find("a")->state, PodState::kTerminated);
}

TEST(JoinPods, RanksNoPodWithoutProcesses) {
  Inputs inputs;
  inputs.cgroup("a").populated = false;
  inputs.manifest("a");
  EXPECT_EQ(inputs.join(PodSources::kConfigured).find("a")->state, PodState::kEmpty);
}

TEST(JoinPods, ListsAManifestWithoutACgroupAndNeverRanksIt) {
  Inputs inputs;
  inputs.manifest("a");
  const PodTable table = inputs.join(PodSources::kConfigured);
  ASSERT_EQ(table.entries.size(), 1U);
  EXPECT_EQ(table.entries[0].state, PodState::kNoCgroup);
  EXPECT_FALSE(table.entries[0].cgroup);
}

TEST(JoinPods, ListsAStaticManifestWithoutAUidByItsPlace) {
  Inputs inputs;
  Manifest& manifest = inputs.manifest("");
  manifest.kind = ManifestKind::kStatic;
  manifest.pod.from_static_source = true;
  EXPECT_THAT(uids(inputs.join(PodSources::kConfigured)), ElementsAre("m.yaml:1"));
}

TEST(JoinPods, DescribesACgroupOutsideKubernetesByItsRule) {
  Inputs inputs;
  inputs.cgroup("cgroup:/batch/a").external_rule = 0;
  const std::vector<ExternalPodRule> rules = {{"/batch/*", "batch", 12, 1_GiB}};
  for (const PodSources sources : {PodSources::kTreeOnly, PodSources::kConfigured}) {
    const PodTable table = inputs.join(sources, UnknownPods::kNeverEvict, rules);
    const PodEntry& entry = table.entries.at(0);
    EXPECT_EQ(entry.state, PodState::kActive) << "the configuration knows it";
    EXPECT_EQ(entry.origin, PodOrigin::kRule);
    EXPECT_EQ(entry.pod.name, "batch");
    EXPECT_EQ(entry.pod.priority, 12);
    EXPECT_EQ(entry.pod.containers.at(0).requests.at("memory").value(), 1LL << 30);
  }
}

TEST(JoinPods, PutsTheNewestFirst) {
  Inputs inputs;
  for (const char* uid : {"old", "young", "same-b", "same-a", "no-time-old", "no-time-young"}) {
    inputs.cgroup(uid);
  }
  inputs.manifest("old").pod.created_at = at_second(10);
  inputs.manifest("young").pod.created_at = at_second(30);
  inputs.manifest("same-b").pod.created_at = at_second(20);
  inputs.manifest("same-a").pod.created_at = at_second(20);
  inputs.manifest("no-time-old");
  inputs.manifest("no-time-young");
  inputs.manifest("z-no-cgroup").pod.created_at = at_second(99);
  EXPECT_THAT(uids(inputs.join(PodSources::kConfigured)),
              ElementsAre("young", "same-a", "same-b", "old", "no-time-young", "no-time-old",
                          "z-no-cgroup"));
}

TEST(JoinPods, ReportsAUidThatTwoManifestsClaimAndTakesTheFirst) {
  Inputs inputs;
  inputs.cgroup("a");
  inputs.manifest("a").pod.priority = 1;
  inputs.manifest("a").pod.priority = 2;
  const PodTable table = inputs.join(PodSources::kConfigured);
  EXPECT_EQ(table.entries.size(), 1U);
  EXPECT_EQ(table.entries[0].pod.priority, 1);
  ASSERT_EQ(table.problems.size(), 1U);
  EXPECT_EQ(table.problems[0].message(),
            "m.yaml:2: metadata.uid: 'a' is also the uid at m.yaml:1, which evictd uses; allowed: "
            "one manifest per uid, continuing without it");
}

/// What protects a pod of two manifests, in this order, and what is said of them.
struct OfTwo {
  eviction::PodFacts facts;
  std::vector<std::string> problems;
};

OfTwo join_two(const eviction::Pod& first, const eviction::Pod& second, bool has_cgroup) {
  Inputs inputs;
  if (has_cgroup) {
    inputs.cgroup("a");
  }
  inputs.manifest("a").pod = first;
  inputs.manifest("a").pod = second;
  const PodTable table = inputs.join(PodSources::kConfigured);
  EXPECT_EQ(table.entries.size(), 1U);
  const PodEntry* const entry = table.find("a");
  OfTwo joined;
  if (entry != nullptr) {
    EXPECT_EQ(entry->manifest_origin, "m.yaml:1");
    EXPECT_EQ(entry->pod.name, first.name) << "the first one counts";
    joined.facts = eviction::facts_of(entry->pod, eviction::Compat::k1_32);
  }
  for (const Error& problem : table.problems) {
    joined.problems.push_back(problem.message());
  }
  return joined;
}

eviction::Pod plain_pod() {
  eviction::Pod pod;
  pod.name = "plain";
  pod.priority = 7;
  return pod;
}

eviction::Pod static_pod() {
  eviction::Pod pod;
  pod.name = "static";
  pod.from_static_source = true;
  return pod;
}

TEST(JoinPods, TakesAPodForStaticThatOneOfItsManifestsCallsSo) {
  for (const bool has_cgroup : {true, false}) {
    const OfTwo late = join_two(plain_pod(), static_pod(), has_cgroup);
    EXPECT_TRUE(late.facts.is_static);
    EXPECT_TRUE(late.facts.is_critical);
    EXPECT_EQ(late.facts.priority, 7) << "of the one that counts";
    EXPECT_THAT(late.problems,
                ElementsAre("m.yaml:2: metadata.uid: 'a' is also the uid at m.yaml:1, which evictd "
                            "uses; allowed: one manifest per uid, continuing with the protection "
                            "of both"));
    const OfTwo early = join_two(static_pod(), plain_pod(), has_cgroup);
    EXPECT_TRUE(early.facts.is_static);
    EXPECT_THAT(early.problems, ElementsAre(HasSubstr("continuing without it")));
  }
}

TEST(JoinPods, TakesAPodForCriticalThatOneOfItsManifestsCallsSo) {
  eviction::Pod critical = plain_pod();
  critical.name = "critical";
  critical.priority = eviction::kCriticalPriority + 1000;
  critical.priority_class_name = "system-node-critical";
  const OfTwo late = join_two(plain_pod(), critical, /*has_cgroup=*/true);
  EXPECT_TRUE(late.facts.is_critical);
  EXPECT_TRUE(late.facts.is_node_critical);
  EXPECT_FALSE(late.facts.is_static);
  EXPECT_THAT(late.problems, ElementsAre(HasSubstr("continuing with the protection of both")));
  const OfTwo early = join_two(critical, plain_pod(), /*has_cgroup=*/true);
  EXPECT_TRUE(early.facts.is_critical);
  EXPECT_THAT(early.problems, ElementsAre(HasSubstr("continuing without it")));
}

TEST(JoinPods, TakesAMirrorAndItsStaticPodForOne) {
  eviction::Pod mirror = plain_pod();
  mirror.annotations.emplace("kubernetes.io/config.mirror", "a");
  for (const auto& [first, second] :
       {std::pair(mirror, static_pod()), std::pair(static_pod(), mirror)}) {
    const OfTwo joined = join_two(first, second, /*has_cgroup=*/true);
    EXPECT_TRUE(joined.facts.is_static);
    EXPECT_TRUE(joined.facts.is_mirror);
    EXPECT_THAT(joined.problems, IsEmpty());
  }
}

TEST(JoinPods, ReportsAThirdManifestBesideAMirrorAndItsStaticPod) {
  Inputs inputs;
  inputs.manifest(kMirroredUid).pod.annotations.emplace("kubernetes.io/config.mirror", "a");
  inputs.manifest(kMirroredUid).pod = static_pod();
  inputs.manifest(kMirroredUid).pod = static_pod();
  const PodTable table = inputs.join(PodSources::kConfigured);
  ASSERT_EQ(table.problems.size(), 1U);
  EXPECT_THAT(table.problems[0].message(), HasSubstr("m.yaml:3: metadata.uid"));
}

}  // namespace
}  // namespace evictd::cluster
