// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arena.h"
#include "cri/runtime_client.h"
#include "stage/child.h"
#include "support/cri/containerd.h"
#include "support/cri/pod_slices.h"

namespace evictd::daemon::test {

using cri::test::Containerd;

/// A real container runtime beside a kubelet and an API server that are played: pods of the private
/// tree whose manifests these servers have. Where the environment has EVICTD_CGROUP_DRIVER=systemd,
/// the runtime and evictd use that driver, and the pods are in slices that systemd makes: it is the
/// first process of the machine then, and the hierarchy is cgroup v2.
class RuntimeArena : public Arena {
 protected:
  void SetUp() override;
  void limit_pods(Bytes limit) override;
  [[nodiscard]] Json base_config(Source source) const override;

  [[nodiscard]] std::filesystem::path server_file(const std::string& name) const;
  /// Its port, once it answers.
  [[nodiscard]] std::string await_server() const;
  /// Looks at `condition` until it holds. An exception of `what` else.
  static void await(const std::string& what, const std::function<bool()>& condition);

  /// As on a node: the kubelet has the pod before the runtime does.
  Containerd::Pod run_pod(const stage::PodSpec& spec, bool host_pid = false);
  /// Lets the program go on that reads this fifo of /stage, once it reads.
  void let_go(const std::string& fifo = "go") const;
  [[nodiscard]] std::int64_t running_in(const Containerd::Pod& pod);
  /// Requests that changed something at the API server, as they came; each judged by a schema.
  [[nodiscard]] std::vector<Json> changes() const;

  /// When the last pod was begun.
  std::chrono::steady_clock::time_point began_;
  std::optional<stage::Child> server_;
  /// With the systemd driver. It ends after the runtime, whose processes are in it.
  std::unique_ptr<cri::test::PodSlices> slices_;
  std::unique_ptr<Containerd> containerd_;
  std::unique_ptr<cri::RuntimeClient> runtime_;
};

}  // namespace evictd::daemon::test
