// SPDX-License-Identifier: Apache-2.0
// What containers write beside their volumes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "disk_arena.h"
#include "must.h"
#include "stage/child.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

namespace fs = std::filesystem;

/// A container as a runtime and the kubelet make one: a root filesystem that is an overlay, in
/// which the kubelet has mounted a file of its own.
class WritableLayer : public DiskArena {
 protected:
  /// A pod with two containers, "main" with a limit on ephemeral storage.
  stage::StagedPod add_limited_pod() {
    stage::StagedPod pod = make_pod({.name = "scribbler"});
    Json described = Json::parse(stage::manifest({.name = "scribbler"}, pod.uid));
    Json& containers = described["spec"]["containers"];
    containers[0]["resources"]["limits"]["ephemeral-storage"] = "4Mi";
    containers.push_back({{"name", "other"},
                          {"image", "other"},
                          {"resources", {{"limits", {{"ephemeral-storage", "100Mi"}}}}}});
    write_manifest("scribbler", described.dump());
    return pod;
  }

  /// The container "main", which writes so much into its layer once it runs in it.
  void start_container(const stage::StagedPod& pod, std::int64_t bytes) {
    const fs::path disk = disk_->path();
    const fs::path kubelets = disk / "kubelet/pods" / pod.uid / "containers/main/0123abcd";
    fs::create_directories(kubelets.parent_path());
    std::ofstream(kubelets).flush();
    for (const char* directory : {"upper", "work", "merged"}) {
      fs::create_directories(disk / "layer" / directory);
    }
    const std::string script = fmt::format(
        "for d in {}; do echo $$ > $d/cgroup.procs; done\n"
        "cd {}/layer\n"
        "exec unshare -m sh -ec '"
        "mount -t overlay overlay -o lowerdir=/,upperdir=$PWD/upper,workdir=$PWD/work merged\n"
        "mkdir -p merged/dev; : > merged/dev/termination-log\n"
        "mount --bind {} merged/dev/termination-log\n"
        "exec chroot merged sh -c \"yes | head -c {} > /layer; exec sleep 1000\"'",
        fmt::join(strings(tree_->directories_of(pod)), " "), disk.string(), kubelets.string(),
        bytes);
    container_ = must(stage::Child::start(
        {.argv = {"/bin/sh", "-c", script}, .output = scratch_->path() / "container"}));
  }
  [[nodiscard]] std::string said() const {
    return stage::read_text(scratch_->path() / "container").value_or("");
  }
  [[nodiscard]] Json layers_config() const {
    Json config = disk_config(Source::kPolling);
    config["evictionHard"] = Json::object();
    config["podStorage"] = {{"interval", "100ms"}};
    return config;
  }
  static std::vector<std::string> strings(const std::vector<fs::path>& paths) {
    return {paths.begin(), paths.end()};
  }

  std::optional<stage::Child> container_;
};

TEST_F(WritableLayer, CountsForThePodAndIsShown) {
  const stage::StagedPod pod = add_limited_pod();
  start_container(pod, 2 * kMiB);
  start_daemon(layers_config());

  Json storage;
  await_status([&](const Json& status) {
    storage = pod_in(status, pod.uid)["storage"];
    return storage.is_object() && !storage["layers"].empty() &&
           storage["layers"][0]["bytes"] >= 2 * kMiB;
  });

  EXPECT_EQ(storage["layers"][0]["container"], "main") << said();
  EXPECT_LT(storage["layers"][0]["bytes"], 3 * kMiB);
  EXPECT_GE(storage["ephemeral_bytes"], 2 * kMiB);
  EXPECT_EQ(storage["complete_parts"], Json({{"volumes", true}, {"logs", true}, {"layers", true}}));
}

TEST_F(WritableLayer, AContainerThatExceedsItsLimitIsEvicted) {
  const stage::StagedPod pod = add_limited_pod();
  start_container(pod, 8 * kMiB);
  start_daemon(layers_config());

  const Result<stage::ChildExit> end = container_->wait(kPatience);

  ASSERT_TRUE(end) << said() << log();
  EXPECT_TRUE(end->killed_by(SIGKILL) || end->killed_by(SIGTERM)) << end->text() << said();
  Json record;
  await_status([&](const Json& /*status*/) {
    for (const Json& one : ask("last_evictions")) {
      record = one["uid"] == pod.uid ? one : record;
    }
    return !record.is_null();
  });
  EXPECT_EQ(record["local_limit"], "ephemeralcontainerfs.limit");
  EXPECT_EQ(record["local_storage"]["what"], "container");
  EXPECT_EQ(record["local_storage"]["name"], "main");
  EXPECT_GE(record["local_storage"]["used_bytes"], 8 * kMiB);
}

TEST_F(WritableLayer, RanksThePodUnderDiskPressure) {
  const Actor& steady = add_holder({.name = "steady"}, 8 * kMiB);
  const stage::StagedPod pod = make_pod({.name = "scribbler"});
  write_manifest(pod);
  start_container(pod, 130 * kMiB);
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  start_daemon(config);

  const Result<stage::ChildExit> end = container_->wait(kPatience);

  ASSERT_TRUE(end) << said() << log();
  EXPECT_TRUE(end->killed_by(SIGKILL) || end->killed_by(SIGTERM)) << end->text() << said();
  EXPECT_TRUE(steady.alive()) << log();
}

}  // namespace
}  // namespace evictd::daemon::test
