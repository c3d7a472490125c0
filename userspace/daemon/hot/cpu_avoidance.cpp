// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/cpu_avoidance.h"

namespace evictd::daemon {

void CpuAvoidance::begin() {
  if (moved_ && ::sched_getcpu() != static_cast<int>(cpu_)) {
    return;
  }
  end();
  if (cpu_ >= CPU_SETSIZE || ::sched_getcpu() != static_cast<int>(cpu_) ||
      ::sched_getaffinity(0, sizeof before_, &before_) != 0) {
    return;
  }
  cpu_set_t others = before_;
  CPU_CLR(cpu_, &others);
  moved_ = CPU_COUNT(&others) > 0 && ::sched_setaffinity(0, sizeof others, &others) == 0;
}

void CpuAvoidance::end() {
  if (moved_) {
    ::sched_setaffinity(0, sizeof before_, &before_);
    moved_ = false;
  }
}

}  // namespace evictd::daemon
