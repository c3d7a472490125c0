// SPDX-License-Identifier: Apache-2.0
#include "sys/pidfd.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace evictd::sys {

namespace {

#ifdef SYS_process_mrelease
constexpr long kProcessMrelease = SYS_process_mrelease;
#else
constexpr long kProcessMrelease = 448;  // the same on every architecture
#endif

tl::unexpected<std::errc> last_error() {
  return tl::unexpected<std::errc>(static_cast<std::errc>(errno));
}

}  // namespace

CallResult<base::Fd> open_pidfd(pid_t pid) {
  if (!may_be_signalled(pid)) {
    return tl::unexpected<std::errc>(std::errc::invalid_argument);
  }
  // By system call number: glibc has wrappers only since 2.36.
  const long fd = ::syscall(SYS_pidfd_open, pid, 0U);
  if (fd < 0) {
    return last_error();
  }
  return base::Fd(static_cast<int>(fd));
}

CallResult<> send_signal(const base::Fd& pidfd, int signal) {
  if (::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0U) != 0) {
    return last_error();
  }
  return {};
}

CallResult<> signal_group(pid_t leader, int signal) {
  if (!may_be_signalled(leader)) {
    return tl::unexpected<std::errc>(std::errc::invalid_argument);
  }
  if (::kill(-leader, signal) != 0) {
    return last_error();
  }
  return {};
}

bool has_ended(const base::Fd& pidfd) {
  pollfd entry{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) == 1 && (entry.revents & POLLIN) != 0;
}

CallResult<> release_memory(const base::Fd& pidfd) {
  if (::syscall(kProcessMrelease, pidfd.get(), 0U) != 0) {
    return last_error();
  }
  return {};
}

}  // namespace evictd::sys
