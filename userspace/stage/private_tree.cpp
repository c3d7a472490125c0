// SPDX-License-Identifier: Apache-2.0
#include "stage/private_tree.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <sstream>
#include <utility>

#include "base/fd.h"
#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::stage {
namespace {

namespace fs = std::filesystem;

/// Freeing a victim of 1.5 GiB takes a quarter of a second; the margin is for a machine in trouble.
constexpr std::chrono::seconds kKillDeadline{30};

/// `top` and the directories below it, deepest first.
std::vector<fs::path> directories(const fs::path& top) {
  std::vector<fs::path> found;
  std::error_code ignored;
  if (!fs::is_directory(top, ignored)) {
    return found;
  }
  found.push_back(top);
  for (fs::recursive_directory_iterator entry{top, ignored}, end; entry != end;
       entry.increment(ignored)) {
    if (entry->is_directory(ignored)) {
      found.push_back(entry->path());
    }
  }
  std::sort(found.begin(), found.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() > b.native(); });
  return found;
}

const char* directory_of(QosClass qos) {
  switch (qos) {
    case QosClass::kGuaranteed:
      return "";
    case QosClass::kBurstable:
      return "burstable";
    case QosClass::kBestEffort:
      return "besteffort";
  }
  return "";
}

/// 64 hex digits, like a container's id.
std::string container_id() {
  std::string digits;
  while (digits.size() < 64) {
    const std::string uid = random_uid();
    std::copy_if(uid.begin(), uid.end(), std::back_inserter(digits),
                 [](char c) { return c != '-'; });
  }
  return digits.substr(0, 64);
}

/// A directory that was just emptied may be busy for a moment while its last task leaves.
Result<> remove_directory(const fs::path& path) {
  for (int attempt = 0;; ++attempt) {
    if (::rmdir(path.c_str()) == 0 || errno == ENOENT) {
      return {};
    }
    if (errno != EBUSY || attempt == 2000) {
      return fail_errno(errno, "remove " + path.string());
    }
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

/// Sends SIGKILL by pidfd to each process, then waits until all are dead.
void kill_and_wait(const std::vector<pid_t>& pids) {
  std::vector<base::Fd> victims;
  for (const pid_t pid : pids) {
    base::Fd pidfd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
    if (pidfd && ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0) == 0) {
      victims.push_back(std::move(pidfd));
    }
  }
  for (const base::Fd& victim : victims) {
    pollfd dead{victim.get(), POLLIN, 0};
    ::poll(&dead, 1, static_cast<int>(std::chrono::milliseconds{kKillDeadline}.count()));
  }
}

}  // namespace

PrivateTree::PrivateTree(Hierarchies hierarchies, std::string name)
    : hierarchies_(std::move(hierarchies)),
      name_(std::move(name)),
      pod_root_(fs::path{name_} / "kubepods") {}

PrivateTree::PrivateTree(PrivateTree&& other) noexcept
    : hierarchies_(std::move(other.hierarchies_)),
      name_(std::exchange(other.name_, {})),
      pod_root_(std::move(other.pod_root_)) {}

PrivateTree& PrivateTree::operator=(PrivateTree&& other) noexcept {
  if (this != &other) {
    static_cast<void>(clear());
    hierarchies_ = std::move(other.hierarchies_);
    name_ = std::exchange(other.name_, {});
    pod_root_ = std::move(other.pod_root_);
  }
  return *this;
}

PrivateTree::~PrivateTree() {
  static_cast<void>(clear());
}

std::vector<fs::path> PrivateTree::mounts() const {
  if (hierarchies_.unified()) {
    return {hierarchies_.memory};
  }
  return {hierarchies_.memory, hierarchies_.pids};
}

Result<> PrivateTree::make(const fs::path& below_mount) const {
  for (const fs::path& mount : mounts()) {
    const fs::path path = mount / below_mount;
    if (hierarchies_.unified()) {
      EVICTD_TRY(write_kernel_file(path.parent_path() / "cgroup.subtree_control", "+memory +pids"));
    }
    if (::mkdir(path.c_str(), 0755) != 0) {
      return fail_errno(errno, "make " + path.string());
    }
  }
  return {};
}

Result<PrivateTree> PrivateTree::create(const std::string& name) {
  EVICTD_ASSIGN_OR_RETURN(Hierarchies hierarchies, Hierarchies::detect());
  for (const fs::path& mount : {hierarchies.memory, hierarchies.pids}) {
    if (fs::exists(mount / name)) {
      return fail(Errc::kBusy, "the cgroup " + (mount / name).string() + " exists");
    }
  }
  PrivateTree tree{std::move(hierarchies), name};
  EVICTD_TRY(tree.make(name));
  EVICTD_TRY(tree.make_pod_root());
  return tree;
}

Result<> PrivateTree::make_pod_root() const {
  for (const char* part : {"kubepods", "kubepods/burstable", "kubepods/besteffort"}) {
    EVICTD_TRY(make(fs::path{name_} / part));
  }
  return {};
}

Result<> PrivateTree::remove_pod_root() const {
  return remove_below(fs::path{name_} / "kubepods");
}

Result<> PrivateTree::replace_pod_root(const fs::path& below_mount) {
  EVICTD_TRY(remove_pod_root());
  // A path that starts with '/' would replace the mount point that it is appended to.
  pod_root_ = below_mount.relative_path();
  return {};
}

Result<PrivateTree> PrivateTree::take_over(const std::string& name, const std::string& program) {
  EVICTD_ASSIGN_OR_RETURN(Hierarchies hierarchies, Hierarchies::detect());
  if (!fs::exists(hierarchies.memory / name) && !fs::exists(hierarchies.pids / name)) {
    return fail(Errc::kNotFound, "there is no cgroup /" + name);
  }
  PrivateTree tree{std::move(hierarchies), name};
  for (const pid_t pid : tree.processes(name)) {
    const fs::path process = fs::path{"/proc"} / std::to_string(pid);
    const std::string comm = read_text(process / "comm").value_or(std::string{});
    // 0 is a process that this PID namespace cannot see. One without a name has just exited.
    if (pid == 0 || (comm != program + "\n" && fs::exists(process))) {
      tree.keep();
      return fail(Errc::kBusy, "process " + std::to_string(pid) + " in the cgroup /" + name +
                                   " is no " + program);
    }
  }
  return tree;
}

Result<StagedPod> PrivateTree::add_pod(const PodSpec& spec) {
  return add_pod(spec, random_uid());
}

Result<StagedPod> PrivateTree::add_pod(const PodSpec& spec, const std::string& uid) {
  StagedPod pod{spec, uid, {}, {}};
  pod.pod = fs::path{name_} / "kubepods" / directory_of(spec.qos) / ("pod" + uid);
  pod.container = pod.pod / container_id();
  for (const fs::path& path : {pod.pod, pod.container}) {
    EVICTD_TRY(make(path));
  }
  return pod;
}

Result<> PrivateTree::remove_pod(const StagedPod& pod) {
  return remove_below(pod.pod);
}

Result<> PrivateTree::remove_below(const fs::path& below_mount) const {
  for (const fs::path& mount : mounts()) {
    for (const fs::path& path : directories(mount / below_mount)) {
      EVICTD_TRY(remove_directory(path));
    }
  }
  return {};
}

std::vector<fs::path> PrivateTree::directories_of(const StagedPod& pod) const {
  std::vector<fs::path> paths;
  for (const fs::path& mount : mounts()) {
    paths.push_back(mount / pod.container);
  }
  return paths;
}

Result<> PrivateTree::enter(const StagedPod& pod, pid_t pid) const {
  for (const fs::path& directory : directories_of(pod)) {
    EVICTD_TRY(write_kernel_file(directory / "cgroup.procs", std::to_string(pid)));
  }
  return {};
}

Result<> PrivateTree::limit_memory(Bytes limit) {
  return write_kernel_file(memory_directory() / hierarchies_.memory_limit_file(),
                           std::to_string(limit.value));
}

Result<> PrivateTree::limit_tasks(std::int64_t limit) {
  return write_kernel_file(pids_directory() / "pids.max", std::to_string(limit));
}

std::vector<pid_t> PrivateTree::processes(const fs::path& below_mount) const {
  std::vector<pid_t> found;
  for (const fs::path& mount : mounts()) {
    for (const fs::path& path : directories(mount / below_mount)) {
      std::istringstream lines{read_text(path / "cgroup.procs").value_or(std::string{})};
      for (pid_t pid = 0; lines >> pid;) {
        found.push_back(pid);
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Result<> PrivateTree::kill_below(const fs::path& below_mount) const {
  // A process that forks as fast as it can must not outrun the list of its children.
  const fs::path limit = hierarchies_.pids / below_mount / "pids.max";
  static_cast<void>(write_kernel_file(limit, "0"));
  const auto deadline = std::chrono::steady_clock::now() + kKillDeadline;
  for (std::vector<pid_t> left = processes(below_mount); !left.empty();
       left = processes(below_mount)) {
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut, "processes are left in " + below_mount.string());
    }
    kill_and_wait(left);
  }
  return fs::exists(limit) ? write_kernel_file(limit, "max") : Result<>{};
}

Result<> PrivateTree::kill_all() {
  return name_.empty() ? Result<>{} : kill_below(name_);
}

Result<> PrivateTree::kill_pod(const StagedPod& pod) const {
  return kill_below(pod.pod);
}

Result<> PrivateTree::clear() {
  if (name_.empty()) {
    return {};
  }
  Result<> outcome = kill_all();
  for (const fs::path& mount : mounts()) {
    for (const fs::path& path : directories(mount / name_)) {
      if (Result<> removed = remove_directory(path); !removed && outcome) {
        outcome = removed;
      }
    }
  }
  name_.clear();
  return outcome;
}

fs::path PrivateTree::memory_directory() const {
  return hierarchies_.memory / pod_root_;
}

fs::path PrivateTree::pids_directory() const {
  return hierarchies_.pids / pod_root_;
}

Result<Bytes> PrivateTree::usage() const {
  EVICTD_ASSIGN_OR_RETURN(const std::string text,
                          read_text(memory_directory() / hierarchies_.usage_file()));
  return parse_number(text).map([](std::int64_t value) { return Bytes{value}; });
}

Result<Bytes> PrivateTree::inactive_file() const {
  EVICTD_ASSIGN_OR_RETURN(const std::string text, read_text(memory_directory() / "memory.stat"));
  // v1 has the cgroup's own value under the plain name.
  const char* key = hierarchies_.unified() ? "inactive_file" : "total_inactive_file";
  return number_after(text, key).map([](std::int64_t value) { return Bytes{value}; });
}

Result<std::int64_t> PrivateTree::tasks() const {
  const Result<std::string> text = read_text(pids_directory() / "pids.current");
  return text ? parse_number(*text) : tl::unexpected(text.error());
}

Result<std::int64_t> PrivateTree::oom_kills() const {
  const fs::path top = memory_directory();
  if (hierarchies_.unified()) {
    const Result<std::string> text = read_text(top / "memory.events");
    return text ? number_after(*text, "oom_kill") : tl::unexpected(text.error());
  }
  std::int64_t sum = 0;
  for (const fs::path& path : directories(top)) {
    const Result<std::string> text = read_text(path / "memory.oom_control");
    EVICTD_ASSIGN_OR_RETURN(std::int64_t kills,
                            text ? number_after(*text, "oom_kill") : tl::unexpected(text.error()));
    sum += kills;
  }
  return sum;
}

Result<std::uint64_t> PrivateTree::memory_id() const {
  struct stat status {};
  const fs::path path = memory_directory();
  if (::stat(path.c_str(), &status) != 0) {
    return fail_errno(errno, "look at " + path.string());
  }
  return status.st_ino;
}

}  // namespace evictd::stage
