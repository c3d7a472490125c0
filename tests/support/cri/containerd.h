// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cri/channel.h"
#include "evictd/result.h"
#include "stage/child.h"

namespace evictd::cri::test {

namespace kubelet {
class ContainerConfig;
}

/// Removes the empty cgroups "PREFIXpid-..." of killed processes in all hierarchies. If they are
/// systemd slices, with '_' for each '-', stops them and what runs in them. Returns their number.
std::size_t remove_abandoned_cgroups(std::string_view prefix);

/// The machine's real containerd and runc, with root, state and socket below a directory of the
/// test. Their mounts and processes are private too and end with the runtime, even if the test is
/// killed. With the systemd driver the processes are the machine's, because systemd must know them:
/// whoever created the slice ends them. One thread uses it.
class Containerd {
 public:
  struct Options {
    /// Everything is created below it.
    std::filesystem::path directory;
    /// The top cgroup of its pods, "/NAME"; removed in all hierarchies at the end.
    std::string cgroup_root;
    /// For the systemd driver: the slice of the runtime's own processes; empty: cgroupfs.
    std::string slice{};
  };
  struct Pod {
    std::string name;
    std::string uid;
    /// Path of its cgroup below a hierarchy; a slice with the systemd driver.
    std::string cgroup;
    /// Set once run() has returned.
    std::string sandbox{};
    /// Its containers see the processes of all others.
    bool host_pid = false;
  };
  struct Program {
    std::string name;
    /// Empty: waits until it is killed.
    std::vector<std::string> command{};
    /// A directory that it sees as /stage.
    std::filesystem::path stage{};
    /// A directory that it sees as /cache.
    std::filesystem::path cache{};
  };

  /// Exit code and output of a command in a container.
  struct ExecEnd {
    int exit_code = -1;
    std::string output;
  };

  /// Returns once it answers and has kImage, which is also the sandbox image.
  [[nodiscard]] static Result<std::unique_ptr<Containerd>> start(Options options);
  Containerd(const Containerd&) = delete;
  Containerd& operator=(const Containerd&) = delete;
  ~Containerd();

  [[nodiscard]] std::filesystem::path socket() const;
  /// The end of its log.
  [[nodiscard]] std::string log() const;
  /// Imports another image, which differs only by its name.
  [[nodiscard]] Result<> import_image(const std::string& name);
  /// Imports every image of an OCI archive.
  [[nodiscard]] Result<> import_archive(const std::filesystem::path& archive);
  /// Mounts a tmpfs on `path`, which is created, as a kubelet does for an emptyDir of medium
  /// Memory; and unmounts it. Pods and the runtime's mount namespace see it.
  [[nodiscard]] Result<> mount_memory(const std::filesystem::path& path);
  [[nodiscard]] Result<> unmount(const std::filesystem::path& path);
  [[nodiscard]] Result<> run(Pod& pod);
  /// Returns the container's id.
  [[nodiscard]] Result<std::string> start_container(const Pod& pod, const Program& program);
  /// The same with any configuration that a kubelet may request.
  [[nodiscard]] Result<std::string> start_container(const Pod& pod,
                                                    const kubelet::ContainerConfig& config);
  /// Runs a command as a kubelet's probe does.
  [[nodiscard]] Result<ExecEnd> exec(const std::string& container,
                                     const std::vector<std::string>& command);

  static constexpr const char* kImage = "localhost/evictd-test:1";
  static constexpr const char* kProgram = "/program";

 private:
  explicit Containerd(Options options);
  [[nodiscard]] Result<> launch();
  [[nodiscard]] Result<> run_tool(std::vector<std::string> argv) const;
  /// Runs in the mount namespace of the runtime.
  [[nodiscard]] Result<> run_tool_beside(std::vector<std::string> argv) const;
  void remove_cgroups() const;
  template <typename Response, typename Request>
  [[nodiscard]] Result<Response> call(const std::string& method, const Request& request);

  Options options_;
  std::unique_ptr<stage::Child> process_;
  std::unique_ptr<Channel> channel_;
};

}  // namespace evictd::cri::test
