// SPDX-License-Identifier: Apache-2.0
#include "enforce/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string_view>

namespace evictd::enforce {

namespace {

/// What systemd and the kernel give a service that asks for nothing. Units: descriptors, bytes.
constexpr rlim_t kSoftDescriptors = 1024;
constexpr rlim_t kHardDescriptors = 524'288;
constexpr rlim_t kLockedBytes = rlim_t{8} << 20U;

/// Of the new process until it is another program: system calls and the names of the path.
constexpr std::size_t kStackBytes = std::size_t{64} << 10U;

/// What the new process needs; it shares the memory that this is in.
struct NewProgram {
  char* const* argv = nullptr;
  int output = -1;
  /// errno of the failed call.
  int failure = 0;
};

bool limit_to(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) {
    return false;
  }
  limit.rlim_max = std::min(limit.rlim_max, hard);
  limit.rlim_cur = std::min(soft, limit.rlim_max);
  return ::setrlimit(resource, &limit) == 0;
}

bool limit_resources() {
  rlimit real_time{};
  return limit_to(RLIMIT_MEMLOCK, kLockedBytes, kLockedBytes) && limit_to(RLIMIT_RTPRIO, 0, 0) &&
         // The hot thread's; it has lowered the soft limit alone.
         ::getrlimit(RLIMIT_RTTIME, &real_time) == 0 &&
         limit_to(RLIMIT_RTTIME, real_time.rlim_max, RLIM_INFINITY) &&
         limit_to(RLIMIT_NOFILE, kSoftDescriptors, kHardDescriptors);
}

bool be_killed_like_others() {
  constexpr std::string_view kOrdinary = "0";
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  // Refused if the score is already higher and cannot be lowered, which suits evictd.
  return file >= 0 && (::write(file, kOrdinary.data(), kOrdinary.size()) > 0 || errno == EACCES);
}

bool run_as_others() {
  const sched_param none{};
  return ::sched_setscheduler(0, SCHED_OTHER, &none) == 0;
}

bool connect_streams(int output) {
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  return input >= 0 && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
         ::dup2(output, STDERR_FILENO) >= 0;
}

/// What evictd itself was started with, and what it could not mark when it opened it: execve(2)
/// closes all of them.
bool leave_descriptors_behind() {
  constexpr unsigned kFirst = STDERR_FILENO + 1;
  if (::syscall(SYS_close_range, kFirst, ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
    return true;
  }
  // Before Linux 5.11.
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return false;
  }
  for (rlim_t fd = kFirst; fd < limit.rlim_cur; ++fd) {
    ::fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
  }
  return true;
}

bool use_ordinary_signals() {
  struct sigaction ordinary {};
  ordinary.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    // Refused for SIGKILL, SIGSTOP and the C library's signals, which cannot be changed.
    static_cast<void>(::sigaction(signal, &ordinary, nullptr));
  }
  sigset_t none;
  sigemptyset(&none);
  return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

/// The new process, while evictd's thread waits for it. Only system calls: the memory, locks
/// included, is evictd's.
int become_program(void* argument) {
  NewProgram& start = *static_cast<NewProgram*>(argument);
  // The descriptors before their limit is lowered.
  if (::setpgid(0, 0) == 0 && be_killed_like_others() && run_as_others() &&
      connect_streams(start.output) && leave_descriptors_behind() && limit_resources() &&
      use_ordinary_signals()) {
    ::execve(start.argv[0], start.argv, environ);
  }
  start.failure = errno;
  return 127;
}

/// No handler of evictd's may run in the new process.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;
  ~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

Result<pid_t> spawn_ordinary(const std::vector<std::string>& argv, int output) {
  std::vector<std::string> texts = argv;
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  NewProgram start{.argv = pointers.data(), .output = output};
  std::vector<std::max_align_t> stack(kStackBytes / sizeof(std::max_align_t));
  const SignalsHeldBack held_back;
  const pid_t pid = ::clone(become_program, stack.data() + stack.size(),
                            CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
  if (pid < 0) {
    return fail_errno(errno, "run " + argv.front());
  }
  if (start.failure != 0) {
    ::waitpid(pid, nullptr, 0);
    return fail_errno(start.failure, "run " + argv.front());
  }
  return pid;
}

}  // namespace evictd::enforce
