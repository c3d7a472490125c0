// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/unix_socket.h"
#include "evictd/result.h"
#include "notify/terms.h"

namespace evictd::notify {

/// Identifies the eventfd behind descriptor `number` of process `pid` (0: this process). `id` is
/// unset if there is no such descriptor or it is no eventfd. Source: "eventfd-id" of
/// /proc/PID/fdinfo/NUMBER (Linux 5.6).
///
/// Reading fdinfo calls into the file itself. For an epoll set that takes the set's lock, which a
/// process can hold without limit (while it adds a file of its own FUSE filesystem). So the target
/// of /proc/PID/fd/NUMBER is checked first, which calls into no file. One race remains: a process
/// that replaces the eventfd with such a set between the two reads.
struct EventfdIdentity {
  std::optional<std::uint64_t> id;
  /// 0, or the errno with which the process could not be inspected.
  int problem = 0;
};
[[nodiscard]] EventfdIdentity eventfd_of(pid_t pid, int number);

/// Whether `fd` is an eventfd of this process. Calls into no filesystem.
[[nodiscard]] bool is_eventfd(int fd);

/// Checks that `directory` is the directory of a cgroup. Returns 0, EBADF (no directory, or not
/// open for reading) or ENOTDIR (not a cgroup's). Calls into no filesystem that may hang, because a
/// client's process may serve the descriptor's filesystem.
[[nodiscard]] int check_directory(int directory);

/// Whether close() of `fd` is known not to block. True for a cgroup's directory: its filesystem
/// always answers, and it cannot be in an epoll set. False for an eventfd: its last close waits for
/// the lock of an epoll set, which its owner can hold (see eventfd_of()).
[[nodiscard]] bool closes_at_once(int fd);

/// The identity that permission bits are checked against.
struct Reader {
  uid_t uid = 0;
  /// Primary and supplementary groups.
  std::vector<gid_t> groups;
};

/// The peer of the unix socket `socket`, with the groups that it had when it connected. `peer` are
/// its credentials. Source: SO_PEERGROUPS. Errors: as getsockopt(2).
[[nodiscard]] Result<Reader> reader_of(int socket, const base::PeerCredentials& peer);

/// Whether the file's owner and permission bits let `reader` read the file of `signal` in the
/// cgroup of `directory`: 0, EACCES or ENODEV. Root may always read.
[[nodiscard]] int check_readable(int directory, evictd_notify_signal signal, const Reader& reader);

}  // namespace evictd::notify
