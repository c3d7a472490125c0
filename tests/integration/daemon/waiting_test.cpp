// SPDX-License-Identifier: Apache-2.0
// What is not there yet, or any more: it is waited for, said once, and used once it is there. With
// kernel events the polling interval is one that no test lives to see.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include "arena.h"
#include "must.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

class Waiting : public ArenaBySource {
 protected:
  static bool has_problem(const Json& status, std::string_view text) {
    return std::any_of(status["problems"].begin(), status["problems"].end(),
                       [&](const Json& problem) {
                         return problem.get<std::string>().find(text) != std::string::npos;
                       });
  }
  void await_problem(std::string_view text) {
    await_status([&](const Json& now) { return has_problem(now, text); });
  }
  void await_no_problem() {
    await_status([](const Json& now) { return now["problems"].empty(); });
  }
  void await_state(const stage::StagedPod& pod, std::string_view state) {
    await_status([&](const Json& now) {
      const Json listed = pod_in(now, pod.uid);
      return listed.is_object() && listed["state"] == state;
    });
  }
  void await_pod_root(const std::string& path) {
    await_status([&](const Json& now) { return now["pod_root"] == path; });
  }
  [[nodiscard]] std::string pod_root() const { return tree_->cgroup_root() + "/kubepods"; }
  [[nodiscard]] std::filesystem::path manifests() const { return scratch_->path() / "pods"; }

  /// In a pod root that evictd has found by itself.
  void expect_eviction() {
    const Actor& bystander = add({.name = "bystander", .priority = 1000}, kModest);
    Actor& hog = add_hog({.name = "hog"});
    await_state(hog.pod, "active");
    limit_memory();
    // Nothing tells of a limit that is set later.
    reload(memory_config(GetParam()).dump());
    await_status([](const Json& now) { return now["signals"][0]["observed"] == true; });
    hog.load.go();
    const auto end = hog.await_end();
    ASSERT_TRUE(end) << log();
    EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
    const Json record = await_record(hog);
    EXPECT_EQ(record["pod"], "default/hog");
    if (GetParam() == Source::kEvents) {
      EXPECT_TRUE(asked_for_by_kernel(record)) << record.dump(1);
    }
    EXPECT_TRUE(bystander.alive());
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, Waiting, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(Waiting, MissingManifestDirectoryIsReportedOnceThenUsed) {
  std::filesystem::remove(manifests());
  const stage::StagedPod pod = make_pod({.name = "first"});
  start_daemon(memory_config(GetParam()));
  const std::string waits = "watch manifest directory " + manifests().string() +
                            ": No such file or directory: evictd waits for it, continuing without "
                            "it";
  await_problem(waits);
  await_state(pod, "unknown");

  std::filesystem::create_directory(manifests());
  write_manifest(pod);

  await_state(pod, "empty");
  await_no_problem();
  EXPECT_EQ(lines_with(log(), " warn " + waits), 1U) << log();
  EXPECT_EQ(lines_with(log(), "a problem is over"), 1U) << log();
}

TEST_P(Waiting, ManifestDirectoryCreatedStepByStepIsUsed) {
  const stage::StagedPod pod = make_pod({.name = "first"});
  const std::filesystem::path deep = scratch_->path() / "a" / "b" / "pods";
  Json config = memory_config(GetParam());
  config["manifestDirectories"] = {deep.string()};
  start_daemon(config);
  await_problem(deep.string());

  std::filesystem::create_directories(deep);
  must(stage::replace_file(deep / "first.json", stage::manifest(pod.spec, pod.uid)));

  await_state(pod, "empty");
  await_no_problem();
}

TEST_P(Waiting, RecreatedManifestDirectoryIsUsedAgain) {
  const stage::StagedPod pod = make_pod({.name = "first"});
  const stage::StagedPod later = make_pod({.name = "later"});
  write_manifest(pod);
  start_daemon(memory_config(GetParam()));
  await_state(pod, "empty");
  for (int round = 0; round < 2; ++round) {
    std::filesystem::rename(manifests(), scratch_->path() / "away");
    await_problem("continuing with its pods and their protection as last read");
    EXPECT_EQ(pod_in(status(), pod.uid)["state"], "empty") << "what was known of it is kept";
    std::filesystem::remove_all(scratch_->path() / "away");

    std::filesystem::create_directory(manifests());
    write_manifest(pod);
    await_state(pod, "empty");
    await_no_problem();
  }
  write_manifest(later);
  await_state(later, "empty");
}

TEST_P(Waiting, StaticManifestsThatAreNotThereProtectOnceTheyAre) {
  const stage::StagedPod pod = make_pod({.name = "etcd"});
  write_manifest(pod);
  const std::filesystem::path fixed = scratch_->path() / "static";
  Json config = memory_config(GetParam());
  config["staticManifestDirectories"] = {fixed.string()};
  start_daemon(config);
  await_problem(fixed.string());
  EXPECT_EQ(pod_in(status(), pod.uid)["protection"], "none");

  std::filesystem::create_directory(fixed);
  must(stage::replace_file(fixed / "etcd.json", stage::manifest(pod.spec, pod.uid)));

  await_status([&](const Json& now) { return pod_in(now, pod.uid)["protection"] == "static"; });
}

TEST_P(Waiting, MissingPodRootIsReportedOnceAndItsPodsEvictedLater) {
  must(tree_->remove_pod_root());
  start_daemon(memory_config(GetParam()));
  const std::string waits = "no pod root for cgroupRoot \"" + tree_->cgroup_root() + "\": ";
  await_problem(waits);
  EXPECT_EQ(status()["pod_root"], "");

  must(tree_->make_pod_root());
  await_pod_root(pod_root());

  expect_eviction();
  EXPECT_EQ(lines_with(log(), " warn " + waits), 1U) << log();
  await_no_problem();
}

TEST_P(Waiting, APodRootThatIsRemovedAndMadeAnewHasItsPodsEvicted) {
  const stage::StagedPod old = make_pod({.name = "old"});
  write_manifest(old);
  limit_memory();
  start_daemon(memory_config(GetParam()));
  await_state(old, "empty");

  must(tree_->remove_pod_root());
  await_pod_root("");
  await_state(old, "no_cgroup");
  must(tree_->make_pod_root());
  await_pod_root(pod_root());

  expect_eviction();
}

TEST_P(Waiting, APodRootThatIsReplacedBetweenTwoLooksHasItsPodsEvicted) {
  limit_memory();
  start_daemon(memory_config(GetParam()));
  must(tree_->remove_pod_root());
  must(tree_->make_pod_root());

  expect_eviction();
}

TEST_P(Waiting, APodRootThatGetsItsPidsDirectoryLateHasItsTasksCounted) {
  if (tree_->hierarchies().unified()) {
    GTEST_SUCCEED();  // It has one directory for both.
    return;
  }
  const std::filesystem::path pids = tree_->pids_directory();
  for (const char* level : {"burstable", "besteffort", ""}) {
    std::filesystem::remove(pids / level);
  }
  Json config = base_config(GetParam());
  config["pidAvailableSource"] = "podRoot";
  config["evictionHard"] = {{"pid.available", "5"}};
  start_daemon(config);
  EXPECT_EQ(status()["signals"][0]["observed"], false);

  std::filesystem::create_directory(pids);
  must(tree_->limit_tasks(1000));
  await_status([&](const Json& now) { return now["counters"]["rescans"].get<int>() > 1; });
  reload(config.dump());

  await_status([](const Json& now) { return now["signals"][0]["observed"] == true; });
}

TEST_P(Waiting, StateOfALatePodRootIsRestoredByTheNextEvictd) {
  must(tree_->remove_pod_root());
  start_daemon(memory_config(GetParam()));
  must(tree_->make_pod_root());
  await_pod_root(pod_root());
  must(daemon_->stop());

  start_daemon(memory_config(GetParam()));

  EXPECT_EQ(status()["state"]["restored"], true) << status()["state"].dump();
}

}  // namespace
}  // namespace evictd::daemon::test
