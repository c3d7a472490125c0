// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <system_error>
#include <tl/expected.hpp>

#include "base/fd.h"

namespace evictd::sys {

/// The answer of one bare system call: no context and no allocation, fit for the hot thread.
template <typename T = void>
using CallResult = tl::expected<T, std::errc>;

/// Opens the process `pid` (a thread-group leader). The descriptor keeps meaning that process, even
/// after its number was given to another. Close-on-exec; readable for epoll once the process ended.
/// Errors: no_such_process; too_many_files_open; invalid_argument as for signal_group(). Cost:
/// about 1 us.
[[nodiscard]] CallResult<base::Fd> open_pidfd(pid_t pid);

/// Whether a signal may ever go to `pid`. Not 1, which is init, nor 0 and below, which mean a group
/// of processes or all of them.
[[nodiscard]] constexpr bool may_be_signalled(pid_t pid) {
  return pid > 1;
}

/// Sends `signal` to every process of the group that `leader` leads: not yet reaped, or its number
/// may be another's. invalid_argument where the leader is nobody who may_be_signalled().
CallResult<> signal_group(pid_t leader, int signal);

/// Sends `signal` to the process that `pidfd` means.
/// Errors: no_such_process when it has ended and was reaped; a zombie answers success.
[[nodiscard]] CallResult<> send_signal(const base::Fd& pidfd, int signal);

/// Whether the process has ended, all threads included. Never blocks.
[[nodiscard]] bool has_ended(const base::Fd& pidfd);

/// Frees the memory of a process that is being killed, on the caller's own time: 35 ms a GiB of
/// small pages. Never on the hot thread.
/// Errors: no_such_process (no memory left), resource_unavailable_try_again (another one is at it),
/// invalid_argument (not being killed), function_not_supported (kernel before 5.15).
[[nodiscard]] CallResult<> release_memory(const base::Fd& pidfd);

}  // namespace evictd::sys
