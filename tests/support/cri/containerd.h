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

/// Removes the cgroups "PREFIXpid-..." that a process left which was killed, in all hierarchies,
/// and that nobody is in. Where these are slices of systemd, with '_' for each '-', they are
/// stopped with what runs in them. How many there were.
std::size_t remove_abandoned_cgroups(std::string_view prefix);

/// The real containerd and runc of the machine, with root, state and socket below a directory of
/// the test's own, and with mounts and processes of its own too: they are gone with it, also where
/// the test is killed. With the systemd driver the processes are the machine's, because systemd has
/// to know them: who made the slice ends them with it. One thread uses it.
class Containerd {
 public:
  struct Options {
    /// Below it everything is made.
    std::filesystem::path directory;
    /// The top of the cgroups that its pods are in, "/NAME"; removed in all hierarchies at the end.
    std::string cgroup_root;
    /// The systemd driver, and the slice that the runtime's own processes are in; empty: cgroupfs.
    std::string slice{};
  };
  struct Pod {
    std::string name;
    std::string uid;
    /// Path of its cgroup below a hierarchy, a slice with the systemd driver.
    std::string cgroup;
    /// Once run() has returned.
    std::string sandbox{};
    /// Its containers see the processes of all others.
    bool host_pid = false;
  };
  struct Program {
    std::string name;
    /// Empty: waits for its end.
    std::vector<std::string> command{};
    /// A directory that it sees as /stage.
    std::filesystem::path stage{};
    /// Likewise as /cache.
    std::filesystem::path cache{};
  };

  /// What a command in a container ended with, and what it printed.
  struct ExecEnd {
    int exit_code = -1;
    std::string output;
  };

  /// Returns once it answers and has kImage, of which sandboxes are made too.
  [[nodiscard]] static Result<std::unique_ptr<Containerd>> start(Options options);
  Containerd(const Containerd&) = delete;
  Containerd& operator=(const Containerd&) = delete;
  ~Containerd();

  [[nodiscard]] std::filesystem::path socket() const;
  /// The end of what it has logged.
  [[nodiscard]] std::string log() const;
  /// Another image, which differs from all others by its name.
  [[nodiscard]] Result<> import_image(const std::string& name);
  /// Every image of an OCI archive.
  [[nodiscard]] Result<> import_archive(const std::filesystem::path& archive);
  /// A tmpfs as a kubelet mounts one for an emptyDir of medium Memory, on `path`, which is made;
  /// and its end. Pods see it, and so does who is in the mount namespace of the runtime.
  [[nodiscard]] Result<> mount_memory(const std::filesystem::path& path);
  [[nodiscard]] Result<> unmount(const std::filesystem::path& path);
  [[nodiscard]] Result<> run(Pod& pod);
  /// The id of the container.
  [[nodiscard]] Result<std::string> start_container(const Pod& pod, const Program& program);
  /// The same with whatever a kubelet may ask for.
  [[nodiscard]] Result<std::string> start_container(const Pod& pod,
                                                    const kubelet::ContainerConfig& config);
  /// As the probe of a kubelet does.
  [[nodiscard]] Result<ExecEnd> exec(const std::string& container,
                                     const std::vector<std::string>& command);

  static constexpr const char* kImage = "localhost/evictd-test:1";
  static constexpr const char* kProgram = "/program";

 private:
  explicit Containerd(Options options);
  [[nodiscard]] Result<> launch();
  [[nodiscard]] Result<> run_tool(std::vector<std::string> argv) const;
  /// In the mount namespace of the runtime.
  [[nodiscard]] Result<> run_tool_beside(std::vector<std::string> argv) const;
  void remove_cgroups() const;
  template <typename Response, typename Request>
  [[nodiscard]] Result<Response> call(const std::string& method, const Request& request);

  Options options_;
  std::unique_ptr<stage::Child> process_;
  std::unique_ptr<Channel> channel_;
};

}  // namespace evictd::cri::test
