// SPDX-License-Identifier: Apache-2.0
#include "harness/idle_pods.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "evictd/try.h"

namespace evictd::bench {
namespace {

[[noreturn]] void idle() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  for (;;) {
    ::pause();
  }
}

constexpr std::array kClasses{stage::QosClass::kBestEffort, stage::QosClass::kBurstable,
                              stage::QosClass::kGuaranteed};

}  // namespace

Result<IdlePods> IdlePods::start(stage::PrivateTree& tree, int count) {
  IdlePods pods;
  for (int i = 0; i < count; ++i) {
    EVICTD_ASSIGN_OR_RETURN(
        const stage::StagedPod pod,
        tree.add_pod({.name = "idle-" + std::to_string(i),
                      .qos = kClasses[static_cast<std::size_t>(i) % kClasses.size()]}));
    const pid_t pid = ::fork();
    if (pid < 0) {
      return fail_errno(errno, "fork an idle process");
    }
    if (pid == 0) {
      idle();
    }
    pods.pids_.push_back(pid);
    EVICTD_TRY(tree.enter(pod, pid));
  }
  return pods;
}

void IdlePods::reap() {
  std::erase_if(pids_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) == pid; });
}

IdlePods& IdlePods::operator=(IdlePods&& other) noexcept {
  std::swap(pids_, other.pids_);
  return *this;
}

IdlePods::~IdlePods() {
  for (const pid_t pid : pids_) {
    ::kill(pid, SIGKILL);
  }
  for (const pid_t pid : pids_) {
    ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace evictd::bench
