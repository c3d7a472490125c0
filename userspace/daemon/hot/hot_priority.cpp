// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/hot_priority.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "daemon/shared/realtime.h"

namespace evictd::daemon {

Result<> HotPriority::take(const config::RealtimeSettings& wanted) {
  wanted_ = wanted;
  thread_ = ::gettid();
  if (const int failure = ::pthread_getcpuclockid(::pthread_self(), &cpu_clock_); failure != 0) {
    return fail_errno(failure, "find the CPU clock of the hot thread");
  }
  Result<> got = wanted.enabled ? make_thread_realtime(wanted.priority, wanted.limit) : Result<>();
  ask();
  return got;
}

bool HotPriority::ask() {
  const int policy = ::sched_getscheduler(thread_);
  const bool is_realtime = policy >= 0 && ((policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO ||
                                           (policy & ~SCHED_RESET_ON_FORK) == SCHED_RR);
  in_force_.store(is_realtime, std::memory_order_relaxed);
  return is_realtime;
}

Duration HotPriority::run() const {
  timespec used = {};
  if (::clock_gettime(cpu_clock_, &used) != 0) {
    return {};
  }
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

Result<> HotPriority::give_back() {
  return give_realtime(thread_, wanted_.priority, wanted_.limit);
}

}  // namespace evictd::daemon
