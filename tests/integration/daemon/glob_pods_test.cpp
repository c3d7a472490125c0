// SPDX-License-Identifier: Apache-2.0
// Pods outside Kubernetes, whose parents come and go.
#include <csignal>
#include <filesystem>
#include <vector>

#include "arena.h"
#include "must.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

constexpr const char* kNeverMet = "1";
constexpr const char* kAlwaysMet = "1Pi";

class GlobPods : public ArenaBySource {
 protected:
  void SetUp() override {
    ArenaBySource::SetUp();
    if (!IsSkipped()) {
      slice_ = std::filesystem::path(tree_->cgroup_root().substr(1)) / "late.slice";
    }
  }

  /// `threshold` for memory.available of the node.
  [[nodiscard]] Json config(const char* threshold) const {
    Json config = base_config(GetParam());
    config["podGlobs"][0]["glob"] = "/" + (slice_ / "*.service").string();
    config["pollInterval"] = "50ms";
    config["evictionHard"] = {{"memory.available", threshold}};
    config["hardEvictionGracePeriodSeconds"] = 0;
    return config;
  }
  void make(const std::filesystem::path& cgroup) const {
    for (const std::filesystem::path& mount : mounts()) {
      if (tree_->hierarchies().unified()) {
        must(stage::write_kernel_file((mount / cgroup).parent_path() / "cgroup.subtree_control",
                                      "+memory +pids"));
      }
      std::filesystem::create_directory(mount / cgroup);
    }
  }
  void remove(const std::filesystem::path& cgroup) const {
    for (const std::filesystem::path& mount : mounts()) {
      std::filesystem::remove(mount / cgroup);
    }
  }
  Actor& start_service() {
    stage::StagedPod service;
    service.spec.name = "job";
    service.pod = slice_ / "job.service";
    service.container = service.pod;
    service.uid = "job";  // Files are named by it.
    make(service.pod);
    Actor& job = start_hog(service, kModest);
    job.pod.uid = "cgroup:/" + service.pod.string();
    return job;
  }
  void expect_eviction_of(Actor& pod) {
    await_status([&](const Json& now) { return pod_in(now, pod.pod.uid)["state"] == "active"; });
    reload(config(kAlwaysMet).dump());
    const auto end = pod.await_end();
    ASSERT_TRUE(end) << log();
    EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
    EXPECT_EQ(await_record(pod, "")["uid"], pod.pod.uid);
  }

  std::filesystem::path slice_;

 private:
  [[nodiscard]] std::vector<std::filesystem::path> mounts() const {
    const stage::Hierarchies& at = tree_->hierarchies();
    return at.unified() ? std::vector{at.memory} : std::vector{at.memory, at.pids};
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, GlobPods, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(GlobPods, AreEvictedThoughTheirParentCameAfterTheStart) {
  start_daemon(config(kNeverMet));
  make(slice_);

  expect_eviction_of(start_service());
}

TEST_P(GlobPods, AreEvictedThoughTheirParentWasMadeAnew) {
  make(slice_);
  start_daemon(config(kNeverMet));
  remove(slice_);
  make(slice_);

  expect_eviction_of(start_service());
}

}  // namespace
}  // namespace evictd::daemon::test
