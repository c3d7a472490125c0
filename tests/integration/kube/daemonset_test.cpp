// SPDX-License-Identifier: Apache-2.0
// The image of scripts/image in the real containerd, with both containers as the manifests in
// deploy/kubernetes have them: capabilities, mounts, environment, probes.
#include <sys/capability.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <string>

#include "base/unix_socket.h"
#include "must.h"
#include "runtime_arena.h"
#include "stage/text_file.h"
#include "support/cri/manifest_container.h"

namespace evictd::daemon::test {
namespace {

namespace fs = std::filesystem;

/// Of all pods of the tree together; evictd and evictd-kube are in it, and take a fifth at most.
constexpr std::int64_t kLimit = 512 * kMiB;
/// What must be left.
constexpr std::int64_t kLeft = 256 * kMiB;
/// Past the threshold with evictd-kube and evictd or without, and below the limit.
constexpr std::int64_t kHog = 320 * kMiB;
/// system-node-critical.
constexpr std::int32_t kCritical = 2000001000;

/// Whether root may have it on this machine; a runtime cannot give what it may not have itself.
bool is_there(const std::string& capability) {
  cap_value_t value = 0;
  return ::cap_from_name(("CAP_" + capability).c_str(), &value) == 0 && ::cap_get_bound(value) == 1;
}

/// The container with those of its capabilities that are there.
Json possible(Json container) {
  Json& capabilities = container["securityContext"]["capabilities"];
  Json left = Json::array();
  for (const Json& name : capabilities.value("add", Json::array())) {
    if (is_there(name)) {
      left.push_back(name);
    } else {
      std::cout << "not on this machine: " << name << '\n';
    }
  }
  capabilities["add"] = left;
  return container;
}

class DaemonSet : public RuntimeArena {
 protected:
  void SetUp() override {
    RuntimeArena::SetUp();
    if (IsSkipped()) {
      return;
    }
    must(containerd_->import_archive(EVICTD_IMAGE));
    objects_ =
        Json::parse(output_of({"/usr/bin/python3", "-B", MANIFEST_JSON, KUBERNETES "/assist"}));
    pod_spec_ = object("DaemonSet")["spec"]["template"]["spec"];
    places_.host_pid = pod_spec_["hostPID"] == true;
    places_.fields["spec.nodeName"] = "node1";
    places_.environment = {{"KUBERNETES_SERVICE_HOST", "127.0.0.1"},
                           {"KUBERNETES_SERVICE_PORT", await_server()}};
    for (const Json& volume : pod_spec_["volumes"]) {
      places_.volumes[volume["name"]] = place_of(volume);
    }
  }

  std::string output_of(std::vector<std::string> argv) const {
    ProgramEnd end = run_to_end(scratch_->path(), std::move(argv));
    EXPECT_EQ(end.exit_status, 0) << end.output;
    return end.output;
  }
  [[nodiscard]] Json object(const std::string& kind) const {
    for (const Json& one : objects_) {
      if (one["kind"] == kind) {
        return one;
      }
    }
    throw std::runtime_error("no " + kind);
  }

  /// The path of the node, below a directory of the test's own.
  [[nodiscard]] fs::path node(const std::string& path) const {
    return scratch_->path() / "node" / path.substr(1);
  }

  fs::path place_of(const Json& volume) const {
    if (volume.contains("hostPath")) {
      const std::string path = volume["hostPath"]["path"];
      // The tree is there and nowhere else.
      fs::path place = path == "/sys/fs/cgroup" ? fs::path(path) : node(path);
      fs::create_directories(place);
      return place;
    }
    fs::path place = scratch_->path() / "volumes" / volume["name"];
    fs::create_directories(place);
    if (volume.contains("configMap")) {
      write_configurations(place);
    } else if (volume.contains("projected")) {
      fs::copy_file(server_file("token"), place / "token");
      fs::copy_file(server_file("ca.pem"), place / "ca.crt");
    }
    return place;
  }

  /// As they are, but for the thresholds, and for the cgroups that evictd may look at here.
  void write_configurations(const fs::path& directory) const {
    Json texts = object("ConfigMap")["data"];
    Json& evictd = texts["evictd.yaml"];
    evictd["cgroupRoot"] = tree_->cgroup_root();
    evictd["evictionHard"] = {{"allocatableMemory.available", std::to_string(kLeft)}};
    for (const auto& [name, text] : texts.items()) {
      must(stage::replace_file(directory / name, text.dump()));
    }
  }

  /// Runs the pod of the DaemonSet and waits until its startup probes succeed.
  void start_agent() {
    agent_ = run_pod({.name = "evictd", .qos = stage::QosClass::kBurstable, .priority = kCritical},
                     places_.host_pid);
    for (const Json& container : pod_spec_["containers"]) {
      const std::string id = must(containerd_->start_container(
          agent_, cri::test::container_of(possible(container), places_)));
      containers_[container["name"]] = id;
    }
    for (const Json& container : pod_spec_["containers"]) {
      Containerd::ExecEnd end;
      // What it said last is thrown with it.
      try {
        await("", [&] {
          end = probe(container, "startupProbe");
          return end.exit_code == 0;
        });
      } catch (const std::runtime_error&) {
        throw std::runtime_error(container["name"].get<std::string>() + ": " + end.output +
                                 containerd_->log());
      }
    }
  }

  Containerd::ExecEnd probe(const Json& container, const std::string& which) {
    const Result<Containerd::ExecEnd> end =
        containerd_->exec(containers_.at(container["name"]), container[which]["exec"]["command"]);
    // Of a container that has ended.
    return end ? *end : Containerd::ExecEnd{.output = end.error().message()};
  }

  [[nodiscard]] Json ask_agent(const std::string& op) const {
    const Result<std::string> answer = base::request_line(
        (node("/run/evictd") / "control.sock").string(), Json{{"op", op}}.dump());
    return answer ? Json::parse(*answer) : Json();
  }

  /// The first answer for which `condition` holds.
  Json await_agent(const std::string& op, const std::function<bool(const Json&)>& condition) {
    Json seen;
    try {
      await("", [&] {
        seen = ask_agent(op);
        return !seen.is_null() && condition(seen);
      });
    } catch (const std::runtime_error&) {
      throw std::runtime_error("never so: " + seen.dump(1));
    }
    return seen;
  }
  void await_known(const Containerd::Pod& pod, std::int64_t priority) {
    await_agent("status", [&](const Json& status) {
      const Json known = pod_in(status, pod.uid);
      return known.is_object() && known["priority"] == priority && known["state"] == "active";
    });
  }

  /// By method and path.
  [[nodiscard]] std::map<std::string, Json> change_of() const {
    std::map<std::string, Json> all;
    for (const Json& change : changes()) {
      all[change["method"].get<std::string>() + " " + change["path"].get<std::string>()] = change;
    }
    return all;
  }

  Json objects_;
  Json pod_spec_;
  cri::test::NodePlaces places_;
  Containerd::Pod agent_;
  /// Ids by name.
  std::map<std::string, std::string> containers_;
};

TEST_F(DaemonSet, HogBesideBothContainersIsEvictedAndApiServerKnows) {
  must(tree_->limit_memory(Bytes{kLimit}));
  start_agent();
  const Containerd::Pod calm = run_pod({.name = "calm", .priority = 100});
  must(containerd_->start_container(calm, {.name = "main"}));
  const Containerd::Pod greedy = run_pod({.name = "greedy", .priority = 1});
  must(containerd_->start_container(
      greedy, {.name = "hog",
               .command = {Containerd::kProgram, "/stage/go", std::to_string(kHog)},
               .stage = scratch_->path() / "stage"}));
  await_known(agent_, kCritical);
  await_known(calm, 100);
  await_known(greedy, 1);
  EXPECT_EQ(ask_agent("status")["event_source"], "bpf");
  let_go();
  const Json evictions = await_agent("last_evictions", [](const Json& records) {
    return !records.empty() && records[0]["state"] == "released";
  });
  ASSERT_EQ(evictions.size(), 1U);
  EXPECT_EQ(evictions[0]["name"], "greedy");
  const std::string eviction = "POST /api/v1/namespaces/default/pods/greedy/eviction";
  await("no eviction at the API server", [&] { return change_of().contains(eviction); });
  EXPECT_EQ(change_of()[eviction]["status"], 201);
  EXPECT_TRUE(change_of()[eviction]["problems"].empty()) << change_of()[eviction];
  await("greedy runs on", [&] { return running_in(greedy) == 0; });
  EXPECT_EQ(running_in(calm), 1);
  EXPECT_EQ(running_in(agent_), 2);
  for (const Json& container : pod_spec_["containers"]) {
    for (const char* const which : {"livenessProbe", "readinessProbe"}) {
      const Containerd::ExecEnd end = probe(container, which);
      EXPECT_EQ(end.exit_code, 0) << container["name"] << ' ' << which << ": " << end.output;
    }
  }
}

}  // namespace
}  // namespace evictd::daemon::test
