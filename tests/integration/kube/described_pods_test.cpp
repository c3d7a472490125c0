// SPDX-License-Identifier: Apache-2.0
// The whole way: a pod that an API server or a kubelet has is known to evictd, and evicted by what
// they say of it; and the API server hears of it.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "arena.h"
#include "base/unix_socket.h"
#include "must.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

/// Who tells evictd-kube of pods.
enum class Teller { kKubelet, kApiServer };

class DescribedPods : public Arena, public testing::WithParamInterface<Teller> {
 protected:
  void SetUp() override {
    Arena::SetUp();
    if (IsSkipped()) {
      return;
    }
    for (const char* const name : {"server", "kube"}) {
      std::filesystem::create_directory(scratch_->path() / name);
    }
    // What Arena::write_manifest() writes is what the server has.
    server_ = must(
        stage::Child::start({.argv = {"/usr/bin/python3", "-B", FAKE_KUBE, server_file("").string(),
                                      (scratch_->path() / "pods").string()},
                             .output = scratch_->path() / "server.log"}));
  }

  [[nodiscard]] std::filesystem::path server_file(const std::string& name) const {
    return scratch_->path() / "server" / name;
  }
  [[nodiscard]] std::string manifest_directory() const {
    return (scratch_->path() / "kube/pods").string();
  }
  [[nodiscard]] std::filesystem::path kube_log() const { return scratch_->path() / "kube.log"; }

  /// Once the server can be asked.
  void start_kube(const Json& more = Json::object()) {
    await_status(
        [&](const Json& /*status*/) { return std::filesystem::exists(server_file("port")); });
    const std::string url = "https://127.0.0.1:" + must(stage::read_text(server_file("port")));
    const Json access = {{"url", url},
                         {"caFile", server_file("ca.pem").string()},
                         {"tokenFile", server_file("token").string()}};
    Json config = {{"nodeName", "node1"},
                   {"manifestDirectory", manifest_directory()},
                   {"statusSocket", (scratch_->path() / "kube/status.sock").string()},
                   {"evictdSocket", (scratch_->path() / "control.sock").string()}};
    if (GetParam() == Teller::kKubelet) {
      config["podSource"] = "kubelet";
      config["kubelet"] = access;
      config["kubelet"]["pollInterval"] = "10m";
    } else {
      config["podSource"] = "apiserver";
    }
    config["apiServer"] = access;
    config.update(more);
    const std::filesystem::path file = scratch_->path() / "kube.yaml";
    must(stage::replace_file(file, config.dump()));
    kube_ = must(stage::Child::start(
        {.argv = {EVICTD_KUBE, "--config", file.string()}, .output = kube_log()}));
  }
  [[nodiscard]] Json config_with_kube() const {
    Json config = memory_config(Source::kEvents);
    config["manifestDirectories"] = {manifest_directory()};
    return config;
  }
  /// As on a node: the servers have the pod before it has a cgroup.
  [[nodiscard]] stage::StagedPod make_told_pod(const stage::PodSpec& spec) {
    const std::string uid = stage::random_uid();
    Json manifest = Json::parse(stage::manifest(spec, uid));
    manifest["spec"]["nodeName"] = "node1";
    write_manifest(spec.name, manifest.dump());
    return make_pod(spec, uid);
  }

  /// What the API server was asked to change, about this pod or the node.
  [[nodiscard]] std::vector<Json> changes() const {
    std::vector<Json> found;
    std::ifstream in(server_file("changes"));
    for (std::string line; std::getline(in, line);) {
      if (Json change = Json::parse(line, nullptr, false); change.is_object()) {
        found.push_back(std::move(change));
      }
    }
    return found;
  }

  std::optional<stage::Child> server_;
  std::optional<stage::Child> kube_;
};

TEST_P(DescribedPods, APodIsKnownWithPriorityAndRequest) {
  start_daemon(config_with_kube());
  start_kube();
  const stage::StagedPod pod = make_told_pod({.name = "told",
                                              .qos = stage::QosClass::kBurstable,
                                              .priority = 77,
                                              .memory_request = 32_MiB});
  start_hog(pod, kModest);
  const Json status = await_status([&](const Json& seen) {
    const Json known = pod_in(seen, pod.uid);
    return known.is_object() && known["state"] == "active";
  });
  const Json known = pod_in(status, pod.uid);
  EXPECT_EQ(known["origin"], "manifest");
  EXPECT_EQ(known["priority"], 77);
  EXPECT_EQ(known["memory_request_bytes"], (32_MiB).value);
  const Json& manifests = status["manifests"][0];
  EXPECT_EQ(manifests["directory"], manifest_directory());
  EXPECT_TRUE(manifests["confirmed_ms_ago"].is_number()) << manifests;
}

TEST_P(DescribedPods, EvictdGoesOnWithWhatItKnewWhenItsTellersAreKilled) {
  start_daemon(config_with_kube());
  start_kube();
  const stage::StagedPod calm = make_told_pod({.name = "calm", .priority = 100});
  const stage::StagedPod hog = make_told_pod({.name = "hog", .priority = 1});
  Actor& bystander = start_hog(calm, kModest);
  Actor& victim = start_hog(hog, kPastThreshold);
  await_status([&](const Json& seen) {
    const Json first = pod_in(seen, calm.uid);
    const Json second = pod_in(seen, hog.uid);
    return first.is_object() && second.is_object() && first["priority"] == 100 &&
           second["priority"] == 1;
  });
  kube_->signal(SIGKILL);
  server_->signal(SIGKILL);
  must(kube_->wait(kPatience));
  limit_memory();
  // The limit is the threshold's capacity: evictd is told of it by a new start.
  must(daemon_->stop());
  start_daemon(config_with_kube());
  bystander.load.go();
  must(bystander.load.await_holding(kPatience));
  victim.load.go();
  const auto end = victim.await_end();
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_EQ(await_record(victim)["outcome"], "evicted");
  EXPECT_TRUE(bystander.alive());
}

TEST_P(DescribedPods, AnEvictionIsMadeFinalAtTheApiServer) {
  limit_memory();
  start_daemon(config_with_kube());
  start_kube({{"mode", "assist"}, {"stateDirectory", (scratch_->path() / "queue").string()}});
  const stage::StagedPod hog = make_told_pod({.name = "hog", .priority = 1});
  Actor& victim = start_hog(hog, kPastThreshold);
  await_status([&](const Json& seen) {
    const Json known = pod_in(seen, hog.uid);
    return known.is_object() && known["priority"] == 1;
  });
  victim.load.go();
  ASSERT_TRUE(victim.await_end());
  const Json record = await_record(victim, "released");
  await_status([&](const Json& /*seen*/) { return changes().size() >= 4; });
  const std::vector<Json> made = changes();
  ASSERT_EQ(made.size(), 4U) << must(stage::read_text(kube_log()));
  const std::string path = "/api/v1/namespaces/" + record["namespace"].get<std::string>();
  EXPECT_EQ(made[0]["path"], path + "/pods/hog/status");
  EXPECT_EQ(made[0]["body"]["status"]["message"], record["message"]);
  EXPECT_EQ(made[1]["path"], path + "/pods/hog/eviction");
  EXPECT_EQ(made[1]["body"]["deleteOptions"]["preconditions"]["uid"], hog.uid);
  EXPECT_EQ(made[2]["body"]["reason"], "EvictionThresholdMet");
  EXPECT_EQ(made[3]["body"]["reason"], "Evicted");
  EXPECT_EQ(made[3]["body"]["metadata"]["annotations"], record["annotations"]);
  for (const Json& change : made) {
    EXPECT_LT(change["status"], 300) << change;
    EXPECT_EQ(change["problems"], Json::array()) << change;
  }
}

TEST_P(DescribedPods, ItEndsAtOnceWhenItIsAskedTo) {
  start_daemon(config_with_kube());
  start_kube();
  await_status(
      [&](const Json& status) { return status["manifests"][0]["confirmed_ms_ago"].is_number(); });
  kube_->signal(SIGTERM);
  EXPECT_EQ(must(kube_->wait(kPatience)).text(), "exit status 0")
      << must(stage::read_text(kube_log()));
}

INSTANTIATE_TEST_SUITE_P(By, DescribedPods, testing::Values(Teller::kKubelet, Teller::kApiServer),
                         [](const testing::TestParamInfo<Teller>& teller) {
                           return teller.param == Teller::kKubelet ? "Kubelet" : "ApiServer";
                         });

}  // namespace
}  // namespace evictd::daemon::test
