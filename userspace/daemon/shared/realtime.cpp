// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/realtime.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>

#include "evictd/try.h"
#include "sys/scheduling.h"

namespace evictd::daemon {

namespace {

// A signal handler can reach only a global; lock-free, so it is safe there.
std::atomic<std::uint64_t> overruns{0};  // NOLINT(*-avoid-non-const-global-variables)
std::atomic<bool> overrun_holds{false};  // NOLINT(*-avoid-non-const-global-variables)
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

extern "C" void on_realtime_overrun(int /*signal*/) {
  const int saved_errno = errno;
  const sched_param ordinary{};
  // Clearing the flag would need CAP_SYS_NICE, which a thread with its priority from RLIMIT_RTPRIO
  // lacks.
  sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &ordinary);
  overruns.fetch_add(1, std::memory_order_relaxed);
  overrun_holds.store(true, std::memory_order_relaxed);
  errno = saved_errno;
}

sigset_t only_sigxcpu() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXCPU);
  return set;
}

}  // namespace

Result<> prepare_realtime_overrun_signal() {
  struct sigaction action {};
  action.sa_handler = on_realtime_overrun;
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGXCPU, &action, nullptr) != 0) {
    return fail_errno(errno, "handle SIGXCPU");
  }
  const sigset_t set = only_sigxcpu();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return {};
}

Result<> give_realtime(pid_t thread, int priority, Duration limit) {
  rlimit allowed{};
  getrlimit(RLIMIT_RTTIME, &allowed);
  const auto budget_us =
      static_cast<rlim_t>(std::chrono::duration_cast<std::chrono::microseconds>(limit).count());
  allowed.rlim_cur =
      allowed.rlim_max == RLIM_INFINITY ? budget_us : std::min(budget_us, allowed.rlim_max);
  if (setrlimit(RLIMIT_RTTIME, &allowed) != 0) {
    return fail_errno(errno, "set the soft RLIMIT_RTTIME");
  }
  sched_param param{};
  param.sched_priority = priority;
  // Before the priority, so that an overrun right after it is kept.
  const bool held = overrun_holds.exchange(false, std::memory_order_relaxed);
  if (sched_setscheduler(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) != 0) {
    const int failure = errno;
    overrun_holds.store(held, std::memory_order_relaxed);
    return fail_errno(failure, "set SCHED_FIFO priority " + std::to_string(priority));
  }
  return {};
}

Result<> make_thread_realtime(int priority, Duration limit) {
  EVICTD_TRY(give_realtime(0, priority, limit));
  const sigset_t set = only_sigxcpu();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  return {};
}

std::uint64_t realtime_overruns() {
  return overruns.load(std::memory_order_relaxed);
}

bool realtime_overrun_holds() {
  return overrun_holds.load(std::memory_order_relaxed);
}

Result<> lock_memory() {
  if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0) {
    return fail_errno(errno, "lock memory");
  }
  return {};
}

Result<> use_small_thread_stacks() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kThreadStackBytes);
  const int failure = pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  if (failure != 0) {
    return fail_errno(failure, "set the stack size of threads");
  }
  return {};
}

}  // namespace evictd::daemon
