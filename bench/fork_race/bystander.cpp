// SPDX-License-Identifier: Apache-2.0
#include "fork_race/bystander.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <new>
#include <utility>

namespace evictd::bench {
namespace {

constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 10'000'000};

}  // namespace

Result<ForkingBystander> ForkingBystander::start() {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return fail_errno(errno, "make room for the bystander's count");
  }
  ForkingBystander bystander(new (memory) Shared);
  bystander.pid_ = ::fork();
  if (bystander.pid_ < 0) {
    return fail_errno(errno, "start the bystander");
  }
  if (bystander.pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    fork_forever(*bystander.shared_);
  }
  return bystander;
}

ForkingBystander::ForkingBystander(ForkingBystander&& other) noexcept
    : shared_(std::exchange(other.shared_, nullptr)), pid_(std::exchange(other.pid_, -1)) {}

ForkingBystander::~ForkingBystander() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (shared_ != nullptr) {
    ::munmap(shared_, sizeof(Shared));
  }
}

void ForkingBystander::fork_forever(Shared& shared) {
  while (true) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(0);
    }
    ++(child < 0 ? shared.failed : shared.forks);
    while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::nanosleep(&kPause, nullptr);
  }
}

}  // namespace evictd::bench
