// SPDX-License-Identifier: Apache-2.0
#include "sys/scheduling.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace evictd::sys {

Result<SchedulingAttributes> scheduling_of_thread() {
  SchedulingAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0U) != 0) {
    return fail_errno(errno, "read the scheduling of a thread");
  }
  return attributes;
}

Result<> set_scheduling(const SchedulingAttributes& attributes) {
  if (::syscall(SYS_sched_setattr, 0, &attributes, 0U) != 0) {
    return fail_errno(errno, "set the scheduling of a thread");
  }
  return {};
}

}  // namespace evictd::sys
