// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

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

/// The same for a thread of this process that make_thread_realtime() was called on, from any
/// thread: after its limit took it the priority is there again, and the limit as it was at first,
/// which the kernel raises at each SIGXCPU. Errors: the same.
Result<> give_realtime(pid_t thread, int priority, Duration limit);

/// How often SIGXCPU dropped the real-time thread to ordinary priority since start.
[[nodiscard]] std::uint64_t realtime_overruns();

/// Whether it did so and nobody gave the priority back since. May be asked in the hot path.
[[nodiscard]] bool realtime_overrun_holds();

/// Installs the SIGXCPU handler and blocks the signal in the calling thread and all that it starts;
/// make_thread_realtime() unblocks it for the hot thread alone, so that it is the one interrupted.
Result<> prepare_realtime_overrun_signal();

/// Locks all pages, present and future, as they are first touched (MCL_ONFAULT), so that a node out
/// of memory cannot page evictd out.
/// Errors: kPermission or kExhausted when CAP_IPC_LOCK is missing and the limit is too low.
Result<> lock_memory();

/// Stack of a thread that evictd starts: small, because every touched page stays locked. What the
/// thread sanitizer keeps for each thread takes more than that of the same mapping.
#if defined(__SANITIZE_THREAD__)
inline constexpr std::size_t kThreadStackBytes = 2 * 1024 * 1024;
#else
inline constexpr std::size_t kThreadStackBytes = 256 * 1024;
#endif

/// Sets kThreadStackBytes as the stack of threads started from now on. Call once, before any.
Result<> use_small_thread_stacks();

}  // namespace evictd::daemon
