// SPDX-License-Identifier: Apache-2.0
#include "private_pod.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/system_clock.h"
#include "sys/cgroup_layout.h"
#include "sys/root.h"

namespace evictd::enforce::test {

namespace {

constexpr int kPatienceMs = 20000;

/// As the kernel counts the hierarchies.
std::uint32_t number_of(HierarchyKind kind) {
  const sys::CgroupLayout layout = *sys::CgroupLayout::detect(*sys::Root::open());
  switch (kind) {
    case HierarchyKind::kV2:
      return 0;
    case HierarchyKind::kV1Memory:
      return layout.memory().id;
    case HierarchyKind::kV1Pids:
      return layout.pids()->id;
  }
  return 0;
}

std::string next_name() {
  static std::atomic<int> count{0};
  return "evictd-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

const base::SystemClock& test_clock() {
  static const base::SystemClock kSystemClock;
  return kSystemClock;
}

/// Directories below `directory` and itself, the deepest first.
std::vector<std::string> tree_of(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (entry.is_directory(ignored)) {
      const std::vector<std::string> below = tree_of(entry.path());
      found.insert(found.end(), below.begin(), below.end());
    }
  }
  found.push_back(directory);
  return found;
}

void read_procs(const std::string& directory, std::set<pid_t>& pids) {
  std::ifstream file(directory + "/cgroup.procs");
  for (pid_t pid = 0; file >> pid;) {
    pids.insert(pid);
  }
}

void enter(const std::string& directory) {
  const int fd = ::open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0 || ::write(fd, "0", 1) != 1) {
    ::_exit(70);
  }
  ::close(fd);
}

[[noreturn]] void fork_fast() {
  // The children are nobody's to reap: the kernel takes them away at once.
  ::signal(SIGCHLD, SIG_IGN);
  while (true) {
    if (::fork() < 0) {
      ::sched_yield();
    }
  }
}

/// Page by page: a huge page would pass memory.high by far at once.
void grow_by_a_mib() {
  constexpr std::size_t kSize = std::size_t{1} << 20;
  constexpr std::size_t kSmallestPage = 4096;
  void* const memory =
      ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    ::_exit(72);
  }
  ::madvise(memory, kSize, MADV_NOHUGEPAGE);
  for (std::size_t at = 0; at < kSize; at += kSmallestPage) {
    static_cast<volatile char*>(memory)[at] = 1;
  }
}

/// SIGTERM is blocked.
[[noreturn]] void grow_until_term(const std::string& directory) {
  constexpr int kMostMiB = 256;
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  const timespec at_once{};
  for (int grown = 0; ::sigtimedwait(&term, nullptr, &at_once) != SIGTERM;) {
    if (grown < kMostMiB) {
      grow_by_a_mib();
      ++grown;
    }
  }
  for (std::string high = "max"; high == "max";) {
    std::ifstream(directory + "/memory.high") >> high;
  }
  for (int i = 0; i < kLastGrowthMiB; ++i) {
    grow_by_a_mib();
  }
  ::_exit(0);
}

[[noreturn]] void behave(Behaviour behaviour, const std::string& directory) {
  if (behaviour == Behaviour::kForkFast) {
    fork_fast();
  }
  if (behaviour == Behaviour::kGrowUntilTerm) {
    grow_until_term(directory);
  }
  while (true) {
    ::pause();
  }
}

}  // namespace

Mounts Mounts::find() {
  Mounts mounts;
  std::ifstream file("/proc/mounts");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string device;
    std::string where;
    std::string type;
    std::string flags;
    fields >> device >> where >> type >> flags;
    const auto has = [&flags](const std::string& controller) {
      return ("," + flags + ",").find("," + controller + ",") != std::string::npos;
    };
    if (type == "cgroup2") {
      mounts.unified = where;
    } else if (type == "cgroup" && has("memory")) {
      mounts.memory = where;
    } else if (type == "cgroup" && has("pids")) {
      mounts.pids = where;
    } else if (type == "cgroup" && has("freezer")) {
      mounts.freezer = where;
    }
  }
  return mounts;
}

PrivatePod::PrivatePod(Kind kind) {
  const Mounts mounts = Mounts::find();
  const std::string name = "/" + next_name();
  std::vector<std::pair<std::string, HierarchyKind>> wanted;
  if (kind == Kind::kV2) {
    wanted.emplace_back(mounts.unified, HierarchyKind::kV2);
  } else {
    wanted.emplace_back(mounts.memory, HierarchyKind::kV1Memory);
    if (kind == Kind::kV1) {
      wanted.emplace_back(mounts.pids, HierarchyKind::kV1Pids);
    }
  }
  for (const auto& [mount, role] : wanted) {
    if (mount.empty()) {
      missing_ = kind == Kind::kV2 ? "no cgroup2 mount" : "no cgroup v1 memory and pids mounts";
      return;
    }
    root_.push_back(mount + name);
    pod_.push_back(root_.back() + "/pod1");
    std::filesystem::create_directories(pod_.back());
    Result<PodRoot> root =
        PodRoot::open({.kind = role, .hierarchy = number_of(role), .directory = root_.back()});
    if (!root) {
      ADD_FAILURE() << root.error().message();
      return;
    }
    roots_.push_back(std::move(*root));
  }
  usage_.reset(::open((pod_[0] + "/memory.usage_in_bytes").c_str(), O_RDONLY | O_CLOEXEC));
}

PrivatePod::~PrivatePod() {
  // A pod that still forks is ended by repeating.
  for (std::vector<pid_t> rest = processes(); !rest.empty(); rest = processes()) {
    for (const pid_t pid : rest) {
      ::kill(pid, SIGKILL);
    }
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  for (const std::string& root : root_) {
    for (const std::string& directory : tree_of(root)) {
      // Busy until the last zombie is reaped.
      while (::rmdir(directory.c_str()) != 0 && errno == EBUSY) {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
      }
    }
  }
}

void PrivatePod::add_container(const std::string& name) const {
  for (const std::string& directory : pod_) {
    ASSERT_TRUE(std::filesystem::create_directory(std::filesystem::path(directory) / name));
  }
}

pid_t PrivatePod::start(Behaviour behaviour, const std::string& container) const {
  std::array<int, 2> ready{};
  if (::pipe2(ready.data(), O_CLOEXEC) != 0) {
    ADD_FAILURE() << "pipe2 failed";
    return -1;
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (behaviour == Behaviour::kIgnoreTerm) {
      ::signal(SIGTERM, SIG_IGN);
    }
    if (behaviour == Behaviour::kGrowUntilTerm) {
      sigset_t term;
      ::sigemptyset(&term);
      ::sigaddset(&term, SIGTERM);
      ::sigprocmask(SIG_BLOCK, &term, nullptr);
    }
    for (const std::string& directory : pod_) {
      enter(std::filesystem::path(directory) / container);
    }
    if (::write(ready[1], "x", 1) != 1) {
      ::_exit(71);
    }
    behave(behaviour, pod_.front());
  }
  ::close(ready[1]);
  char said = 0;
  EXPECT_EQ(::read(ready[0], &said, 1), 1) << "the process could not enter its cgroups";
  ::close(ready[0]);
  return pid;
}

KillTarget::Options PrivatePod::options(Protection protection) const {
  KillTarget::Options options{.uid = "pod1", .protection = protection};
  options.usage_fd = usage_.get();
  for (const PodRoot& root : roots_) {
    options.places.push_back({.root = &root, .path = "pod1"});
  }
  return options;
}

KillTarget& PrivatePod::target(Protection protection) {
  return open_target(options(protection));
}

KillTarget& PrivatePod::open_target(const KillTarget::Options& options) {
  Result<std::unique_ptr<KillTarget>> target = KillTarget::open(options);
  EXPECT_TRUE(target) << target.error().message();
  return *targets_.emplace_back(std::move(*target));
}

std::unique_ptr<CgroupActuator> PrivatePod::actuator() const {
  CgroupActuator::Options options{.clock = &test_clock()};
  for (const PodRoot& root : roots_) {
    options.roots.push_back(root.id());
  }
  Result<std::unique_ptr<CgroupActuator>> actuator = CgroupActuator::create(std::move(options));
  EXPECT_TRUE(actuator);
  return actuator ? std::move(*actuator) : nullptr;
}

std::vector<pid_t> PrivatePod::processes() const {
  std::set<pid_t> pids;
  for (const std::string& root : root_) {
    for (const std::string& directory : tree_of(root)) {
      read_procs(directory, pids);
    }
  }
  return {pids.begin(), pids.end()};
}

std::string PrivatePod::pids_max() const {
  std::ifstream file(pod_.at(1) + "/pids.max");
  std::string text;
  file >> text;
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  EXPECT_GE(fd, 0) << path;
  EXPECT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size())) << path;
  ::close(fd);
}

std::optional<Progress> await(Actuator& actuator, EvictionState state, MonoTime now) {
  while (true) {
    while (const std::optional<Progress> step = actuator.take_progress()) {
      if (step->state == state) {
        return step;
      }
    }
    pollfd entry{.fd = actuator.descriptor(), .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, kPatienceMs) <= 0) {
      return std::nullopt;
    }
    actuator.on_ready(now);
  }
}

std::vector<EvictionState> take_states(Actuator& actuator) {
  std::vector<EvictionState> states;
  while (const std::optional<Progress> step = actuator.take_progress()) {
    states.push_back(step->state);
  }
  return states;
}

int await_end(pid_t pid) {
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

bool alive(pid_t pid) {
  return ::waitpid(pid, nullptr, WNOHANG) == 0;
}

}  // namespace evictd::enforce::test
