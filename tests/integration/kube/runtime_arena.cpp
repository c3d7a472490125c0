// SPDX-License-Identifier: Apache-2.0
#include "runtime_arena.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "must.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

bool uses_systemd() {
  const char* const driver = std::getenv("EVICTD_CGROUP_DRIVER");
  if (driver != nullptr && std::string_view(driver) != "systemd") {
    throw std::runtime_error("EVICTD_CGROUP_DRIVER: neither systemd nor unset");
  }
  return driver != nullptr;
}

}  // namespace

void RuntimeArena::SetUp() {
  // Of a run that was killed.
  cri::test::remove_abandoned_cgroups("evictd-test-");
  static_cast<void>(stage::ScratchDirectory::take_abandoned("evictd-test-"));
  Arena::SetUp();
  if (IsSkipped()) {
    return;
  }
  for (const char* const name : {"server", "kube", "stage"}) {
    std::filesystem::create_directory(scratch_->path() / name);
  }
  for (const char* const fifo : {"go", "fill"}) {
    ASSERT_EQ(::mkfifo((scratch_->path() / "stage" / fifo).c_str(), 0600), 0);
  }
  // What Arena::write_manifest() writes is what the kubelet has.
  server_ = must(
      stage::Child::start({.argv = {"/usr/bin/python3", "-B", FAKE_KUBE, server_file("").string(),
                                    (scratch_->path() / "pods").string()},
                           .output = scratch_->path() / "server.log"}));
  if (uses_systemd()) {
    slices_ = must(cri::test::PodSlices::start(tree_->cgroup_root().substr(1)));
    must(tree_->replace_pod_root(slices_->pod_root()));
  }
  containerd_ = must(Containerd::start({.directory = scratch_->path() / "runtime",
                                        .cgroup_root = tree_->cgroup_root(),
                                        .slice = slices_ ? slices_->top() : ""}));
  runtime_ = std::make_unique<cri::RuntimeClient>(
      cri::RuntimeClient::Options{.channel = {.socket = containerd_->socket().string()}});
}

void RuntimeArena::limit_pods(Bytes limit) {
  if (!slices_) {
    Arena::limit_pods(limit);
    return;
  }
  must(slices_->limit_memory(limit));
}

Json RuntimeArena::base_config(Source source) const {
  Json config = Arena::base_config(source);
  if (slices_) {
    config["cgroupDriver"] = "systemd";
  }
  return config;
}

std::filesystem::path RuntimeArena::server_file(const std::string& name) const {
  return scratch_->path() / "server" / name;
}

std::string RuntimeArena::await_server() const {
  await("no port of the server", [&] { return std::filesystem::exists(server_file("port")); });
  return must(stage::read_text(server_file("port")));
}

void RuntimeArena::await(const std::string& what, const std::function<bool()>& condition) {
  constexpr int kLookMs = 10;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error(what);
    }
    ::poll(nullptr, 0, kLookMs);
  }
}

Containerd::Pod RuntimeArena::run_pod(const stage::PodSpec& spec, bool host_pid) {
  const std::string uid = stage::random_uid();
  Json manifest = Json::parse(stage::manifest(spec, uid));
  manifest["spec"]["nodeName"] = "node1";
  write_manifest(spec.name, manifest.dump());
  const std::string level = spec.qos == stage::QosClass::kBurstable ? "burstable" : "besteffort";
  Containerd::Pod pod{.name = spec.name,
                      .uid = uid,
                      .cgroup = slices_
                                    ? slices_->pod(level, uid).string()
                                    : tree_->cgroup_root() + "/kubepods/" + level + "/pod" + uid,
                      .host_pid = host_pid};
  began_ = std::chrono::steady_clock::now();
  must(containerd_->run(pod));
  return pod;
}

void RuntimeArena::let_go(const std::string& fifo) const {
  const base::Fd fd(::open((scratch_->path() / "stage" / fifo).c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(fd);
  ASSERT_EQ(::write(fd.get(), "x", 1), 1);
}

std::int64_t RuntimeArena::running_in(const Containerd::Pod& pod) {
  const auto containers = must(runtime_->list_containers());
  return std::ranges::count_if(containers, [&](const cri::Container& container) {
    return container.pod_uid == pod.uid && container.state == cri::ContainerState::kRunning;
  });
}

std::vector<Json> RuntimeArena::changes() const {
  std::vector<Json> all;
  const Result<std::string> text = stage::read_text(server_file("changes"));
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) {
    // The last one may be half written.
    if (Json change = Json::parse(line, nullptr, false); change.is_object()) {
      all.push_back(std::move(change));
    }
  }
  return all;
}

}  // namespace evictd::daemon::test
