// SPDX-License-Identifier: Apache-2.0
#include "daemon/cpu_avoidance.h"

namespace evictd::daemon {

CpuAvoidance::CpuAvoidance(std::uint32_t cpu) {
  if (cpu >= CPU_SETSIZE || ::sched_getcpu() != static_cast<int>(cpu) ||
      ::sched_getaffinity(0, sizeof before_, &before_) != 0) {
    return;
  }
  cpu_set_t others = before_;
  CPU_CLR(cpu, &others);
  moved_ = CPU_COUNT(&others) > 0 && ::sched_setaffinity(0, sizeof others, &others) == 0;
}

CpuAvoidance::~CpuAvoidance() {
  if (moved_) {
    ::sched_setaffinity(0, sizeof before_, &before_);
  }
}

}  // namespace evictd::daemon
