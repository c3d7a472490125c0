// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::sys {

/// The kernel's sched_attr in its first size. The kernel's own header conflicts with glibc's.
/// Source: sched_setattr(2).
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  /// Nanoseconds. For a thread of ordinary priority: its slice from kernel 6.12 on, 0 before.
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

/// Scheduling of the calling thread.
[[nodiscard]] Result<SchedulingAttributes> scheduling_of_thread();

/// Changes the scheduling of the calling thread.
/// Errors: kPermission without the required privilege; kInvalid. Nothing changes on an error.
Result<> set_scheduling(const SchedulingAttributes& attributes);

/// Slice for a thread of ordinary priority that wants a short one: the kernel's minimum.
/// Source: kernel/sched/syscalls.c, __setparam_fair().
inline constexpr Duration kShortSlice = std::chrono::microseconds(100);

/// Gives the calling thread slices of kShortSlice if it has ordinary priority. When it wakes, it
/// precedes threads with a longer slice that have not had their share yet. Its own share of the CPU
/// stays the same. Needs no privilege; kernels before 6.12 accept the call and change nothing. A
/// thread of another policy stays unchanged.
/// Errors: those of set_scheduling(). Nothing changes on an error.
Result<> ask_for_short_slices();

}  // namespace evictd::sys
