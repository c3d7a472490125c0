// SPDX-License-Identifier: Apache-2.0
#include "oscillation.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "base/fd.h"
#include "evictd/try.h"
#include "harness/forked_processes.h"
#include "harness/interrupt.h"
#include "idle/process_cost.h"

namespace evictd::churn {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// At the top and at the bottom of a swing: the pace of the load.
constexpr timespec kHalfSwing{.tv_sec = 0, .tv_nsec = 50'000'000};
/// Ten seconds are the rule; only a failure waits this long.
constexpr std::chrono::minutes kSwingDeadline{2};

/// Memory in use, filled by the kernel: under a sanitizer a write would take more than this.
void* populate(Bytes bytes) {
  void* const memory =
      ::mmap(nullptr, static_cast<std::size_t>(bytes.value), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return memory != MAP_FAILED ? memory : nullptr;
}

/// The process that swings. Returns when it cannot.
void swing(const stage::PrivateTree& tree, const stage::StagedPod& pod, Bytes base) {
  if (!tree.enter(pod, 0) || (base > Bytes{0} && populate(base) == nullptr)) {
    return;
  }
  for (int i = 0; i < kSwings; ++i) {
    void* const top = populate(kSwing);
    if (top == nullptr) {
      return;
    }
    ::nanosleep(&kHalfSwing, nullptr);
    ::munmap(top, static_cast<std::size_t>(kSwing.value));
    ::nanosleep(&kHalfSwing, nullptr);
  }
  ::_exit(0);
}

/// Waits until the process is dead, which its destructor reaps.
Result<> await_end(pid_t process, const Floor& floor) {
  const base::Fd pidfd{static_cast<int>(::syscall(SYS_pidfd_open, process, 0))};
  if (!pidfd) {
    return fail_errno(errno, "open the process that swings");
  }
  std::array<pollfd, 2> ends{{{pidfd.get(), POLLIN, 0}, {floor.daemon().pidfd(), POLLIN, 0}}};
  const int most = static_cast<int>(std::chrono::milliseconds{kSwingDeadline}.count());
  const int ended = ::poll(ends.data(), ends.size(), most);
  EVICTD_TRY(bench::Interrupt::check());
  if (ended == 0) {
    return fail(Errc::kTimedOut, "the process that swings goes on and on");
  }
  if (ends[1].revents != 0) {
    return fail(Errc::kIo, "evictd has ended");
  }
  siginfo_t end{};
  if (::waitid(P_PID, static_cast<id_t>(process), &end, WEXITED | WNOWAIT) != 0) {
    return fail_errno(errno, "wait for the process that swings");
  }
  if (end.si_code != CLD_EXITED || end.si_status != 0) {
    return fail(Errc::kIo, std::string("the process that swings ended with ") +
                               (end.si_code == CLD_EXITED ? "exit status " : "signal ") +
                               std::to_string(end.si_status));
  }
  return {};
}

}  // namespace

double OscillationCost::percent() const {
  return took > Duration{0}
             ? 100.0 * static_cast<double>(cpu.count()) / static_cast<double>(took.count())
             : 0.0;
}

std::string OscillationCost::text() const {
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(),
                "%d swings of %lld MiB in %.1f s; evictd used %.1f ms, which is %.2f %% of a core",
                kSwings, static_cast<long long>(kSwing.value >> 20),
                std::chrono::duration<double>(took).count(),
                std::chrono::duration<double, std::milli>(cpu).count(), percent());
  return line.data();
}

Result<OscillationCost> oscillate(const Floor& floor) {
  const stage::StagedPod pod = floor.pods().front();
  EVICTD_ASSIGN_OR_RETURN(const Bytes used, floor.tree().usage());
  const Bytes threshold = floor.limits().memory - floor.limits().soft_memory;
  const Bytes base = threshold - used - Bytes{kSwing.value / 2};
  const pid_t evictd = floor.daemon().pid();
  EVICTD_ASSIGN_OR_RETURN(const bench::ProcessCost before, bench::cost_of(evictd));
  const SteadyClock::time_point began = SteadyClock::now();
  {
    bench::ForkedProcesses processes;
    EVICTD_ASSIGN_OR_RETURN(const pid_t process, processes.add("the process that swings", [&] {
      swing(floor.tree(), pod, base);
    }));
    EVICTD_TRY(await_end(process, floor));
  }
  const Duration took = SteadyClock::now() - began;
  EVICTD_ASSIGN_OR_RETURN(const bench::ProcessCost after, bench::cost_of(evictd));
  return OscillationCost{.took = took, .cpu = after.cpu - before.cpu};
}

}  // namespace evictd::churn
