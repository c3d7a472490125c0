// SPDX-License-Identifier: Apache-2.0
// The whole way with a real runtime: pods of containerd and runc, whose kubelet is played, are
// known to evictd, one of them grows and is evicted, and its sandbox is ended.
#include <algorithm>
#include <filesystem>
#include <string>

#include "base/unix_socket.h"
#include "must.h"
#include "runtime_arena.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

using cri::test::Containerd;

class ContainerdPods : public RuntimeArena {
 protected:
  [[nodiscard]] std::string status_socket() const {
    return (scratch_->path() / "kube/status.sock").string();
  }

  [[nodiscard]] std::string place_link() const {
    return (scratch_->path() / "kube/runtime").string();
  }
  [[nodiscard]] Json evictd_config(const Json& more = Json::object()) const {
    Json config = memory_config(Source::kEvents);
    config["manifestDirectories"] = {(scratch_->path() / "kube/pods").string()};
    // Another filesystem than that of the runtime, which is in the scratch directory, in memory.
    config["nodefsPath"] = "/";
    config["containerRuntimeRoots"] = {place_link()};
    config.update(more);
    return config;
  }
  /// The entry of the status for what images are on.
  [[nodiscard]] static Json image_filesystem(const Json& status) {
    for (const Json& one : status["filesystems"]) {
      const Json& serves = one["serves"];
      if (std::find(serves.begin(), serves.end(), "imagefs") != serves.end()) {
        return one;
      }
    }
    return nullptr;
  }

  void start_both(const Json& of_evictd = Json::object(), const Json& of_kube = Json::object()) {
    start_daemon(evictd_config(of_evictd));
    const Json access = {{"url", "https://127.0.0.1:" + await_server()},
                         {"caFile", server_file("ca.pem").string()},
                         {"tokenFile", server_file("token").string()}};
    Json kube_config = {{"nodeName", "node1"},
                        {"manifestDirectory", (scratch_->path() / "kube/pods").string()},
                        {"statusSocket", status_socket()},
                        {"evictdSocket", (scratch_->path() / "control.sock").string()},
                        {"podSource", "kubelet"},
                        {"kubelet", access},
                        {"apiServer", access},
                        {"runtime",
                         {{"endpoint", "unix://" + containerd_->socket().string()},
                          {"pollInterval", "200ms"},
                          {"placeLink", place_link()}}}};
    kube_config["reclaim"] = {
        {"maxPerPodContainer", 0}, {"imageMinimumGCAge", "0s"}, {"imageGCLowThresholdPercent", 0}};
    kube_config["kubelet"]["pollInterval"] = "10m";
    kube_config.update(of_kube);
    const std::filesystem::path file = scratch_->path() / "kube.yaml";
    must(stage::replace_file(file, kube_config.dump()));
    kube_ = must(stage::Child::start({.argv = {EVICTD_KUBE, "--config", file.string()},
                                      .output = scratch_->path() / "kube.log"}));
    // It follows evictd from here on.
    await_kube([](const Json& status) {
      return status["evictd"]["connected"] == true && !status["runtime"]["api"].is_null();
    });
  }

  Json await_kube(const std::function<bool(const Json&)>& condition) {
    Json seen;
    try {
      await_status([&](const Json& /*of_evictd*/) {
        const Result<std::string> answer =
            base::request_line(status_socket(), R"({"op":"status"})");
        seen = answer ? Json::parse(*answer) : Json();
        return answer && condition(seen);
      });
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("of evictd-kube: " + seen.dump(1) + error.what());
    }
    return seen;
  }

  Json await_known(const Containerd::Pod& pod, std::int64_t priority) {
    return await_status([&](const Json& status) {
      const Json known = pod_in(status, pod.uid);
      return known.is_object() && known["priority"] == priority && known["state"] == "active";
    });
  }

  [[nodiscard]] std::vector<cri::SandboxState> states_of(const Containerd::Pod& pod) {
    std::vector<cri::SandboxState> states;
    for (const cri::Sandbox& sandbox : must(runtime_->list_sandboxes(pod.uid))) {
      states.push_back(sandbox.state);
    }
    return states;
  }
  /// The requests that this eviction becomes, in their order, each as the API server wants it.
  void expect_told(const Json& record) const {
    const std::vector<Json> made = changes();
    ASSERT_EQ(made.size(), 4U) << Json(made).dump(1);
    for (const Json& change : made) {
      EXPECT_LT(change["status"], 300) << change;
      EXPECT_EQ(change["problems"], Json::array()) << change;
    }
    const std::string pod = "/api/v1/namespaces/" + record["namespace"].get<std::string>() +
                            "/pods/" + record["name"].get<std::string>();
    EXPECT_EQ(made[0]["path"], pod + "/status");
    EXPECT_EQ(made[0]["body"]["status"]["message"], record["message"]);
    EXPECT_EQ(made[1]["path"], pod + "/eviction");
    EXPECT_EQ(made[1]["body"]["deleteOptions"]["preconditions"]["uid"], record["uid"]);
    EXPECT_EQ(made[2]["body"]["reason"], "EvictionThresholdMet");
    EXPECT_EQ(made[3]["body"]["reason"], "Evicted");
  }
  /// Where its processes died before the runtime was asked, it learns of that by and by.
  void await_end(const Containerd::Pod& pod) {
    await_status([&](const Json& /*of_evictd*/) {
      return running_in(pod) == 0 && states_of(pod) == std::vector{cri::SandboxState::kNotReady};
    });
  }
  std::optional<stage::Child> kube_;
};

/// Of all pods of the tree together, and what must be left.
constexpr std::int64_t kLimit = 256 * kMiB;
constexpr std::int64_t kLeft = 128 * kMiB;
/// What the first container takes, and what the second one writes, at most.
constexpr std::int64_t kTaken = 24 * kMiB;
constexpr std::int64_t kWritten = 160 * kMiB;
/// What it has written of that when the threshold is crossed, at least.
constexpr std::int64_t kInMemory = 64 * kMiB;

TEST_F(ContainerdPods, OneOfTwoContainersAndATmpfsIsEvictedTheWholeWay) {
  limit_pods(Bytes{kLimit});
  start_both({{"evictionHard", {{"allocatableMemory.available", std::to_string(kLeft)}}}},
             {{"mode", "assist"}, {"stateDirectory", (scratch_->path() / "queue").string()}});
  // Both use less than they request: no threshold is a reason to end them.
  std::vector<Containerd::Pod> calm;
  for (const char* const name : {"calm", "quiet"}) {
    calm.push_back(run_pod({.name = name,
                            .qos = stage::QosClass::kBurstable,
                            .priority = 100,
                            .memory_request = Bytes{32 * kMiB}}));
    must(containerd_->start_container(calm.back(), {.name = "main"}));
    await_known(calm.back(), 100);
  }
  const Containerd::Pod greedy = run_pod({.name = "greedy", .priority = 1});
  const std::filesystem::path volume = scratch_->path() / "volumes" / greedy.uid;
  must(containerd_->mount_memory(volume));
  const std::filesystem::path stage = scratch_->path() / "stage";
  must(containerd_->start_container(
      greedy, {.name = "taker",
               .command = {Containerd::kProgram, "/stage/go", std::to_string(kTaken)},
               .stage = stage}));
  must(containerd_->start_container(greedy, {.name = "writer",
                                             .command = {Containerd::kProgram, "/stage/fill",
                                                         std::to_string(kWritten), "/cache/file"},
                                             .stage = stage,
                                             .cache = volume}));
  await_known(greedy, 1);
  let_go();
  let_go("fill");

  await("no release", [&] {
    const Json records = ask("last_evictions");
    return !records.empty() && records[0]["state"] == "released";
  });
  const Json record = ask("last_evictions")[0];
  EXPECT_EQ(record["uid"], greedy.uid);
  EXPECT_EQ(record["signal"], "allocatableMemory.available");
  await("no four changes at the API server", [&] { return changes().size() >= 4; });
  expect_told(record);
  await_kube([](const Json& status) {
    return status["runtime"]["counters"]["evicted_pods"] == 1 &&
           status["runtime"]["counters"]["waiting"] == 0 && status["actions"]["waiting"] == 0;
  });
  await_end(greedy);
  // The kubelet's part: no process has the volume any more.
  const Bytes held = must(tree_->usage());
  EXPECT_GT(held.value, kInMemory);
  must(containerd_->unmount(volume));
  await("the memory is not back",
        [&] { return must(tree_->usage()).value < held.value - kInMemory; });

  for (const Containerd::Pod& pod : calm) {
    EXPECT_EQ(states_of(pod), std::vector{cri::SandboxState::kReady}) << pod.name;
    EXPECT_EQ(running_in(pod), 1) << pod.name;
  }
  EXPECT_EQ(ask("last_evictions").size(), 1U);
  EXPECT_EQ(changes().size(), 4U);
  EXPECT_EQ(must(tree_->oom_kills()), 0);
}

TEST_F(ContainerdPods, OneThatGrowsIsEvictedAndItsSandboxIsEnded) {
  start_both();
  const Containerd::Pod calm = run_pod({.name = "calm", .priority = 100});
  must(containerd_->start_container(calm, {.name = "main"}));
  const Containerd::Pod greedy = run_pod({.name = "greedy", .priority = 1});
  must(containerd_->start_container(greedy, {.name = "side"}));
  must(containerd_->start_container(
      greedy, {.name = "hog",
               .command = {Containerd::kProgram, "/stage/go", std::to_string(kPastThreshold)},
               .stage = scratch_->path() / "stage"}));
  await_known(calm, 100);
  await_known(greedy, 1);
  limit_memory();
  // The limit is the threshold's capacity: evictd is told of it by a new start.
  must(daemon_->stop());
  start_daemon(evictd_config());
  await_known(greedy, 1);
  await_kube([](const Json& status) {
    return status["evictd"]["connected"] == true && status["evictd"]["connections"] == 2;
  });
  let_go();
  const Json status = await_kube([](const Json& seen) {
    return seen["runtime"]["counters"]["evicted_pods"] == 1 &&
           seen["runtime"]["counters"]["waiting"] == 0;
  });
  EXPECT_EQ(status["runtime"]["counters"]["abandoned"], 0) << status["runtime"];
  await_end(greedy);
  EXPECT_EQ(states_of(calm), std::vector{cri::SandboxState::kReady});
  EXPECT_EQ(running_in(calm), 1);
  EXPECT_EQ(ask("last_evictions").size(), 1U);
  EXPECT_EQ(ask("last_evictions")[0]["name"], "greedy");
}

TEST_F(ContainerdPods, ANewOneIsKnownWithPriorityAndRequest) {
  start_both();
  const Containerd::Pod pod = run_pod({.name = "told",
                                       .qos = stage::QosClass::kBurstable,
                                       .priority = 77,
                                       .memory_request = Bytes{32 * kMiB}});
  const Json known = pod_in(await_known(pod, 77), pod.uid);
  const auto took = std::chrono::steady_clock::now() - began_;
  EXPECT_EQ(known["memory_request_bytes"], 32 * kMiB);
  std::cout << "RunPodSandbox to known with priority and request: "
            << std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << " ms\n";
  // Of a machine so slow that the container runs first nothing is claimed.
  must(containerd_->start_container(pod, {.name = "main"}));
  const Json status = await_kube([](const Json& seen) {
    return seen["runtime"]["containers"].size() == 1 &&
           !seen["runtime"]["containers"][0]["layer_bytes"].is_null() &&
           !seen["runtime"]["containers"][0]["cgroup"].is_null() &&
           seen["runtime"]["events"]["state"] != "waiting";
  });
  const Json& container = status["runtime"]["containers"][0];
  EXPECT_EQ(container["name"], "main");
  EXPECT_EQ(container["pod_uid"], pod.uid);
  EXPECT_EQ(container["role"], "main") << "as its manifest has it";
  EXPECT_EQ(container["cgroup"], pod.cgroup + "/" + container["id"].get<std::string>());
  // What containerd before 1.7 has.
  const bool has_events = status["runtime"]["events"]["state"] == "followed";
  EXPECT_EQ(status["runtime"]["events"]["problem"].get<std::string>().empty(), has_events);
  EXPECT_EQ(status["runtime"]["name"], "containerd");
}

TEST_F(ContainerdPods, TheRuntimeSaysWhichFilesystemImagesAreOn) {
  const Json often = {{"pollInterval", "1s"}};
  start_both(often);
  EXPECT_EQ(image_filesystem(status())["origin"], "nodefsPath") << "nobody has told of another";
  EXPECT_EQ(status()["disk_layout"]["dedicated_image_fs"], false);
  const Json told = await_kube([this](const Json& seen) {
    return !seen["runtime"]["image_place"].is_null() && std::filesystem::exists(place_link());
  });
  EXPECT_EQ(std::filesystem::read_symlink(place_link()).string(), told["runtime"]["image_place"]);
  await_status([this](const Json& /*of_evictd*/) {
    return log().find("reports other paths than when evictd started") != std::string::npos;
  });
  // What it told last counts without it too.
  kube_.reset();
  must(daemon_->stop());
  start_daemon(evictd_config(often));
  const Json seen = status();
  EXPECT_EQ(image_filesystem(seen)["path"], place_link()) << seen["filesystems"];
  EXPECT_EQ(image_filesystem(seen)["origin"], "containerRuntimeRoots");
  EXPECT_EQ(seen["disk_layout"]["dedicated_image_fs"], true);
}

TEST_F(ContainerdPods, DeadContainersAndUnusedImagesAreReclaimed) {
  must(containerd_->import_image("localhost/evictd-unused:1"));
  start_both();
  const Containerd::Pod live = run_pod({.name = "live", .priority = 1});
  must(containerd_->start_container(live, {.name = "main"}));
  const Containerd::Pod ended = run_pod({.name = "ended", .priority = 1});
  must(containerd_->start_container(ended, {.name = "main"}));
  must(runtime_->stop_sandbox(ended.sandbox));
  await_kube([](const Json& status) { return status["runtime"]["images"].size() == 2; });
  const std::string config = (scratch_->path() / "kube.yaml").string();
  const ProgramEnd containers =
      run_to_end(scratch_->path(), {EVICTD_KUBE, "--config", config, "reclaim", "containers"});
  EXPECT_EQ(containers.exit_status, 0) << containers.output;
  EXPECT_EQ(containers.output, "removed 1 containers, 0 sandboxes and 0 images of 0 bytes\n");
  const ProgramEnd images =
      run_to_end(scratch_->path(), {EVICTD_KUBE, "--config", config, "reclaim", "images"});
  EXPECT_EQ(images.exit_status, 0) << images.output;
  const auto left = must(runtime_->list_images());
  ASSERT_EQ(left.size(), 1U) << images.output;
  EXPECT_EQ(left.front().tags, std::vector<std::string>{Containerd::kImage});
  EXPECT_EQ(running_in(live), 1);
}

}  // namespace
}  // namespace evictd::daemon::test
