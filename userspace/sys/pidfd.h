// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <system_error>
#include <tl/expected.hpp>

#include "base/fd.h"

namespace evictd::sys {

/// The result of one system call. Without context or allocation, so safe on the hot thread.
template <typename T = void>
using CallResult = tl::expected<T, std::errc>;

/// Opens the process `pid` (a thread-group leader). The descriptor refers to that process even
/// after its pid is reused. Close-on-exec; readable for epoll once the process has exited.
/// Errors: no_such_process; too_many_files_open; invalid_argument as for signal_group(). Cost:
/// about 1 us.
[[nodiscard]] CallResult<base::Fd> open_pidfd(pid_t pid);

/// Whether `pid` may ever be signalled. Excludes 1, which is init, and 0 and below, which address a
/// process group or all processes.
[[nodiscard]] constexpr bool may_be_signalled(pid_t pid) {
  return pid > 1;
}

/// Sends `signal` to every process of the group of `leader`. The leader must not have been reaped,
/// or its pid may be reused. Errors: invalid_argument if not may_be_signalled(leader).
CallResult<> signal_group(pid_t leader, int signal);

/// Sends `signal` to the process of `pidfd`.
/// Errors: no_such_process if it was reaped; for a zombie the call succeeds.
[[nodiscard]] CallResult<> send_signal(const base::Fd& pidfd, int signal);

/// Whether the process, including all threads, has exited. Never blocks.
[[nodiscard]] bool has_ended(const base::Fd& pidfd);

/// Frees the memory of a process that is being killed, on the caller's CPU time: 35 ms per GiB of
/// small pages. Never call it on the hot thread.
/// Errors: no_such_process (no memory left), resource_unavailable_try_again (another caller is
/// freeing it), invalid_argument (not being killed), function_not_supported (kernel before 5.15).
[[nodiscard]] CallResult<> release_memory(const base::Fd& pidfd);

}  // namespace evictd::sys
