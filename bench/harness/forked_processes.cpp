// SPDX-License-Identifier: Apache-2.0
#include "harness/forked_processes.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace evictd::bench {

Result<pid_t> ForkedProcesses::add(const std::string& what, const std::function<void()>& work) {
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail_errno(errno, "fork " + what);
  }
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_DFL);
    work();
    ::_exit(1);
  }
  pids_.push_back(pid);
  return pid;
}

void ForkedProcesses::reap() {
  std::erase_if(pids_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) == pid; });
}

ForkedProcesses& ForkedProcesses::operator=(ForkedProcesses&& other) noexcept {
  std::swap(pids_, other.pids_);
  return *this;
}

ForkedProcesses::~ForkedProcesses() {
  for (const pid_t pid : pids_) {
    ::kill(pid, SIGKILL);
  }
  for (const pid_t pid : pids_) {
    ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace evictd::bench
