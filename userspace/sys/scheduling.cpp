// SPDX-License-Identifier: Apache-2.0
#include "sys/scheduling.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "evictd/try.h"

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

Result<> ask_for_short_slices() {
  EVICTD_ASSIGN_OR_RETURN(SchedulingAttributes scheduling, scheduling_of_thread());
  if (scheduling.policy != SCHED_OTHER) {
    return {};
  }
  scheduling.runtime = static_cast<std::uint64_t>(kShortSlice.count());
  return set_scheduling(scheduling);
}

}  // namespace evictd::sys
