// SPDX-License-Identifier: Apache-2.0
#include "flush/crowd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <utility>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// As many pages as the kernel lets a CPU count before it takes note of a change.
constexpr std::size_t kStirredPages = 64;
constexpr long kPauseNs = 200'000'000;

[[noreturn]] void stir() {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (;;) {
    void* const memory = ::mmap(nullptr, kStirredPages * page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory != MAP_FAILED) {
      ::munmap(memory, kStirredPages * page);
    }
    const timespec pause{0, kPauseNs};
    ::nanosleep(&pause, nullptr);
  }
}

[[noreturn]] void read_in_a_loop(const std::filesystem::path& file) {
  static std::array<char, 1 << 16> text{};
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && ::pread(fd, text.data(), text.size(), 0) > 0) {
  }
  ::_exit(1);
}

}  // namespace

template <typename Work>
Result<> Crowd::add(const std::filesystem::path& cgroup, Work work) {
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail_errno(errno, "fork a process of the crowd");
  }
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_DFL);
    work();
    ::_exit(1);
  }
  pids_.push_back(pid);
  return stage::write_kernel_file(cgroup / "cgroup.procs", std::to_string(pid));
}

Result<Crowd> Crowd::start(stage::PrivateTree& tree, const Size& size) {
  Crowd crowd;
  for (int i = 0; i < size.pods; ++i) {
    EVICTD_ASSIGN_OR_RETURN(const stage::StagedPod pod,
                            tree.add_pod({.name = "crowd-" + std::to_string(i)}));
    const std::filesystem::path container = tree.directories_of(pod).front();
    for (int k = 1; k < size.cgroups; ++k) {
      const std::filesystem::path cgroup =
          k == 1 ? container : container.parent_path() / ("more-" + std::to_string(k));
      std::error_code failed;
      std::filesystem::create_directory(cgroup, failed);
      if (failed) {
        return fail_errno(failed.value(), "make " + cgroup.string());
      }
      EVICTD_TRY(crowd.add(cgroup, stir));
    }
    for (int reader = 0; i == 0 && reader < size.readers; ++reader) {
      const std::filesystem::path file = container.parent_path() / "memory.stat";
      if (Result<> added = crowd.add(container, [&] { read_in_a_loop(file); }); !added) {
        return tl::unexpected(added.error());
      }
    }
  }
  return crowd;
}

Crowd& Crowd::operator=(Crowd&& other) noexcept {
  std::swap(pids_, other.pids_);
  return *this;
}

Crowd::~Crowd() {
  for (const pid_t pid : pids_) {
    ::kill(pid, SIGKILL);
  }
  for (const pid_t pid : pids_) {
    ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace evictd::bench
