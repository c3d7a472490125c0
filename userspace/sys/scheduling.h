// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "evictd/result.h"

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

}  // namespace evictd::sys
