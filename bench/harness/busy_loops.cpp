// SPDX-License-Identifier: Apache-2.0
#include "harness/busy_loops.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace evictd::bench {
namespace {

[[noreturn]] void spin() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  for (volatile unsigned turns = 0;;) {
    turns = turns + 1;
  }
}

}  // namespace

Result<BusyLoops> BusyLoops::start(int count) {
  BusyLoops loops;
  for (int i = 0; i < count; ++i) {
    const pid_t pid = ::fork();
    if (pid < 0) {
      return fail_errno(errno, "fork a busy loop");
    }
    if (pid == 0) {
      spin();
    }
    loops.pids_.push_back(pid);
  }
  return loops;
}

BusyLoops& BusyLoops::operator=(BusyLoops&& other) noexcept {
  std::swap(pids_, other.pids_);
  return *this;
}

BusyLoops::~BusyLoops() {
  for (const pid_t pid : pids_) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace evictd::bench
