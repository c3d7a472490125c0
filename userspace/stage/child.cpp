// SPDX-License-Identifier: Apache-2.0
#include "stage/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/system_clock.h"
#include "evictd/try.h"

namespace evictd::stage {
namespace {

/// Everything that the child needs, prepared before fork: nothing may be allocated until exec.
struct Prepared {
  std::vector<char*> argv;
  std::vector<char*> environment;
  int output = -1;
  pid_t parent = 0;
  int error_pipe = -1;
};

[[noreturn]] void report_and_exit(const Prepared& prepared) {
  const int failed = errno;
  static_cast<void>(::write(prepared.error_pipe, &failed, sizeof(failed)) < 0);
  ::_exit(127);
}

[[noreturn]] void become(const Prepared& prepared) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != prepared.parent) {
    ::_exit(127);
  }
  // The parent may block signals to read them from a descriptor.
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // An ignored signal stays ignored over execve(2), and the demonstration ignores this one.
  ::signal(SIGPIPE, SIG_DFL);
  if (prepared.output >= 0 && (::dup2(prepared.output, 1) < 0 || ::dup2(prepared.output, 2) < 0)) {
    report_and_exit(prepared);
  }
  ::execve(prepared.argv[0], prepared.argv.data(), prepared.environment.data());
  report_and_exit(prepared);
}

/// The argument of execve(2); valid as long as `texts` is unchanged.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result(texts.size());
  std::transform(texts.begin(), texts.end(), result.begin(),
                 [](std::string& text) { return text.data(); });
  return result;
}

Result<base::Fd> open_for_appending(const std::filesystem::path& path) {
  base::Fd fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
  if (!fd) {
    return fail_errno(errno, "open " + path.string());
  }
  return fd;
}

}  // namespace

bool ChildExit::killed_by(int signal) const {
  return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

std::string ChildExit::text() const {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit status " + std::to_string(WEXITSTATUS(status));
}

Result<Child> Child::start(const ChildOptions& options) {
  Prepared prepared;
  prepared.parent = ::getpid();
  std::vector<std::string> arguments = options.argv;
  std::vector<std::string> environment = options.environment;
  prepared.argv = pointers(arguments);
  prepared.argv.push_back(nullptr);
  prepared.environment = pointers(environment);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    prepared.environment.push_back(*entry);
  }
  prepared.environment.push_back(nullptr);
  base::Fd output;
  if (!options.output.empty()) {
    EVICTD_ASSIGN_OR_RETURN(output, open_for_appending(options.output));
    prepared.output = output.get();
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail_errno(errno, "make a pipe");
  }
  const base::Fd reader{ends[0]};
  base::Fd writer{ends[1]};
  prepared.error_pipe = writer.get();
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail_errno(errno, "fork");
  }
  if (pid == 0) {
    become(prepared);
  }
  writer.reset();
  Child child{pid, base::Fd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))}};
  int failed = 0;
  // End of file means that the program runs.
  if (::read(reader.get(), &failed, sizeof(failed)) > 0) {
    return fail_errno(failed, "start " + options.argv[0]);
  }
  return child;
}

Child::Child(pid_t pid, base::Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      ended_(std::move(other.ended_)) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    destroy();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
    ended_ = std::move(other.ended_);
  }
  return *this;
}

Child::~Child() {
  destroy();
}

void Child::destroy() {
  if (pid_ <= 0 || ended_) {
    return;
  }
  signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

bool Child::lives() const {
  pollfd dead{pidfd_.get(), POLLIN, 0};
  return ::poll(&dead, 1, 0) == 0;
}

void Child::signal(int number) const {
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

Result<ChildExit> Child::wait(Duration timeout) {
  if (ended_) {
    return *ended_;
  }
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  pollfd dead{pidfd_.get(), POLLIN, 0};
  if (::poll(&dead, 1, static_cast<int>(milliseconds)) <= 0) {
    return fail(Errc::kTimedOut, "process " + std::to_string(pid_) + " still lives");
  }
  ChildExit exit;
  if (::waitpid(pid_, &exit.status, 0) != pid_) {
    return fail_errno(errno, "wait for process " + std::to_string(pid_));
  }
  exit.at = base::SystemClock{}.now();
  ended_ = exit;
  return exit;
}

}  // namespace evictd::stage
