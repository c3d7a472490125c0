// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// Gives the calling thread SCHED_FIFO at `priority`, reset on fork. Sets a soft RLIMIT_RTTIME of
/// `limit`, whose SIGXCPU drops the thread to ordinary priority. Passes take microseconds, so only
/// a defect runs that long without blocking, and it must not starve the node. The hard limit stays:
/// the kernel answers it with SIGKILL. Errors: kPermission without CAP_SYS_NICE, or in a v1 cpu
/// cgroup without a real-time budget (RT_GROUP_SCHED). kInvalid for a priority outside 1..99. An
/// error changes nothing.
Result<> make_thread_realtime(int priority, Duration limit);

/// The same, called from any thread, for a thread of this process that called
/// make_thread_realtime(). Restores the priority after the limit took it. Also restores the
/// original limit, which the kernel raises at each SIGXCPU. Errors: the same.
Result<> give_realtime(pid_t thread, int priority, Duration limit);

/// Number of times since the start that SIGXCPU dropped the real-time thread to ordinary priority.
[[nodiscard]] std::uint64_t realtime_overruns();

/// Whether SIGXCPU dropped the priority and nothing has restored it since. May be called in the hot
/// path.
[[nodiscard]] bool realtime_overrun_holds();

/// Installs the SIGXCPU handler and blocks the signal in the calling thread and all threads that it
/// starts. make_thread_realtime() unblocks it for the hot thread alone, so that the signal
/// interrupts that thread.
Result<> prepare_realtime_overrun_signal();

/// Locks all pages, present and future, when they are first touched (MCL_ONFAULT), so that a node
/// out of memory cannot page evictd out. Errors: kPermission or kExhausted if CAP_IPC_LOCK is
/// missing and the limit is too low.
Result<> lock_memory();

/// Stack of a thread that evictd starts: small, because every touched page stays locked. The thread
/// sanitizer takes more from that mapping for each thread.
#if defined(__SANITIZE_THREAD__)
inline constexpr std::size_t kThreadStackBytes = 2 * 1024 * 1024;
#else
inline constexpr std::size_t kThreadStackBytes = 256 * 1024;
#endif

/// Sets kThreadStackBytes as the stack of threads started from now on. Call once, before any thread
/// starts.
Result<> use_small_thread_stacks();

}  // namespace evictd::daemon
