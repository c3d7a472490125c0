// SPDX-License-Identifier: Apache-2.0
#include "support/cri/containerd.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "evictd/try.h"
#include "pods.pb.h"
#include "stage/text_file.h"
#include "support/cri/pod_slices.h"

namespace evictd::cri::test {

namespace {

namespace fs = std::filesystem;

/// For operations that take a fraction of a second on an idle machine; only a failure waits this
/// long.
constexpr std::chrono::seconds kPatience{60};
/// Runs in its own namespaces. Mounts propagate to containers, as on a node with systemd. Shims use
/// a path that no configuration can change.
constexpr const char* kStart =
    "mount --make-rshared / && mkdir -p /run/containerd && mount -t tmpfs none /run/containerd && "
    "exec /usr/bin/containerd --config \"$0\"";
/// Poll interval.
constexpr int kLookMs = 10;

/// Adapted to the project's machines: no capability to lower an oom_score_adj, no AppArmor, no
/// network plugin.
std::string config_text(const Containerd::Options& options) {
  const std::string base = options.directory.string();
  return "version = 2\nroot = \"" + base + "/root\"\nstate = \"" + base +
         "/state\"\n[grpc]\n  address = \"" + base +
         "/containerd.sock\"\n"
         "[plugins.\"io.containerd.grpc.v1.cri\"]\n"
         "  sandbox_image = \"" +
         Containerd::kImage +
         "\"\n"
         "  restrict_oom_score_adj = true\n"
         "  disable_apparmor = true\n"
         "  stats_collect_period = 1\n"
         "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.runc]\n"
         "  runtime_type = \"io.containerd.runc.v2\"\n"
         "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.runc.options]\n"
         "  SystemdCgroup = " +
         (options.slice.empty() ? "false" : "true") + "\n";
}

/// The command that starts kStart.
std::vector<std::string> launcher(const Containerd::Options& options) {
  if (options.slice.empty()) {
    // The exit of the namespace's first process ends all others and their mounts.
    return {"/usr/bin/unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"};
  }
  return {"/usr/bin/systemd-run",     "--scope",          "--quiet",
          "--slice=" + options.slice, "/usr/bin/unshare", "--mount"};
}

/// Whether the process is alive after a moment.
bool look_again(int pidfd) {
  pollfd dead{pidfd, POLLIN, 0};
  return ::poll(&dead, 1, kLookMs) == 0;
}

kubelet::PodSandboxConfig config_of(const Containerd::Pod& pod) {
  kubelet::PodSandboxConfig config;
  config.mutable_metadata()->set_name(pod.name);
  config.mutable_metadata()->set_uid(pod.uid);
  config.mutable_metadata()->set_namespace_("default");
  (*config.mutable_labels())["io.kubernetes.pod.uid"] = pod.uid;
  config.mutable_linux()->set_cgroup_parent(pod.cgroup);
  kubelet::NamespaceOption& namespaces =
      *config.mutable_linux()->mutable_security_context()->mutable_namespace_options();
  namespaces.set_network(kubelet::NODE);
  namespaces.set_pid(pod.host_pid ? kubelet::NODE : kubelet::POD);
  return config;
}

/// Removes `top` and everything below it, the deepest first.
void remove_tree(const fs::path& top) {
  std::vector<fs::path> directories{top};
  std::error_code error;
  for (fs::recursive_directory_iterator entry{top, error}, end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory(error)) {
      directories.push_back(entry->path());
    }
  }
  std::sort(directories.rbegin(), directories.rend());
  for (const fs::path& directory : directories) {
    fs::remove(directory, error);
  }
}

}  // namespace

std::size_t remove_abandoned_cgroups(std::string_view prefix) {
  std::size_t removed = 0;
  std::error_code error;
  for (const fs::directory_entry& hierarchy : fs::directory_iterator("/sys/fs/cgroup", error)) {
    std::vector<fs::path> tops;
    for (const fs::directory_entry& top : fs::directory_iterator(hierarchy.path(), error)) {
      tops.push_back(top.path());
    }
    for (const fs::path& top : tops) {
      const bool is_slice = top.extension() == ".slice";
      std::string name = top.filename().string();
      if (is_slice) {
        std::replace(name.begin(), name.end(), '_', '-');
      }
      if (!name.starts_with(prefix)) {
        continue;
      }
      const std::string rest = name.substr(prefix.size());
      const std::string pid = rest.substr(0, rest.find('-'));
      const bool is_pid = !pid.empty() && pid.find_first_not_of("0123456789") == std::string::npos;
      if (is_pid && !fs::exists(fs::path("/proc") / pid, error)) {
        if (is_slice) {
          stop_slice(top.filename().string());
        } else {
          remove_tree(top);
        }
        removed += fs::exists(top, error) ? 0 : 1;
      }
    }
  }
  return removed;
}

Containerd::Containerd(Options options) : options_(std::move(options)) {}

Result<std::unique_ptr<Containerd>> Containerd::start(Options options) {
  std::unique_ptr<Containerd> containerd(new Containerd(std::move(options)));
  if (Result<> launched = containerd->launch(); !launched) {
    return Failure(launched.error());
  }
  if (Result<> imported = containerd->import_image(kImage); !imported) {
    return Failure(imported.error());
  }
  return containerd;
}

fs::path Containerd::socket() const {
  return options_.directory / "containerd.sock";
}

Result<> Containerd::launch() {
  fs::create_directories(options_.directory);
  const fs::path config = options_.directory / "config.toml";
  EVICTD_TRY(stage::replace_file(config, config_text(options_)));
  std::vector<std::string> argv = launcher(options_);
  argv.insert(argv.end(), {"/bin/sh", "-c", kStart, config.string()});
  Result<stage::Child> process =
      stage::Child::start({.argv = std::move(argv), .output = options_.directory / "log"});
  if (!process) {
    return Failure(process.error());
  }
  process_ = std::make_unique<stage::Child>(std::move(*process));
  channel_ = std::make_unique<Channel>(Channel::Options{.socket = socket().string()});
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!channel_->call(
      {.method = "/runtime.v1.RuntimeService/Version", .request = "", .deadline = kPatience})) {
    if (!look_again(process_->pidfd()) || std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kIo, "containerd does not answer; log: " + log());
    }
  }
  return {};
}

Containerd::~Containerd() {
  channel_.reset();
  process_.reset();
  remove_cgroups();
}

void Containerd::remove_cgroups() const {
  const fs::path name = fs::path(options_.cgroup_root).relative_path();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  // Its processes are still exiting.
  for (bool is_left = true; is_left && std::chrono::steady_clock::now() < deadline;) {
    is_left = false;
    std::error_code error;
    for (const fs::directory_entry& hierarchy : fs::directory_iterator("/sys/fs/cgroup", error)) {
      const fs::path top = hierarchy.path() / name;
      remove_tree(top);
      is_left = is_left || fs::exists(top, error);
    }
    if (is_left) {
      ::poll(nullptr, 0, kLookMs);
    }
  }
}

std::string Containerd::log() const {
  constexpr std::size_t kEnd = 4000;
  const std::string text =
      stage::read_text(options_.directory / "log").value_or(std::string("none"));
  return text.substr(text.size() - std::min(text.size(), kEnd));
}

Result<> Containerd::run_tool(std::vector<std::string> argv) const {
  const fs::path output = options_.directory / "tool.out";
  const std::string program = argv.front();
  Result<stage::Child> tool = stage::Child::start({.argv = std::move(argv), .output = output});
  if (!tool) {
    return Failure(tool.error());
  }
  const Result<stage::ChildExit> end = tool->wait(kPatience);
  if (!end || end->status != 0) {
    return fail(Errc::kIo, program + ": " + stage::read_text(output).value_or(std::string()));
  }
  return {};
}

Result<> Containerd::run_tool_beside(std::vector<std::string> argv) const {
  argv.insert(argv.begin(),
              {"/usr/bin/nsenter", "--mount=/proc/" + std::to_string(process_->pid()) + "/ns/mnt"});
  return run_tool(std::move(argv));
}

Result<> Containerd::mount_memory(const fs::path& path) {
  fs::create_directories(path);
  return run_tool_beside({"/bin/mount", "-t", "tmpfs", "none", path.string()});
}

Result<> Containerd::unmount(const fs::path& path) {
  return run_tool_beside({"/bin/umount", path.string()});
}

Result<> Containerd::import_image(const std::string& name) {
  const std::string archive = (options_.directory / "image.tar").string();
  EVICTD_TRY(run_tool(
      {"/usr/bin/python3", "-B", CRI_MAKE_IMAGE, CRI_CONTAINER_PROGRAM, archive, name, name}));
  return import_archive(archive);
}

Result<> Containerd::import_archive(const fs::path& archive) {
  return run_tool({"/usr/bin/ctr", "--address", socket().string(), "--namespace", "k8s.io",
                   "images", "import", archive.string()});
}

template <typename Response, typename Request>
Result<Response> Containerd::call(const std::string& method, const Request& request) {
  const Result<std::string> answer =
      channel_->call({.method = "/runtime.v1.RuntimeService/" + method,
                      .request = request.SerializeAsString(),
                      .deadline = kPatience});
  if (!answer) {
    return Failure(answer.error());
  }
  Response response;
  response.ParseFromString(*answer);
  return response;
}

Result<> Containerd::run(Pod& pod) {
  kubelet::RunPodSandboxRequest request;
  *request.mutable_config() = config_of(pod);
  const auto answer = call<kubelet::RunPodSandboxResponse>("RunPodSandbox", request);
  if (!answer) {
    return Failure(answer.error());
  }
  pod.sandbox = answer->pod_sandbox_id();
  return {};
}

Result<std::string> Containerd::start_container(const Pod& pod, const Program& program) {
  kubelet::ContainerConfig config;
  config.mutable_metadata()->set_name(program.name);
  config.mutable_image()->set_image(kImage);
  config.mutable_command()->Add(program.command.begin(), program.command.end());
  for (const auto& [place, directory] :
       {std::pair{"/stage", program.stage}, std::pair{"/cache", program.cache}}) {
    if (!directory.empty()) {
      kubelet::Mount& mount = *config.add_mounts();
      mount.set_container_path(place);
      mount.set_host_path(directory.string());
    }
  }
  return start_container(pod, config);
}

Result<std::string> Containerd::start_container(const Pod& pod,
                                                const kubelet::ContainerConfig& config) {
  kubelet::CreateContainerRequest create;
  create.set_pod_sandbox_id(pod.sandbox);
  *create.mutable_sandbox_config() = config_of(pod);
  *create.mutable_config() = config;
  auto& labels = *create.mutable_config()->mutable_labels();
  labels["io.kubernetes.pod.uid"] = pod.uid;
  labels["io.kubernetes.container.name"] = config.metadata().name();
  const auto created = call<kubelet::CreateContainerResponse>("CreateContainer", create);
  if (!created) {
    return Failure(created.error());
  }
  kubelet::StartContainerRequest start;
  start.set_container_id(created->container_id());
  // Its answer has no fields.
  const auto started = call<kubelet::StartContainerRequest>("StartContainer", start);
  return started ? Result<std::string>(created->container_id()) : Failure(started.error());
}

Result<Containerd::ExecEnd> Containerd::exec(const std::string& container,
                                             const std::vector<std::string>& command) {
  kubelet::ExecSyncRequest request;
  request.set_container_id(container);
  request.mutable_cmd()->Add(command.begin(), command.end());
  request.set_timeout(kPatience.count());
  const auto end = call<kubelet::ExecSyncResponse>("ExecSync", request);
  if (!end) {
    return Failure(end.error());
  }
  return ExecEnd{.exit_code = end->exit_code(), .output = end->stdout() + end->stderr()};
}

}  // namespace evictd::cri::test
