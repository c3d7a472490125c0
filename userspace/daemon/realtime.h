// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// Gives the calling thread SCHED_FIFO at `priority`, reset on fork, with a soft RLIMIT_RTTIME of
/// `limit` whose SIGXCPU drops the thread to ordinary priority: passes take microseconds, so only a
/// defect runs that long without waiting, and then it must not starve the node. The hard limit is
/// left alone: reaching that is answered by the kernel with SIGKILL.
/// Errors: kPermission without CAP_SYS_NICE, or in a v1 cpu cgroup without a real-time budget
/// (RT_GROUP_SCHED); kInvalid for a priority outside 1..99. Nothing is changed then.
Result<> make_thread_realtime(int priority, Duration limit);

/// Slice of an ordinary thread that asks for a short one: the shortest that the kernel grants.
/// Source: kernel/sched/syscalls.c, __setparam_fair().
inline constexpr Duration kShortSlice = std::chrono::microseconds(100);

/// Has the calling thread, which has ordinary priority, scheduled in slices of kShortSlice: when it
/// wakes, it goes before a thread with a longer one that has not had its share yet. It gets no more
/// time for that. Needs no privilege; kernels before 6.12 take it and change nothing.
/// Errors: those of sys::set_scheduling(). Nothing is changed then.
Result<> ask_for_short_slices();

/// How often SIGXCPU dropped the hot thread to ordinary priority since start.
[[nodiscard]] std::uint64_t realtime_overruns();

/// Installs the SIGXCPU handler and blocks the signal in the calling thread and all that it starts;
/// make_thread_realtime() unblocks it for the hot thread alone, so that it is the one interrupted.
Result<> prepare_realtime_overrun_signal();

/// Locks all pages, present and future, as they are first touched (MCL_ONFAULT), so that a node out
/// of memory cannot page evictd out.
/// Errors: kPermission or kExhausted when CAP_IPC_LOCK is missing and the limit is too low.
Result<> lock_memory();

/// Stack of a thread that evictd starts: small, because every touched page stays locked.
inline constexpr std::size_t kThreadStackBytes = 256 * 1024;

/// Sets kThreadStackBytes as the stack of threads started from now on. Call once, before any.
Result<> use_small_thread_stacks();

}  // namespace evictd::daemon
