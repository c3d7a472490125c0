// SPDX-License-Identifier: Apache-2.0
#include "flush/crowd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <functional>
#include <string>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// The number of pages that a CPU may count before the kernel records a change.
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

Result<ForkedProcesses> start_crowd(stage::PrivateTree& tree, const CrowdSize& size) {
  ForkedProcesses crowd;
  const auto add = [&](const std::filesystem::path& cgroup,
                       const std::function<void()>& work) -> Result<> {
    EVICTD_ASSIGN_OR_RETURN(const pid_t pid, crowd.add("a process of the crowd", work));
    return stage::write_kernel_file(cgroup / "cgroup.procs", std::to_string(pid));
  };
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
      EVICTD_TRY(add(cgroup, stir));
    }
    for (int reader = 0; i == 0 && reader < size.readers; ++reader) {
      const std::filesystem::path file = container.parent_path() / "memory.stat";
      EVICTD_TRY(add(container, [&] { read_in_a_loop(file); }));
    }
  }
  return crowd;
}

}  // namespace evictd::bench
