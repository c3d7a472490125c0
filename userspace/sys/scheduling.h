// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::sys {

/// What the kernel calls sched_attr, in its first size: its own header cannot be included beside
/// glibc's. Source: sched_setattr(2).
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  /// Nanoseconds. Of an ordinary thread its slice, from kernel 6.12 on; 0 before.
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

/// How the calling thread is scheduled.
[[nodiscard]] Result<SchedulingAttributes> scheduling_of_thread();

/// Changes how the calling thread is scheduled.
/// Errors: kPermission where that takes a privilege; kInvalid. Nothing is changed then.
Result<> set_scheduling(const SchedulingAttributes& attributes);

/// Slice of an ordinary thread that asks for a short one: the shortest that the kernel grants.
/// Source: kernel/sched/syscalls.c, __setparam_fair().
inline constexpr Duration kShortSlice = std::chrono::microseconds(100);

/// Has the calling thread scheduled in slices of kShortSlice if it has ordinary priority: when it
/// wakes, it goes before a thread with a longer one that has not had its share yet. It gets no more
/// time for that. Needs no privilege; kernels before 6.12 take it and change nothing. A thread of
/// another policy stays as it is.
/// Errors: those of set_scheduling(). Nothing is changed then.
Result<> ask_for_short_slices();

}  // namespace evictd::sys
